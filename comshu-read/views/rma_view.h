// Epochs of one-sided communication and uses of files, as SQL over the records of MPI alone.
#ifndef COMSHU_READ_VIEWS_RMA_VIEW_H_
#define COMSHU_READ_VIEWS_RMA_VIEW_H_

#include <string>

namespace comshu::read {

// What a call opens is closed by the next synchronising call of its kind, window and process (of a
// lock: and target); a transfer belongs to the last epoch that was opened before it and not closed,
// locks before the others. That needs no order between processes. Where records were lost, an epoch
// may lack its end, and a transfer its epoch: it is in a row without one, so that no byte is missing.
//
// `name` and `target`: SQL of a function's name and of a target as a rank of the capture.
std::string RmaEpochSql(const std::string& name, const std::string& target);
extern const char* const kNoRmaEpochs;

// A call of MPI-IO; what only began there is completed by a later call.
std::string FileAccessSql(const std::string& name);
extern const char* const kNoFileAccesses;

}  // namespace comshu::read

#endif  // COMSHU_READ_VIEWS_RMA_VIEW_H_
