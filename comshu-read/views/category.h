// What kind of work a call does: column `category` of view `span`.
#ifndef COMSHU_READ_VIEWS_CATEGORY_H_
#define COMSHU_READ_VIEWS_CATEGORY_H_

#include <string_view>

namespace comshu::read {

// Of an MPI function by its C name: p2p collective wait probe rma sync io comm init other.
// Synchronisation of one-sided communication (MPI_Win_fence, _lock, _flush ...) is `sync`, making and
// freeing windows `rma`; calls that make, free or ask about communicators, groups and topologies are
// `comm`, collective ones too.
std::string_view MpiCategory(std::string_view function);

}  // namespace comshu::read

#endif  // COMSHU_READ_VIEWS_CATEGORY_H_
