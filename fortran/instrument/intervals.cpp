#include "instrument/intervals.h"

#include <algorithm>

namespace comshu::fortran {

int Intervals::NextItem(int line) const {
    for (int i = 0; i < static_cast<int>(s_.model.items.size()); ++i) {
        if (s_.At(i).in_main_file && s_.At(i).line > line) {
            return i;
        }
    }
    return kNoItem;
}

bool Intervals::InOneBlock(const Interval& interval) const {
    const Nesting& first = s_.Nest(interval.first);
    const Nesting& behind = s_.Nest(interval.behind);
    if (first.unit != behind.unit || first.parent != behind.parent) {
        return false;
    }
    for (int i = interval.first; i < interval.behind; ++i) {
        bool next_block = s_.At(i).kind == ItemKind::kElse || s_.At(i).kind == ItemKind::kMiddle ||
                          s_.At(i).kind == ItemKind::kOmpSection;
        if (next_block && s_.Nest(i).parent == first.parent) {
            return false;
        }
    }
    return true;
}

void Intervals::Find() {
    std::vector<Interval> open;
    auto complain = [&](int line, std::string message) {
        MarkedLine place = s_.Counted(line);
        s_.Complain(place.file, place.line, std::move(message));
    };
    for (const DvmDirective& directive : FindDvmDirectives(s_.model.text, s_.form.fixed())) {
        bool begin = directive.word == "interval";
        int item = begin || directive.word == "endinterval" ? NextItem(directive.line) : kNoItem;
        if (item == kNoItem) {
            continue;
        }
        if (begin) {
            std::size_t number = directive.rest.find_first_not_of(" \t");
            Interval interval;
            interval.line = directive.line;
            interval.first = item;
            interval.number = number == std::string::npos ? "" : directive.rest.substr(number);
            open.push_back(std::move(interval));
            continue;
        }
        if (open.empty()) {
            complain(directive.line, "ENDINTERVAL ends no INTERVAL");
            continue;
        }
        Interval interval = std::move(open.back());
        open.pop_back();
        interval.end_line = directive.line;
        interval.behind = item;
        if (!InOneBlock(interval)) {
            complain(directive.line,
                     "ENDINTERVAL stands in another block than its INTERVAL in line " +
                         std::to_string(interval.line));
            continue;
        }
        intervals_.push_back(std::move(interval));
    }
    for (const Interval& interval : open) {
        complain(interval.line, "INTERVAL has no ENDINTERVAL");
    }
    intervals_.erase(std::remove_if(intervals_.begin(), intervals_.end(),
                                    [&](const Interval& i) { return !IsTold(i); }),
                     intervals_.end());
}

bool Intervals::IsTold(const Interval& interval) const {
    int unit = s_.Nest(interval.first).unit;
    return s_.options.levels.At(interval.line) == Level::kPerf &&
           s_.options.levels.At(interval.end_line) == Level::kPerf && unit != kNoItem &&
           !s_.structure.units[unit].untouchable && !s_.Nest(interval.first).closed;
}

Intervals::Lines Intervals::Event(int item, const char* name, Interval& interval) {
    if (interval.handle < 0) {
        Context context;
        context.Add("type", "interval");
        MarkedLine line = s_.Counted(interval.line);
        context.Add("file", line.file);
        context.Add("line1", std::to_string(line.line));
        interval.handle = s_.handles.Add(context);
    }
    Lines lines = s_.SetInt8(
        item, 1, interval.number.empty() ? std::to_string(interval.handle) : interval.number);
    Append(lines, s_.Call(item, name, interval.handle, {s_.Int8(item, 1)}));
    return lines;
}

void Intervals::Insert() {
    auto insert = [&](int line, int item, const char* name, Interval& interval) {
        s_.edits.InsertLines(s_.edits.BeginOfLine(line + 1), Event(item, name, interval),
                             s_.At(item).span.begin, TextEdits::kRankInterval);
    };
    std::vector<std::pair<int, Interval*>> order;
    for (Interval& interval : intervals_) {
        order.emplace_back(interval.line, &interval);
        order.emplace_back(interval.end_line, &interval);
    }
    std::sort(order.begin(), order.end());
    for (auto [line, interval] : order) {
        bool begin = line == interval->line;
        insert(line, begin ? interval->first : interval->behind,
               begin ? "dbg_interval_begin" : "dbg_interval_end", *interval);
    }
}

void Intervals::Around(int item, const std::function<void(int, int, int)>& visit) const {
    for (std::size_t i = 0; i < intervals_.size(); ++i) {
        if (intervals_[i].first <= item && item < intervals_[i].behind) {
            visit(intervals_[i].first, intervals_[i].behind, static_cast<int>(i));
        }
    }
}

Intervals::Lines Intervals::End(int item, int index) {
    return Event(item, "dbg_interval_end", intervals_[index]);
}

}  // namespace comshu::fortran
