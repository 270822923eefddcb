#ifndef COMSHU_FOLLOW_H_
#define COMSHU_FOLLOW_H_

#include <string>
#include <vector>

namespace comshu {

// Shows how a run goes until it has ended: on a terminal the report, again and again, else a line per
// look. Reading a capture anew costs more the larger it is: the pause between two looks is at least
// four times what a look takes. Throws CommandError if there is no capture.
void Follow(const std::vector<std::string>& folders, double every_seconds);

}  // namespace comshu

#endif  // COMSHU_FOLLOW_H_
