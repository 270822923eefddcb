// The generated table of wrappers (generate_wrappers.py): one per function of this MPI.
#ifndef COMSHU_PROVIDERS_MPI_WRAPPERS_H_
#define COMSHU_PROVIDERS_MPI_WRAPPERS_H_

#include <cstddef>

namespace comshu::provider::mpi {

struct Wrapper {
    int number;  // Of the function, in QMPI's enum.
    void (*function)();
};

// The wrappers of one generated source file.
struct WrapperPart {
    const Wrapper* wrappers;
    size_t count;
};
extern const WrapperPart kWrapperParts[];
extern const size_t kWrapperPartCount;

// Functions that move no data, complete nothing and make nothing.
extern const int kPlainFunctions[];
extern const size_t kPlainFunctionCount;

}  // namespace comshu::provider::mpi

#endif  // COMSHU_PROVIDERS_MPI_WRAPPERS_H_
