// Nests the slices of a thread that come in any order.
#ifndef COMSHU_FORMATS_CHROME_SLICE_WINDOW_H_
#define COMSHU_FORMATS_CHROME_SLICE_WINDOW_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace comshu::format::chrome {

struct Slice {
    int64_t begin = 0;
    int64_t end = 0;
    uint64_t name = 0;
    int32_t function = -1;  // Of MPI; -1: none.
    uint8_t category = 0;
    uint64_t order = 0;  // In the file.
};

// Problem: writers put slices in order of their begin or of their end, or of neither, and a slice says
// nothing of the one it is inside. Idea: a window of slices is sorted by begin, and its older half
// leaves with a stack that knows what is open. A slice that comes later than a whole window after what
// it encloses encloses nothing. Cost: a window per thread.
class SliceWindow {
public:
    static constexpr size_t kSlices = 16384;

    // `emit(slice, parent)` returns the id of the span it makes; `parent`: that of the enclosing one,
    // 0: none.
    template <typename Emit>
    void Add(const Slice& slice, Emit emit) {
        window_.push_back(slice);
        if (window_.size() >= kSlices) Leave(kSlices / 2, emit);
    }
    template <typename Emit>
    void Finish(Emit emit) {
        Leave(window_.size(), emit);
    }

private:
    struct Open {
        int64_t end;
        int64_t begin;
        uint64_t id;
    };

    void Sort();

    template <typename Emit>
    void Leave(size_t count, Emit emit) {
        Sort();
        for (size_t i = 0; i < count; ++i) {
            const Slice& slice = window_[i];
            while (!open_.empty() && open_.back().end <= slice.begin) open_.pop_back();
            // The innermost one that holds all of it.
            uint64_t parent = 0;
            for (size_t k = open_.size(); k-- > 0 && parent == 0;) {
                if (open_[k].begin <= slice.begin && open_[k].end >= slice.end)
                    parent = open_[k].id;
            }
            const uint64_t id = emit(slice, parent);
            open_.push_back({slice.end, slice.begin, id});
        }
        window_.erase(window_.begin(), window_.begin() + static_cast<ptrdiff_t>(count));
    }

    std::vector<Slice> window_;
    std::vector<Open> open_;
};

}  // namespace comshu::format::chrome

#endif  // COMSHU_FORMATS_CHROME_SLICE_WINDOW_H_
