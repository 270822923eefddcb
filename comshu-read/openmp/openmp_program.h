// Programs whose times are chosen, as captures, and questions to them.
#ifndef COMSHU_READ_OPENMP_OPENMP_PROGRAM_H_
#define COMSHU_READ_OPENMP_OPENMP_PROGRAM_H_

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "comshu/read/database.h"
#include "comshu/read/query.h"
#include "comshu/schema/openmp_traits.h"
#include "stream_writer.h"
#include "temporary_folder.h"

namespace comshu::read {

using schema::OmpConstructKind;
using schema::OmpFunction;
using testing::StreamWriter;
using testing::TemporaryFolder;

constexpr int32_t kNoInt = std::numeric_limits<int32_t>::min();

// A process whose spans are opened in the order of calls, per thread.
class OpenmpProgram {
public:
    explicit OpenmpProgram(const TemporaryFolder& folder,
                           const std::string& name = "node0.1000.0.cst")
        : writer_(folder.File("run/" + name), {}) {}

    void Construct(uint64_t construct, OmpConstructKind kind, uint32_t line,
                   const std::string& context = "") {
        writer_.Define(schema::OmpConstruct(construct, writer_.Intern(context + " "),
                                            writer_.Intern("a.f90"), 0, line, line + 1, kind));
    }
    // Opens a span on a thread; Close gives it its end and writes it.
    template <typename Record>
    void Open(uint32_t thread, int64_t begin, Record record) {
        Lane& lane = lanes_[thread];
        const uint64_t number = core::SpanId(thread, ++lane.spans);
        const uint64_t parent = lane.open.empty() ? number : lane.open.back();
        record.mutable_head() =
            schema::SpanHead(writer_.Ticks(begin), 0, number,
                             static_cast<uint32_t>(number - parent), schema::SpanFlags::NONE);
        lane.open.push_back(number);
        lane.close.push_back([this, thread, record](int64_t end) mutable {
            record.mutable_head().mutate_end(writer_.Ticks(end));
            writer_.Add(thread, record);
        });
    }
    void Close(uint32_t thread, int64_t end) {
        Lane& lane = lanes_[thread];
        auto close = std::move(lane.close.back());
        lane.close.pop_back();
        lane.open.pop_back();
        close(end);
    }
    // A span that never ends.
    template <typename Record>
    void Still(uint32_t thread, int64_t begin, Record record) {
        Open(thread, begin, record);
        Lane& lane = lanes_[thread];
        record.mutable_head() = schema::SpanHead(
            writer_.Ticks(begin), 0, lane.open.back(),
            lane.open.size() < 2 ? 0
                                 : static_cast<uint32_t>(lane.open.back() - lane.open.end()[-2]),
            schema::SpanFlags::NONE);
        writer_.Add(thread, record);
    }
    void Region(uint32_t thread, int64_t begin, uint64_t construct, uint64_t region) {
        Open(thread, begin,
             schema::OmpRegion({}, 0, construct, region, kNoInt, kNoInt, 2, OmpFunction::parallel));
    }
    void Task(uint32_t thread, int64_t begin, uint64_t construct, uint64_t region) {
        Member(thread, begin, construct, region, thread, 2);
    }
    void Member(uint32_t thread, int64_t begin, uint64_t construct, uint64_t region,
                uint32_t number, uint32_t size) {
        Open(thread, begin,
             schema::OmpImplicitTask({}, 0, construct, region, number, size,
                                     OmpFunction::implicit_task));
    }
    void Loop(uint32_t thread, int64_t begin, uint64_t construct, int64_t last, int32_t chunk) {
        Open(thread, begin,
             schema::OmpLoop({}, 0, construct, 1, last, 1, chunk, OmpFunction::loop));
    }
    // As a runtime tells it, that knows the number of all iterations.
    void StaticLoop(uint32_t thread, int64_t begin, uint64_t construct, int64_t iterations) {
        Open(thread, begin,
             schema::OmpLoop({}, construct, construct, 0, iterations - 1, 1, kNoInt,
                             OmpFunction::loop));
    }
    void Chunk(uint32_t thread, int64_t ns, int64_t first, uint64_t iterations) {
        writer_.Add(thread, schema::OmpChunk({writer_.Ticks(ns), lanes_[thread].open.back()}, first,
                                             iterations));
    }
    void Block(uint32_t thread, int64_t begin, int64_t end, uint64_t construct,
               OmpFunction function) {
        Open(thread, begin, schema::OmpBlock({}, 0, construct, 0, function));
        Close(thread, end);
    }
    void Wait(uint32_t thread, int64_t begin, int64_t end, uint64_t construct,
              OmpFunction function) {
        Open(thread, begin, schema::OmpWait({}, 0, construct, function));
        Close(thread, end);
    }
    void Interval(uint32_t thread, int64_t begin, uint64_t construct, int64_t number = 7) {
        Open(thread, begin, schema::OmpInterval({}, 0, construct, number, OmpFunction::interval));
    }
    void Procedure(uint32_t thread, int64_t begin, uint64_t construct) {
        Open(thread, begin, schema::OmpProcedure({}, 0, construct, OmpFunction::procedure));
    }
    void Iterations(uint32_t thread, int64_t ns, const std::vector<int64_t>& indexes) {
        for (const int64_t index : indexes)
            writer_.Add(thread,
                        schema::OmpIteration({writer_.Ticks(ns), lanes_[thread].open.back()}, index,
                                             schema::OmpIterationKind::told));
    }
    void Variable(uint64_t construct, int type) {
        Construct(construct, OmpConstructKind::var_name, 2,
                  "40*type=var_name*vtype=" + std::to_string(type) + "**");
    }
    void Access(int64_t ns, uint64_t variable, uint64_t value, uint64_t high, uint32_t bytes,
                schema::OmpValueKind kind = schema::OmpValueKind::bits) {
        writer_.Add(0, schema::OmpAccess({writer_.Ticks(ns), 0}, 4096, variable, 1, value, high,
                                         bytes, schema::OmpAccessKind::write_end, kind));
    }
    // As of a process that was killed.
    void Stop() { writer_.Flush(); }
    void End(int64_t ns) { writer_.End(writer_.Ticks(ns), schema::EndReason::finished); }

private:
    struct Lane {
        uint64_t spans = 0;
        std::vector<uint64_t> open;
        std::vector<std::function<void(int64_t)>> close;
    };
    StreamWriter writer_;
    std::map<uint32_t, Lane> lanes_;
};

class OpenmpViews : public ::testing::Test {
protected:
    void Read() {
        std::string error;
        std::shared_ptr<const Capture> capture = Capture::Open({folder_.path()}, &error);
        ASSERT_TRUE(capture) << error;
        database_ = Database::Open(std::move(capture), &error);
        ASSERT_TRUE(database_) << error;
    }
    // The rows of a query, columns joined by blanks.
    std::vector<std::string> Rows(const std::string& sql) {
        Query query;
        std::string error;
        EXPECT_TRUE(query.Run(database_.get(), sql, &error)) << error;
        std::vector<std::string> rows;
        while (query.Next()) {
            std::string text;
            for (size_t column = 0; column < query.columns().size(); ++column)
                text.append(column == 0 ? "" : " ").append(query.Text(column));
            rows.push_back(text);
        }
        EXPECT_EQ(query.error(), "");
        return rows;
    }

    // Two threads share a loop: one works 400 ns of it, the other 670.
    void WriteSharedLoop() {
        OpenmpProgram program(folder_);
        program.Construct(1, OmpConstructKind::function, 1);
        program.Construct(10, OmpConstructKind::parallel, 5);
        program.Construct(20, OmpConstructKind::omploop, 6,
                          "1*type=omploop*schedule=DYNAMIC*chunk_size=2**");
        program.Construct(21, OmpConstructKind::barrier, 9);
        program.Construct(30, OmpConstructKind::critical, 7);
        program.Procedure(0, 0, 1);
        program.Region(0, 100, 10, 1);
        program.Task(0, 110, 10, 1);
        program.Loop(0, 120, 20, 8, 2);
        program.Iterations(0, 130, {1, 2, 5, 6});
        program.Wait(0, 520, 880, 21, OmpFunction::implicit_barrier_wait);
        program.Close(0, 880);
        program.Close(0, 900);
        program.Wait(0, 900, 1000, 10, OmpFunction::implicit_barrier_wait);
        program.Close(0, 1000);
        program.Close(0, 1100);
        program.Task(1, 130, 10, 1);
        program.Loop(1, 140, 20, 8, 2);
        program.Iterations(1, 150, {3, 4, 7, 8});
        program.Wait(1, 200, 250, 30, OmpFunction::critical_wait);
        program.Block(1, 250, 300, 30, OmpFunction::critical);
        program.Wait(1, 860, 880, 21, OmpFunction::implicit_barrier_wait);
        program.Close(1, 880);
        program.Close(1, 890);
        program.End(1100);
    }

    TemporaryFolder folder_;
    std::unique_ptr<Database> database_;
};

}  // namespace comshu::read

#endif  // COMSHU_READ_OPENMP_OPENMP_PROGRAM_H_
