#include "comshu/link/link_in_parts.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>

#include "comshu/read/capture.h"
#include "comshu/read/database.h"
#include "comshu/read/links.h"
#include "comshu/read/pending_file.h"
#include "clock_order.h"
#include "found_rows.h"
#include "matching/mpi_matcher.h"
#include "shuffle.h"
#include "views/table_writer.h"

namespace comshu::link {
namespace {

namespace fs = std::filesystem;

struct HalfRecord {
    read::ChannelKey key;
    read::Half half;
    uint64_t lost = 0;
    read::Side side = read::Side::kSend;
    bool complete = false;
};

// What the ranks of this process sent and received, to the processes that have the channels.
class HalfSender : public read::HalfSink {
public:
    HalfSender(Exchange* exchange, read::SpillFiles* files, uint32_t parts)
        : shuffle_(exchange, files), parts_(parts) {}

    void TakeHalf(const read::ChannelKey& key, read::Side side, const read::Half& half,
                  uint64_t lost, bool complete) override {
        const uint64_t hash = read::ChannelKeyHash{}(key);
        shuffle_.Add(static_cast<uint32_t>((hash >> 32) % parts_),
                     HalfRecord{key, half, lost, side, complete});
    }
    void Finish() { shuffle_.Finish(); }

private:
    Shuffle<HalfRecord> shuffle_;
    uint32_t parts_;
};

Bytes BytesOf(const std::string& text) {
    return Bytes(text.begin(), text.end());
}

std::string TextOf(const Bytes& bytes) {
    return std::string(bytes.begin(), bytes.end());
}

// The work of one process.
class PartLinker {
public:
    PartLinker(Exchange* exchange, const read::Capture& capture, uint64_t part_rows,
               std::string folder)
        : exchange_(exchange),
          capture_(capture),
          part_rows_(std::max<uint64_t>(1, part_rows)),
          folder_(std::move(folder)),
          spill_(folder_ + "/spill." + std::to_string(exchange->rank())),
          bins_(capture),
          found_(bins_, spill_) {}

    // All processes return the same.
    std::string Run() {
        return Work([this] { WriteRows(); });
    }

    // The curves of the logical clock instead of files.
    std::string FindCurves(read::LogicalCurves* curves) {
        return Work([&] { GatherOrder(curves); });
    }

private:
    int rank() const { return exchange_->rank(); }
    int size() const { return exchange_->size(); }

    template <typename Then>
    std::string Work(Then then) {
        std::error_code code;
        fs::create_directories(spill_, code);
        if (code) error_ = spill_ + ": " + code.message();
        if (!SomethingFailed()) FindRows();
        if (!SomethingFailed()) then();
        const bool failed = SomethingFailed();
        fs::remove_all(spill_, code);
        exchange_->Gather({});  // The folder is whole when everybody's files are gone.
        return failed ? told_ : "";
    }

    void Take(const read::SpillFiles& files) {
        if (error_.empty()) error_ = files.error();
    }

    // Of any process; the first one's reason is told.
    bool SomethingFailed() {
        for (const Bytes& reason : exchange_->Gather(BytesOf(error_))) {
            if (told_.empty()) told_ = TextOf(reason);
        }
        return !told_.empty();
    }

    // Those of one rank stay together: they share its channels. The largest are dealt out first.
    std::vector<const read::Process*> OwnOf(const std::vector<const read::Process*>& all) const {
        std::map<const read::Process*, int32_t> rank_of;
        for (const read::Process* process : all) rank_of[process] = process->rank;
        std::map<int32_t, uint64_t> bytes_of;
        for (const read::Block& block : capture_.blocks()) {
            const auto found = rank_of.find(capture_.processes()[block.process].get());
            if (found != rank_of.end()) bytes_of[found->second] += block.header.payload_bytes;
        }
        std::vector<std::pair<uint64_t, int32_t>> ranks;
        for (const auto& [of, bytes] : bytes_of) ranks.emplace_back(bytes, of);
        std::sort(ranks.begin(), ranks.end(), std::greater<>());
        std::vector<uint64_t> load(static_cast<size_t>(size()));
        std::map<int32_t, int> owner;
        for (const auto& [bytes, of] : ranks) {
            const auto least = std::min_element(load.begin(), load.end());
            *least += bytes;
            owner[of] = static_cast<int>(least - load.begin());
        }
        std::vector<const read::Process*> own;
        for (const read::Process* process : all) {
            const auto found = owner.find(process->rank);
            if (found != owner.end() && found->second == rank()) own.push_back(process);
        }
        return own;
    }

    // So many that one holds `part_rows_` halves, each process as many as the others.
    uint32_t PartsOf(const std::vector<const read::Process*>& all) const {
        std::map<const read::Process*, bool> is_of_pass;
        for (const read::Process* process : all) is_of_pass[process] = true;
        uint64_t records = 0;
        for (const read::Block& block : capture_.blocks()) {
            if (is_of_pass.count(capture_.processes()[block.process].get()) != 0)
                records += block.header.record_count;
        }
        const auto processes = static_cast<uint64_t>(size());
        return static_cast<uint32_t>(processes * (records / part_rows_ / processes + 1));
    }

    void FindRows() {
        uint32_t pass = 0;
        for (const auto& all : read::MatchedPasses(capture_)) {
            read::SpillFiles halves(spill_, "half");
            const uint32_t parts = PartsOf(all);
            collectives_.SetPass(pass++);
            {
                HalfSender sender(exchange_, &halves, parts);
                read::MatchState state(&found_, &collectives_, &sender);
                read::FeedProcesses(capture_, all, OwnOf(all), &state);
                read::FinishChannels(capture_, all, &state.channels);
                sender.Finish();
            }
            for (uint32_t part = static_cast<uint32_t>(rank()); part < parts;
                 part += static_cast<uint32_t>(size())) {
                read::ChannelTable table(&found_);
                halves.Take<HalfRecord>(part, [&](const HalfRecord& record) {
                    table.AddHalf(record.key, record.side, record.half, record.lost,
                                  record.complete);
                });
                read::FinishChannels(capture_, all, &table);
            }
            Take(halves);
        }
    }

    // What tells of the order of clocks goes to process 0.
    void GatherOrder(read::LogicalCurves* curves) {
        read::SpillFiles messages(spill_, "order-message");
        {
            Shuffle<read::MessageRow> shuffle(exchange_, &messages);
            found_.Of(static_cast<const read::MessageRow*>(nullptr))
                .files.Take<read::MessageRow>(0, [&](const read::MessageRow& row) {
                    if (read::ClockOrder::Tells(capture_, row)) shuffle.Add(0, row);
                });
            shuffle.Finish();
        }
        read::SpillFiles collectives(spill_, "order-collective");
        {
            const read::InstanceNumbers numbers(collectives_.lanes(), AllLanes());
            Shuffle<read::CollectiveRow> shuffle(exchange_, &collectives);
            found_.Of(static_cast<const read::CollectiveRow*>(nullptr))
                .files.Take<read::CollectiveRow>(0, [&](read::CollectiveRow& row) {
                    row.instance = numbers.Of(row.instance);
                    shuffle.Add(0, row);
                });
            shuffle.Finish();
        }
        std::string text;
        if (rank() == 0) {
            read::ClockOrder order(capture_);
            messages.Take<read::MessageRow>(
                0, [&](const read::MessageRow& row) { order.AddMessage(row); });
            std::vector<read::CollectiveRow> rows;
            collectives.Take<read::CollectiveRow>(
                0, [&](const read::CollectiveRow& row) { rows.push_back(row); });
            std::vector<const read::CollectiveRow*> pointers;
            for (const read::CollectiveRow& row : rows) pointers.push_back(&row);
            order.AddCollectives(std::move(pointers));
            text = read::CurvesText(order.Solve());
        }
        Take(messages);
        Take(collectives);
        text = TextOf(exchange_->Tell(BytesOf(text), 0));
        if (!read::ReadCurves(text, capture_.clocks().size(), curves) && error_.empty())
            error_ = "the curves of the logical clock were lost";
    }

    void WriteRows() {
        const auto as_it_is = [](auto*) {};
        WriteTable<read::MessageRow>(read::kLinkTables[0], as_it_is);
        WriteTable<read::UnmatchedRow>(read::kLinkTables[1], as_it_is);
        const read::InstanceNumbers numbers(collectives_.lanes(), AllLanes());
        WriteTable<read::CollectiveRow>(read::kLinkTables[2], [&](read::CollectiveRow* row) {
            row->instance = numbers.Of(row->instance);
        });
    }

    std::vector<read::CollectiveLane> AllLanes() {
        const auto& own = collectives_.lanes();
        const auto* begin = reinterpret_cast<const uint8_t*>(own.data());
        std::vector<read::CollectiveLane> all;
        for (const Bytes& bytes :
             exchange_->Gather(Bytes(begin, begin + own.size() * sizeof own[0]))) {
            const size_t count = bytes.size() / sizeof(read::CollectiveLane);
            all.resize(all.size() + count);
            std::copy(bytes.begin(), bytes.end(),
                      reinterpret_cast<uint8_t*>(all.data() + all.size() - count));
        }
        return all;
    }

    template <typename Row, typename Change>
    void WriteTable(const read::LinkTable& table, Change change) {
        FoundRows::Table<Row>& found = found_.Of(static_cast<const Row*>(nullptr));
        exchange_->Sum(&found.rows_of_bins);
        const std::vector<uint32_t> file_of_bin = read::FilesOfBins(found.rows_of_bins, part_rows_);
        const uint32_t count = file_of_bin.back() + 1;
        read::SpillFiles files(spill_, table.name);
        Shuffle<Row> shuffle(exchange_, &files);
        found.files.template Take<Row>(0, [&](Row& row) {
            change(&row);
            shuffle.Add(file_of_bin[bins_.BinOf(read::TimeOf(row))], row);
        });
        shuffle.Finish();
        Take(found.files);
        for (uint32_t file = static_cast<uint32_t>(rank()); file < count;
             file += static_cast<uint32_t>(size())) {
            read::MatchResult rows;
            files.Take<Row>(file, [&](const Row& row) { rows.Add(row); });
            Take(files);
            if (!error_.empty()) return;
            const std::string path =
                (fs::path(folder_) / read::LinkFileName(table.name, file, count)).string();
            if (!writer_.Write(table, rows, path, &error_)) return;
        }
    }

    Exchange* exchange_;
    const read::Capture& capture_;
    uint64_t part_rows_;
    std::string folder_;
    std::string spill_;
    read::RemovedBySignal removed_{
        folder_};  // By each process: the last one to be ended finds it empty.
    read::LinkBins bins_;
    FoundRows found_;
    read::CollectiveTable collectives_;
    read::TableWriter writer_{spill_, 1};  // Other processes of the job have the other cores.
    std::string error_;
    std::string told_;  // The reason of the first process that has one.
};

// Whether it is to be made, and where; all processes return the same.
std::string FolderToMake(Exchange* exchange, const std::shared_ptr<const read::Capture>& capture,
                         read::ClockChoice clock, std::string* error) {
    std::string folder;
    if (exchange->rank() == 0) {
        folder = read::LinkFolder(*capture, clock);
        if (!folder.empty()) {
            const auto database = read::Database::Open(capture, error);
            if (database == nullptr || read::HasLinks(database.get(), folder)) folder.clear();
        }
    }
    return TextOf(exchange->Tell(BytesOf(folder), 0));
}

}  // namespace

std::string LinkInParts(Exchange* exchange, const std::vector<std::string>& folders,
                        uint64_t part_rows, read::ClockChoice clock) {
    std::string error;
    const bool is_logical = clock == read::ClockChoice::kLogical;
    std::shared_ptr<const read::Capture> capture =
        read::Capture::Open(folders, &error, is_logical ? read::ClockChoice::kMeasured : clock);
    for (const Bytes& reason : exchange->Gather(BytesOf(error))) {
        if (!reason.empty()) return TextOf(reason);
    }
    const std::string folder = FolderToMake(exchange, capture, clock, &error);
    if (folder.empty()) return TextOf(exchange->Tell(BytesOf(error), 0));

    // Where process 0 writes; empty: it could not begin.
    const auto work = [&](const std::string& part) {
        const std::string told = TextOf(exchange->Tell(BytesOf(part), 0));
        if (told.empty()) return told;
        if (is_logical) {
            read::LogicalCurves curves;
            if (capture->clocks().size() > 1) {
                const std::string failed =
                    PartLinker(exchange, *capture, part_rows, told).FindCurves(&curves);
                if (!failed.empty()) return failed;
            }
            std::string reason;
            capture = read::Capture::Open(folders, &reason, clock,
                                          [&](const read::Capture&) { return curves; });
            for (const Bytes& told_reason : exchange->Gather(BytesOf(reason))) {
                if (!told_reason.empty()) return TextOf(told_reason);
            }
        }
        return PartLinker(exchange, *capture, part_rows, told).Run();
    };
    if (exchange->rank() != 0) {
        error = work("");
    } else {
        bool begun = false;
        read::MakeLinkFolder(
            folder,
            [&](const std::string& part, std::string* why) {
                begun = true;
                *why = work(part);
                return why->empty() && read::WriteClocks(*capture, part, why);
            },
            &error);
        if (!begun) work("");
    }
    return TextOf(exchange->Tell(BytesOf(error), 0));
}

}  // namespace comshu::link
