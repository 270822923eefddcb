#include "chrome/slice_window.h"

#include <algorithm>

namespace comshu::format::chrome {

void SliceWindow::Sort() {
    std::sort(window_.begin(), window_.end(), [](const Slice& a, const Slice& b) {
        if (a.begin != b.begin) return a.begin < b.begin;
        if (a.end != b.end) return a.end > b.end;
        return a.order < b.order;
    });
}

}  // namespace comshu::format::chrome
