#include "layer/caller.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "layer/call.h"
#include "layer/chain.h"

#ifdef __SANITIZE_THREAD__
// The loader's data is guarded by the loader's lock, which ThreadSanitizer does not see.
extern "C" const char* __tsan_default_suppressions() {
    return "race:dl_iterate_phdr\n";
}
#endif

namespace qmpi {
namespace {

// A record has the frame in it; a word of the stack has it in its place among the thread's last ones,
// until another one takes the place.
TEST(QmpiFrameOfCaller, OfARecordOrOfTheLastCallInItsPlace) {
    int frame = 0, other = 0;
    QmpiRecord records[20] = {};
    records[0].caller_frame = &frame;
    EXPECT_EQ(QmpiFrameOfCaller(&records[0].call), &frame);

    const auto* word = reinterpret_cast<const QMPI_Call*>(&records[0].caller_frame);
    const auto* elsewhere = reinterpret_cast<const QMPI_Call*>(&records[1].caller_frame);
    const auto* same_place =
        reinterpret_cast<const QMPI_Call*>(&records[kQmpiCallersFrames].caller_frame);
    const auto place = [](const QMPI_Call* call) -> QmpiCallersFrame& {
        return qmpi_callers_frames[reinterpret_cast<uintptr_t>(call) / 16 % kQmpiCallersFrames];
    };
    place(word) = {word, &frame};
    place(elsewhere) = {elsewhere, &other};
    EXPECT_EQ(QmpiFrameOfCaller(word), &frame);
    EXPECT_EQ(QmpiFrameOfCaller(elsewhere), &other);
    EXPECT_EQ(QmpiFrameOfCaller(same_place), nullptr);
    place(same_place) = {same_place, &other};
    EXPECT_EQ(QmpiFrameOfCaller(word), nullptr);
}

class Library {
public:
    explicit Library(const char* name)
        : handle_(dlopen((std::string(QMPI_SAMPLE_FOLDER "/lib") + name + ".so").c_str(),
                         RTLD_NOW | RTLD_LOCAL)) {}
    ~Library() { Close(); }
    void Close() {
        if (handle_ != nullptr) {
            dlclose(handle_);
            handle_ = nullptr;
        }
    }
    char* Code() const { return static_cast<char*>(dlsym(handle_, "sample_call")); }

private:
    void* handle_;
};

TEST(Caller, ExecutableAndItsLibrariesAreTheApplication) {
    EXPECT_EQ(Classify(reinterpret_cast<void*>(&dlopen)), Caller::kApplication);
    EXPECT_EQ(Classify(reinterpret_cast<void*>(&ForgetCallers)), Caller::kLayer)
        << "the object that holds the layer, here the test itself";
    const Library plain("sample_plain");
    EXPECT_EQ(Classify(plain.Code()), Caller::kApplication);
}

TEST(Caller, MpiAndItsFortranBindingAreKnownByWhatTheyExport) {
    const Library mpi("sample_relro");
    const Library fortran("sample_fortran");
    EXPECT_EQ(Classify(mpi.Code()), Caller::kMpi);
    EXPECT_EQ(Classify(fortran.Code()), Caller::kFortran);
    const Library plain("sample_plain");
}

TEST(Caller, FortranCountsForTheRoutineThatTheThunkAnnounced) {
    const Library fortran("sample_fortran");
    const Library plain("sample_plain");
    qmpi_fortran_call = {fortran.Code(), 5 + 1, nullptr};
    EXPECT_EQ(QmpiFortranCaller(4), nullptr) << "a helper before the call";
    EXPECT_EQ(QmpiFortranCaller(5), nullptr) << "an address of no application";
    qmpi_fortran_call = {plain.Code(), 5 + 1, nullptr};
    EXPECT_EQ(QmpiFortranCaller(5), plain.Code());
    EXPECT_EQ(QmpiFortranCaller(5), nullptr) << "a helper after the call";
}

TEST(Caller, AnUnloadedLibraryIsForgotten) {
    Library mpi("sample_relro");
    char* code = mpi.Code();
    EXPECT_EQ(Classify(code), Caller::kMpi);
    mpi.Close();
    EXPECT_EQ(Classify(code), Caller::kNoObject);
    const Library plain("sample_plain");
    EXPECT_EQ(Classify(plain.Code()), Caller::kApplication);
}

TEST(Caller, CodeMadeAtRunTimeIsTheApplications) {
    void* page = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 2; i++) {  // searched, then cached
        EXPECT_EQ(Classify(page), Caller::kNoObject);
    }
    EXPECT_TRUE(IsByApplication(Caller::kNoObject));
    munmap(page, 4096);
}

TEST(Caller, ThreadsAskWhileLibrariesComeAndGo) {
    const Library mpi("sample_relro");
    char* code = mpi.Code();
    std::atomic<bool> stop{false};
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++) {
        threads.emplace_back([&, i] {
            for (int n = 0; !stop; n = (n + 1) % 4) {
                wrong += Classify(code + n) != Caller::kMpi;
                wrong += Classify(reinterpret_cast<char*>(&dlopen) + i) != Caller::kApplication;
            }
        });
    }
    for (int i = 0; i < 200; i++) {
        Library fortran("sample_fortran");
        wrong += Classify(fortran.Code()) != Caller::kFortran;
    }
    stop = true;
    for (auto& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace qmpi
