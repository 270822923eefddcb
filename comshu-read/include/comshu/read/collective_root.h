// Who is the root of a collective operation.
#ifndef COMSHU_READ_COLLECTIVE_ROOT_H_
#define COMSHU_READ_COLLECTIVE_ROOT_H_

#include <cstdint>

namespace comshu::read {

// What a member gives as root: a rank, or, on an intercommunicator, one of these two.
constexpr int32_t kGivenRoot = -3;    // MPI_ROOT: the member is the root.
constexpr int32_t kGivenNobody = -2;  // MPI_PROC_NULL: of the root's group, and takes no part.

enum class RootPart : uint8_t { kOther, kRoot, kNone };

// Whether the operation is on an intercommunicator, as far as this member tells.
constexpr bool TellsOfTwoGroups(int32_t given) {
    return given == kGivenRoot || given == kGivenNobody;
}

// `two_groups`: a member of the operation told of them. There a rank is one of the other group, and no
// member's own number.
constexpr RootPart RootPartOf(int32_t given, int32_t comm_rank, bool two_groups) {
    if (given == kGivenRoot) return RootPart::kRoot;
    if (given == kGivenNobody) return RootPart::kNone;
    return !two_groups && given >= 0 && given == comm_rank ? RootPart::kRoot : RootPart::kOther;
}

}  // namespace comshu::read

#endif  // COMSHU_READ_COLLECTIVE_ROOT_H_
