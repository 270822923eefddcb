// What a reading holds while the program goes on at any moment of it: each page of the .live file is
// closed to the reader in turn, and where it comes to that page the program records before it goes on.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <set>
#include <string>

#include "comshu/core/record.h"
#include "comshu/read/live_reader.h"
#include "comshu/read/stream_reader.h"
#include "comshu/rec/options.h"
#include "comshu/rec/thread_state.h"
#include "temporary_folder.h"

namespace comshu::read {
namespace {

using testing::TemporaryFolder;

constexpr uint32_t kChunkBytes = 4096;
constexpr uint32_t kChunks = 4;
constexpr uint32_t kCallBytes = core::RecordBytes(sizeof(schema::UserRegion));
constexpr uint32_t kCallsPerChunk = (kChunkBytes - sizeof(core::ChunkHeader)) / kCallBytes;

// A frame of its own: a call in the frame of an open one would end that.
__attribute__((noinline)) void Call() {
    auto* call = rec::Open<schema::UserRegion>(__builtin_frame_address(0));
    ASSERT_NE(call, nullptr);
    rec::Begin(call);
    rec::Stop(call);
    rec::End(call);
}

void CallTimes(uint32_t calls) {
    for (uint32_t i = 0; i < calls; ++i) Call();
}

// The .live file as a reader maps it, with one page that is closed until it is touched.
class LivePages {
public:
    explicit LivePages(const std::string& path) {
        const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
        struct stat status {};
        if (fd >= 0 && fstat(fd, &status) == 0) {
            size_ = static_cast<size_t>(status.st_size);
            void* data = mmap(nullptr, size_, PROT_READ, MAP_SHARED, fd, 0);
            if (data != MAP_FAILED) data_ = static_cast<uint8_t*>(data);
        }
        close(fd);
        self_ = this;
        struct sigaction action {};
        action.sa_sigaction = &LivePages::AtFault;
        action.sa_flags = SA_SIGINFO;
        sigaction(SIGSEGV, &action, &before_);
    }
    ~LivePages() {
        sigaction(SIGSEGV, &before_, nullptr);
        if (data_ != nullptr) munmap(data_, size_);
        self_ = nullptr;
    }
    LivePages(const LivePages&) = delete;
    LivePages& operator=(const LivePages&) = delete;

    const uint8_t* data() const { return data_; }
    size_t size() const { return size_; }
    size_t pages() const { return size_ / page_; }

    void Close(size_t page, std::function<void()> at_touch) {
        closed_ = data_ + page * page_;
        at_touch_ = std::move(at_touch);
        mprotect(closed_, page_, PROT_NONE);
    }
    // False: nobody came by.
    bool Reopen() {
        if (closed_ == nullptr) return true;
        mprotect(closed_, page_, PROT_READ);
        closed_ = nullptr;
        return false;
    }

private:
    static void AtFault(int, siginfo_t* info, void*) {
        const auto* address = static_cast<uint8_t*>(info->si_addr);
        LivePages* self = self_;
        if (self->closed_ == nullptr || address < self->closed_ ||
            address >= self->closed_ + self->page_) {
            signal(SIGSEGV, SIG_DFL);  // A fault of another kind: let it happen.
            return;
        }
        self->Reopen();
        self->at_touch_();
    }

    static LivePages* self_;
    const size_t page_ = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    uint8_t* data_ = nullptr;
    size_t size_ = 0;
    uint8_t* closed_ = nullptr;
    std::function<void()> at_touch_;
    struct sigaction before_ {};
};

LivePages* LivePages::self_ = nullptr;

// Numbers of the calls of a thread that a reading holds, in whatever state.
class Reading {
public:
    Reading(const LivePages& pages, const std::string& stream_path) {
        std::string error;
        const auto live = LiveReader::Copy(pages.data(), pages.size(), &error);
        EXPECT_NE(live, nullptr) << error;
        const auto stream = StreamReader::Open(stream_path, &error);
        EXPECT_NE(stream, nullptr) << error;
        if (live == nullptr || stream == nullptr) return;
        std::pair<uint64_t, uint64_t> covered;
        for (const Frame& frame : stream->frames()) {
            if (frame.header.thread == core::kDefinitionsThread) continue;
            covered = std::max(covered, {frame.header.last_chunk, frame.header.last_offset});
            Take(frame.payload, frame.header.payload_bytes);
        }
        for (const LiveChunk& chunk : live->chunks()) {
            if (chunk.number < covered.first) continue;
            const size_t skip = chunk.number == covered.first ? covered.second : 0;
            if (skip < chunk.bytes.size())
                Take(chunk.bytes.data() + skip, chunk.bytes.size() - skip);
        }
        for (const LiveThread& thread : live->threads())
            for (const auto& span : thread.open_spans) calls_.insert(Number(span.data()));
    }

    const std::set<uint64_t>& calls() const { return calls_; }

private:
    static uint64_t Number(const uint8_t* record) {
        uint64_t span;
        std::memcpy(&span, record + sizeof(core::RecordPrefix) + 16, sizeof span);
        return span;
    }
    void Take(const uint8_t* records, size_t bytes) {
        const auto* at = reinterpret_cast<const std::byte*>(records);
        for (size_t i = 0; core::IsWholeRecord(at + i, bytes - i);) {
            const core::RecordPrefix prefix = core::ReadPrefix(at + i);
            if (prefix.type == schema::RecordTraits<schema::UserRegion>::kType) {
                EXPECT_TRUE(calls_.insert(Number(records + i)).second) << "twice";
            }
            i += prefix.bytes;
        }
    }

    std::set<uint64_t> calls_;
};

std::string FileIn(const std::string& folder, const std::string& suffix) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        if (entry.path().string().ends_with(suffix)) return entry.path();
    return "";
}

TEST(RunningRead, WhatIsRecordedDuringAReadingLeavesNoHole) {
    TemporaryFolder folder;
    rec::Options options;
    std::snprintf(options.folder, sizeof options.folder, "%s", folder.path().c_str());
    std::snprintf(options.live_folder, sizeof options.live_folder, "%s", folder.path().c_str());
    options.chunk_bytes = kChunkBytes;
    options.chunks = kChunks;
    options.definitions_bytes = 8192;
    options.writing = rec::Writing::kRaw;
    options.drain_thread = false;  // Full rings are written by their thread, in part.
    options.wait_ms = 10'000;
    options.wait_total_ms = 600'000;
    ASSERT_TRUE(rec::Start(options));
    CallTimes(1);
    const std::string stream = FileIn(folder.path(), ".cst");
    {
        LivePages pages(FileIn(folder.path(), ".live"));
        ASSERT_NE(pages.data(), nullptr);
        size_t touched = 0;
        uint32_t round = 0;
        uint64_t issued = 1;
        for (const bool flush : {false, true}) {
            for (const uint32_t more :
                 {1u, kCallsPerChunk, kCallsPerChunk * 3 / 2, kCallsPerChunk * (kChunks + 1)}) {
                for (size_t page = 0; page < pages.pages(); ++page) {
                    SCOPED_TRACE("page " + std::to_string(page) + ", " + std::to_string(more) +
                                 (flush ? " calls after a flush" : " calls"));
                    // Reading begins at any place of the ring and of a chunk.
                    const uint32_t first = ++round * 37 % (3 * kCallsPerChunk);
                    CallTimes(first);
                    auto* open = rec::Open<schema::UserRegion>(__builtin_frame_address(0));
                    ASSERT_NE(open, nullptr);
                    rec::Begin(open);
                    issued += first + 1;
                    bool ended = false;
                    const auto go_on = [&] {
                        if (flush) rec::Flush();
                        rec::Stop(open);
                        rec::End(open);
                        ended = true;
                        CallTimes(more);
                    };
                    pages.Close(page, go_on);
                    const Reading reading(pages, stream);
                    if (pages.Reopen()) ++touched;
                    EXPECT_GE(reading.calls().size(), issued);
                    uint64_t expected = core::SpanId(0, 1);
                    for (const uint64_t call : reading.calls()) ASSERT_EQ(call, expected++);
                    if (!ended) go_on();
                    issued += more;
                    if (::testing::Test::HasFailure()) break;
                }
            }
        }
        // The header and the slot's head at least are looked at in each reading.
        EXPECT_GE(touched, size_t{8 * 3});
    }
    rec::End(static_cast<uint8_t>(schema::EndReason::finished), 0);
    rec::ResetAfterEnd();
}

}  // namespace
}  // namespace comshu::read
