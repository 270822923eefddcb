// How fast a query scans raw streams: calls counted by function and rank, over 100 million records.
//
//   comshu_read_bench [MILLIONS [FOLDER]]
//
// Writes the capture first (about 8 bytes a record into FOLDER, removed at the end), every count known
// by construction: 8 ranks that repeat Irecv, Isend, Waitall, Allreduce. The file is in the page
// cache when it is scanned, as after a run.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "comshu/read/database.h"
#include "comshu/read/query.h"
#include "stream_writer.h"
#include "temporary_folder.h"

namespace comshu::read {
namespace {

constexpr uint64_t kRanks = 8;
constexpr uint64_t kCallsInTurn = 4;
constexpr int kRepetitions = 3;

// Times and sizes that no encoding foresees, as real ones are.
uint64_t Noise(uint64_t i) {
    i *= 0x9e3779b97f4a7c15u;
    return (i ^ (i >> 29)) % 1000;
}

void WriteRank(const std::string& path, int32_t rank, uint64_t turns) {
    testing::ProcessOptions options;
    options.pid += static_cast<uint32_t>(rank);
    testing::StreamWriter writer(path, options);
    writer.Define(schema::MpiRank(writer.Ticks(0), 77, writer.Intern("job"), 0, rank,
                                  static_cast<int32_t>(kRanks), 0, 0, 0));
    uint64_t number = 0;
    uint64_t now = writer.Ticks(1000);
    const auto span = [&](uint64_t length) {
        const uint64_t begin = now;
        now += length + 200;
        return schema::SpanHead(begin, begin + length, core::SpanId(0, ++number), 0,
                                schema::SpanFlags::NONE);
    };
    const auto peer = static_cast<int32_t>((static_cast<uint64_t>(rank) + 1) % kRanks);
    for (uint64_t i = 0; i < turns; ++i) {
        const uint64_t bytes = 1024 << (i % 4);
        writer.Add(0, schema::MpiPointToPoint(span(400 + Noise(i)), 0x401000, 77, bytes, 2 * i + 1,
                                              7, peer, peer, schema::MpiFunction::MPI_Irecv));
        writer.Add(
            0, schema::MpiPointToPoint(span(500 + Noise(i + 1)), 0x401010, 77, bytes, 2 * i + 2, 7,
                                       peer, peer, schema::MpiFunction::MPI_Isend));
        writer.Add(0, schema::MpiRequestCall(span(900 + Noise(i + 2)), 0x401020, 2 * i + 1, 2, 0,
                                             schema::MpiFunction::MPI_Waitall));
        writer.Add(0, schema::MpiCollective(span(2000 + Noise(i + 3)), 0x401030, 77, 8, 8, 0, 0,
                                            schema::MpiFunction::MPI_Allreduce,
                                            schema::MpiOperation::sum));
    }
    writer.End(now, schema::EndReason::finished);
}

double Seconds(std::chrono::steady_clock::duration duration) {
    return std::chrono::duration<double>(duration).count();
}

// Runs the query several times and prints the fastest; false if a count is not what was written.
bool Measure(Database* database, const char* what, const std::string& sql, uint64_t turns) {
    std::vector<double> seconds;
    for (int i = 0; i < kRepetitions; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        Query query;
        std::string error;
        if (!query.Run(database, sql, &error)) {
            std::fprintf(stderr, "read_bench: %s\n", error.c_str());
            return false;
        }
        uint64_t rows = 0;
        while (query.Next()) {
            ++rows;
            if (query.Unsigned(2) != turns) {
                std::fprintf(stderr, "read_bench: rank %s %s: %s calls, not %llu\n",
                             query.Text(0).c_str(), query.Text(1).c_str(), query.Text(2).c_str(),
                             static_cast<unsigned long long>(turns));
                return false;
            }
        }
        if (rows != kRanks * kCallsInTurn || !query.error().empty()) {
            std::fprintf(stderr, "read_bench: %llu groups, not %llu %s\n",
                         static_cast<unsigned long long>(rows),
                         static_cast<unsigned long long>(kRanks * kCallsInTurn),
                         query.error().c_str());
            return false;
        }
        seconds.push_back(Seconds(std::chrono::steady_clock::now() - begin));
    }
    const double first = seconds.front();
    const double records = static_cast<double>(kRanks * kCallsInTurn * turns);
    std::sort(seconds.begin(), seconds.end());
    const auto rate = [&](double s) { return records / s / 1e6; };
    std::printf("%-34s %8.2f s: %8.1f, median %8.1f, first %8.1f million records/s\n", what,
                seconds.front(), rate(seconds.front()), rate(seconds[seconds.size() / 2]),
                rate(first));
    return true;
}

int Main(int argc, char** argv) {
    const double millions = argc > 1 ? std::atof(argv[1]) : 100;
    const auto turns = static_cast<uint64_t>(millions * 1e6) / kRanks / kCallsInTurn;
    std::unique_ptr<testing::TemporaryFolder> own;
    std::filesystem::path folder;
    if (argc > 2) {
        folder = argv[2];
    } else {
        own = std::make_unique<testing::TemporaryFolder>();
        folder = own->path();
    }
    std::filesystem::create_directories(folder / "run");
    auto begin = std::chrono::steady_clock::now();
    uint64_t bytes = 0;
    for (uint64_t rank = 0; rank < kRanks; ++rank) {
        const std::string path =
            (folder / "run" / ("node0." + std::to_string(1000 + rank) + ".0.cst")).string();
        WriteRank(path, static_cast<int32_t>(rank), turns);
        bytes += std::filesystem::file_size(path);
    }
    const uint64_t records = kRanks * kCallsInTurn * turns;
    std::printf("%llu records, %.2f bytes each, written in %.1f s; %u cores\n",
                static_cast<unsigned long long>(records),
                static_cast<double>(bytes) / static_cast<double>(records),
                Seconds(std::chrono::steady_clock::now() - begin),
                std::thread::hardware_concurrency());

    begin = std::chrono::steady_clock::now();
    std::string error;
    const auto database = Database::OpenPaths({folder.string()}, &error);
    if (database == nullptr) {
        std::fprintf(stderr, "read_bench: %s\n", error.c_str());
        return 1;
    }
    std::printf("%-34s %8.2f s\n", "opening the capture",
                Seconds(std::chrono::steady_clock::now() - begin));
    const char* const tables =
        "SELECT rank, function, count(*) FROM (SELECT rank, function FROM mpi_point_to_point UNION "
        "ALL SELECT rank, function FROM mpi_request_call UNION ALL SELECT rank, function FROM "
        "mpi_collective) GROUP BY ALL";
    const char* const view = "SELECT rank, name, count(*) FROM span GROUP BY ALL";
    return Measure(database.get(), "calls by rank, record tables", tables, turns) &&
                   Measure(database.get(), "calls by rank, view span", view, turns)
               ? 0
               : 1;
}

}  // namespace
}  // namespace comshu::read

int main(int argc, char** argv) {
    return comshu::read::Main(argc, argv);
}
