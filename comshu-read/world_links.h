// Communicators between worlds of MPI, which each world numbers for itself.
#ifndef COMSHU_READ_WORLD_LINKS_H_
#define COMSHU_READ_WORLD_LINKS_H_

#include <cstdint>
#include <unordered_map>

#include "comshu/read/capture.h"

namespace comshu::read {

// Problem: the number of a communicator is a hash of what all its members know, and where some are of
// another world (MPI_Comm_spawn, MPI_Comm_connect) they know nothing in common. Idea: put together
// afterwards what the sides say of it (record MpiCommAcross). A spawned world belongs to the first spawn
// of its job that ended after the world had begun, with the sizes of both groups swapped and the process
// that is told among its members. What met at a port belongs together in order of time. What was made
// of one parent, on all sides, is told by its place among them.
// Assumes clocks that are right to within the time that it takes to start a process. Costs a look at the
// definitions where there are several worlds. Returns the numbers that stand for the same
// communicator as another: key, and the number of the world that comes first.
std::unordered_map<uint64_t, uint64_t> UniteComms(const Capture& capture);

}  // namespace comshu::read

#endif  // COMSHU_READ_WORLD_LINKS_H_
