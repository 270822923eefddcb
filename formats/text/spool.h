// A trace that comes through a pipe, as a file.
#ifndef COMSHU_FORMATS_TEXT_SPOOL_H_
#define COMSHU_FORMATS_TEXT_SPOOL_H_

#include <functional>
#include <string>
#include <string_view>

namespace comshu::format {

// Pipes, sockets, terminals: what can be read once.
bool IsStream(const std::string& path);

// Problem: a reader looks at a file more than once, and a pipe gives its bytes once and maybe never. Idea:
// they go to a file first; waiting looks at `stopped` all the time, for a writer that has not come, too.
// `accepts`: of the first bytes, false to leave off, with its reason in *error. The file at `to` is the
// caller's to remove, whatever the end.
bool Spool(const std::string& path, const std::string& to,
           const std::function<bool(std::string_view)>& accepts,
           const std::function<bool()>& stopped, std::string* error);

}  // namespace comshu::format

#endif  // COMSHU_FORMATS_TEXT_SPOOL_H_
