// What communicators are called.
#ifndef COMSHU_READ_COMM_NAMES_H_
#define COMSHU_READ_COMM_NAMES_H_

#include <cstdint>
#include <map>
#include <string>

#include "comshu/read/capture.h"

namespace comshu::read {

// By number: what the program named it (MPI_Comm_set_name, the last one on the lowest process), or MPI
// itself (MPI_COMM_WORLD ...); else a number in the order in which they were made, and what it is made
// of: comm 2 (3 of 8 ranks of MPI_COMM_WORLD).
std::map<uint64_t, std::string> NameComms(const Capture& capture);

}  // namespace comshu::read

#endif  // COMSHU_READ_COMM_NAMES_H_
