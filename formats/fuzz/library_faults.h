// Faults of a library told apart from those of what is fuzzed.
#ifndef COMSHU_FORMATS_FUZZ_LIBRARY_FAULTS_H_
#define COMSHU_FORMATS_FUZZ_LIBRARY_FAULTS_H_

namespace comshu::format {

// How a process ends that was told by EndInFault.
constexpr int kLibraryFault = 66;
constexpr int kOwnFault = 67;

// Problem: the library may not survive a damaged file, which is no finding; what it calls back may not
// survive it either, which is one. Idea: whose is the innermost function on the stack that belongs to
// one of them? Ours are known by the table of what clang instrumented, those of the library by the
// object they lie in. From here on this process ends with one of the codes above on a signal, on a
// report of a sanitizer and after `seconds`. `quiet`: without a report.
void EndInFault(const char* library, unsigned seconds, bool quiet);

// Problem: what a forked copy ran through is not seen by libFuzzer. Idea: the copy puts its counters
// into memory of both, where libFuzzer looks for more of them. Before the first fork.
void ShareCoverage();
// In the copy, at its end; EndInFault does it on faults.
void HandOverCoverage();

}  // namespace comshu::format

#endif  // COMSHU_FORMATS_FUZZ_LIBRARY_FAULTS_H_
