#include "picl/imported_marks.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "each_row.h"
#include "picl/events_1992.h"
#include "picl/line_1992.h"
#include "picl/old_line.h"
#include "text/tokens.h"

namespace comshu::format::picl {
namespace {

constexpr int64_t kMostNumber = 2'000'000'000;
constexpr std::string_view kOutOfMemory = ": ran out of memory";

constexpr int64_t kOpenEvent = -11;
constexpr int64_t kCloseEvent = -12;
constexpr int64_t kClockSyncEvent = -401;
constexpr int64_t kTracing = -901;
constexpr int64_t kLevel = -904;
constexpr int64_t kMessageText = -911;
constexpr int64_t kFull = -913;

enum Column : size_t { kRecord = 3, kEvent, kValue0, kCount = 8, kLine };

bool IsNumber(int64_t number) {
    return number >= 0 && number <= kMostNumber;
}
int64_t NumberOf(const Numbers& numbers, const std::string& name) {
    const auto found = numbers.find(name);
    return found == numbers.end() ? 0 : found->second;
}
// K of "WORD K".
bool NumberIn(std::string_view name, std::string_view word, int64_t* number) {
    if (!name.starts_with(word)) return false;
    name.remove_prefix(word.size());
    const auto [end, code] = std::from_chars(name.data(), name.data() + name.size(), *number);
    return code == std::errc() && end == name.data() + name.size() && IsNumber(*number);
}
// Of "block or mark K is NAME".
bool NameIn(std::string_view text, int64_t* number, std::string* name) {
    const size_t is = text.find(kNameFollows);
    if (is == text.npos || !NumberIn(text.substr(0, is), kNameBegins, number)) return false;
    *name = text.substr(is + kNameFollows.size());
    return !name->empty();
}
std::string NameOfEvent(int64_t event) {
    const EventShape* shape = FindEvent(event);
    return shape != nullptr ? std::string(shape->name) : fmt::format("event {}", event);
}
// A record of its own in the old format.
bool HasOldRecord(int64_t event) {
    return event == kOpenEvent || event == kCloseEvent || event == kClockSyncEvent ||
           event == kTracing || event == kLevel || event == kMessageText || event == kFull;
}

// "3 2 10 20 30": as many as are announced.
std::string ArrayOf(std::string_view text, int64_t size) {
    Tokens words(text);
    std::string values;
    int64_t found = 0;
    int64_t value = 0;
    while (found < size && !words.done()) {
        if (!words.NextInteger(&value)) {
            words.Next();
            continue;
        }
        values += fmt::format(" {}", value);
        ++found;
    }
    return found == 0 ? "0" : fmt::format("{} 2{}", found, values);
}

// The text of a trace message without its length before it.
std::string_view MessageOf(const Line1992& line) {
    Tokens words(line.data);
    int64_t length = 0;
    if (line.format.find("%d") == 0 && line.format.find("%s") != line.format.npos &&
        words.NextInteger(&length)) {
        return words.rest();
    }
    return line.data;
}

}  // namespace

const char* const kOldMarksSql = R"(SELECT rank, thread, time_ns, record, 0, value0, value1, value2,
    "values", coalesce(text, ''), line FROM picl_record
WHERE descriptor IS DISTINCT FROM -1 AND form < 2
    AND record NOT IN (4, 6, 7, 8, 10, 11, 12, 18, 20, 21, 24))";
const char* const kMarksOf1992Sql = R"(SELECT rank, thread, time_ns, record, event, value0, value1,
    value2, "values", coalesce(text, ''), line FROM picl_record
WHERE descriptor IS DISTINCT FROM -1 AND form = 2 AND (record = -2 OR (record IN (-3, -4)
    AND event IN (-11, -12, -901, -902, -904, -905, -911, -913, -914))))";

ImportedMark MarkAs1992(const read::Query& row, const Numbers& numbers) {
    ImportedMark mark;
    mark.record = kEventMark;
    const int64_t record = row.Integer(kRecord);
    for (size_t i = 0; i < 3; ++i) mark.values[i] = row.Integer(kValue0 + i);
    const int64_t count = row.Integer(kCount);
    const std::string text = row.Text(kLine);
    OldLine line;
    LineError ignored;
    if (!text.empty() && !ParseOldLine(text, &line, &ignored)) line = {};
    const std::string levels =
        fmt::format("3 2 {} {} {}", mark.values[0], mark.values[1], mark.values[2]);
    const auto named = [&](const std::string& name) { mark.event = NumberOf(numbers, name); };
    switch (record) {
        case kTraceStart:
            mark.order = ImportedMark::Order::kFirst;
            mark.record = kEventEntry;
            mark.event = kTracing;
            mark.text = levels;
            break;
        case kTraceLevel:
            mark.event = kLevel;
            mark.text = levels;
            break;
        case kTraceExit:
            mark.order = ImportedMark::Order::kLast;
            mark.record = kEventExit;
            mark.event = kTracing;
            break;
        case kOpen:
        case kClose:
            mark.event = record == kOpen ? kOpenEvent : kCloseEvent;
            break;
        case kClockSync:
            mark.event = kClockSyncEvent;
            break;
        case kTraceStop:
            mark.event = kFull;
            if (!line.text.empty() && line.text != kOutOfMemory)
                mark.text = fmt::format("1 1 {}", line.text);
            break;
        case kTraceMessage: {
            std::string name;
            int64_t number = 0;
            // Those are labels there.
            if (NameIn(line.text, &number, &name)) {
                mark.record = 0;
                break;
            }
            mark.event = kMessageText;
            mark.lost += text.empty();
            if (!line.text.empty()) mark.text = fmt::format("1 1 {}", line.text);
            break;
        }
        case kTraceMark:
            if (IsNumber(mark.values[0])) {
                mark.event = mark.values[0];
                mark.values[0] = 0;
            } else {
                named("trace_mark");
            }
            break;
        case kTraceMarkArray:
            if (mark.values[0] < 0) {
                named("trace_mark_array failed");
                break;
            }
            named("trace_mark_array");
            mark.text = ArrayOf(line.text, mark.values[0]);
            mark.lost += static_cast<uint64_t>(text.empty() ? mark.values[0] : 0);
            break;
        default:
            if (record < 1 || record > kLastOldRecord) {
                named("unknown record");
                mark.values[0] = std::max<int64_t>(0, record);
                mark.lost = 1;
                break;
            }
            named(std::string(ShapeOf(static_cast<int32_t>(record)).name));
            if (count == 0) mark.values[0] = 0;
    }
    if ((record == kOpen || record == kLoad) && !text.empty()) mark.lost = 1;
    return mark;
}

ImportedMark MarkAsOld(const read::Query& row, const Numbers& numbers) {
    ImportedMark mark;
    const int64_t record = row.Integer(kRecord);
    const int64_t event = row.Integer(kEvent);
    int64_t count = row.Integer(kCount);
    const std::string text = row.Text(kLine);
    Line1992 line;
    LineError ignored;
    if (!text.empty() && ParseLine1992(text, &line, &ignored)) count = line.fields;
    const auto values = [&](int64_t used) {
        for (int64_t i = 0; i < used; ++i)
            mark.values[i] = row.Integer(kValue0 + static_cast<size_t>(i));
        mark.lost = static_cast<uint64_t>(std::max<int64_t>(0, count - used));
    };
    switch (event) {
        case kTracing: {
            const bool ends = record == kEventExit;
            mark.record = ends ? kTraceExit : kTraceStart;
            mark.order = ends ? ImportedMark::Order::kLast : ImportedMark::Order::kFirst;
            if (ends || count >= 3) {
                values(ends ? std::min<int64_t>(1, count) : 3);
                break;
            }
            mark.values[0] = mark.values[1] = mark.values[2] = 1;
            mark.lost = static_cast<uint64_t>(count);
            break;
        }
        case kLevel:
            mark.record = kTraceLevel;
            values(std::min<int64_t>(3, row.Integer(kCount)));
            break;
        case kMessageText:
            mark.record = kTraceMessage;
            mark.text = MessageOf(line);
            break;
        case kFull:
            mark.record = kTraceStop;
            mark.text = line.data.empty() ? kOutOfMemory : line.data;
            break;
        case kOpenEvent:
        case kCloseEvent:
        case kClockSyncEvent:
            mark.record = event == kOpenEvent ? kOpen : event == kCloseEvent ? kClose : kClockSync;
            values(0);
            break;
        default:
            mark.record = kTraceMark;
            values(0);
            mark.values[0] = IsNumber(event) ? event : NumberOf(numbers, NameOfEvent(event));
    }
    return mark;
}

bool FindSource(read::Database* database, bool is_1992, PiclSource* source, std::string* error) {
    *source = PiclSource::kViews;
    std::string ignored;
    if (!database->Execute("SELECT 1 FROM picl_record LIMIT 0", &ignored)) return true;
    const char* const sql = is_1992 ? "SELECT count(*) FROM picl_record WHERE form < 2"
                                    : "SELECT count(*) FROM picl_record WHERE form = 2";
    return EachRow(database, sql, error, [&](const read::Query& row) {
        if (row.Unsigned(0) > 0) *source = is_1992 ? PiclSource::kOld : PiclSource::k1992;
    });
}

bool KeepNumbers(const ViewExport& what, Numbers* numbers, std::string* error) {
    const bool is_old = what.source == PiclSource::kOld;
    int64_t next = 0;
    std::set<int64_t> taken;
    const auto add = [&](const std::string& name, int64_t number) {
        if (numbers->emplace(name, number).second) taken.insert(number);
        next = std::max(next, number + 1);
    };
    // What has a number for a name.
    const auto labels = [&](const read::Query& row) {
        const std::string text = row.Text(0);
        LineError ignored;
        std::string name;
        int64_t number = 0;
        if (is_old) {
            OldLine line;
            if (ParseOldLine(text, &line, &ignored) && NameIn(line.text, &number, &name))
                add(name, number);
            return;
        }
        Line1992 line;
        if (ParseLine1992(text, &line, &ignored) && IsNumber(line.event))
            add(std::string(LabelOf(line)), line.event);
    };
    const auto largest = [&](const read::Query& row) { next = std::max(next, row.Integer(0) + 1); };
    std::vector<std::string> others;
    const auto spans = [&](const read::Query& row) {
        const std::string name = row.Text(0);
        int64_t number = 0;
        if (name == "trace_flush" || name == "trace_files" || numbers->contains(name)) return;
        if (NumberIn(name, is_old ? "block " : "event ", &number))
            add(name, number);
        else
            others.push_back(name);
    };
    const auto marks = [&](const read::Query& row) {
        const int64_t record = row.Integer(0);
        const int64_t value = row.Integer(1);
        if (is_old) {
            const bool has_name = record != kTraceMarkArray || value >= 0;
            others.push_back(record == kTraceMark ? "trace_mark"
                             : !has_name          ? "trace_mark_array failed"
                             : record < 1 || record > kLastOldRecord
                                 ? "unknown record"
                                 : std::string(ShapeOf(static_cast<int32_t>(record)).name));
        } else if (IsNumber(value)) {
            if (!taken.contains(value)) add(NameOfEvent(value), value);
        } else if (!HasOldRecord(value)) {
            others.push_back(NameOfEvent(value));
        }
    };
    // Marks whose number is their event need no name there.
    const char* const marks_sql =
        is_old ? R"(SELECT record, min(value0) FROM picl_record WHERE form < 2
    AND descriptor IS DISTINCT FROM -1 AND (record IN (3, 5, 9, 22) OR record < 1 OR record > 24
        OR (record = 15 AND value0 NOT BETWEEN 0 AND 2000000000)) GROUP BY record, value0 < 0
ORDER BY record, value0 < 0 DESC)"
               : R"(SELECT 0, event FROM picl_record WHERE form = 2 AND (record = -2
    OR (record IN (-3, -4) AND event IN (-902, -905, -914))) GROUP BY event
ORDER BY event)";
    if (!EachRow(what.database,
                 is_old
                     ? "SELECT text FROM picl_record WHERE form < 2 AND record = 16 "
                       "AND text LIKE '%block or mark%' ORDER BY line"
                     : "SELECT coalesce(text, '') FROM picl_record WHERE form = 2 AND record = -5 "
                       "ORDER BY line",
                 error, labels) ||
        !EachRow(what.database,
                 is_old ? "SELECT coalesce(max(value0), -1) FROM picl_record WHERE form < 2 AND "
                          "record IN (15, 20) AND value0 BETWEEN 0 AND 2000000000"
                        : "SELECT coalesce(max(event), -1) FROM picl_record WHERE form = 2 AND "
                          "event BETWEEN 0 AND 2000000000",
                 error, largest) ||
        !EachRow(what.database,
                 "SELECT DISTINCT coalesce(name, '') AS name FROM span WHERE layer <> 'mpi' "
                 "ORDER BY name",
                 error, spans) ||
        !EachRow(what.database, marks_sql, error, marks)) {
        return false;
    }
    for (const std::string& name : others) {
        if (numbers->emplace(name, next).second) ++next;
    }
    return true;
}

bool TellRecordsLeftOut(const ViewExport& what, std::string* error) {
    if (what.source == PiclSource::kViews) return true;
    ExportResult& result = *what.result;
    if (what.source == PiclSource::kOld) {
        return EachRow(
            what.database,
            "SELECT count(*) FROM picl_record WHERE form < 2 AND record = 20 AND (value1 "
            "<> 0 OR value2 <> 0) AND descriptor IS DISTINCT FROM -1",
            error, [&](const read::Query& row) {
                result.Say(row.Unsigned(0), "block is", "blocks are",
                           " without location and parameter types");
            });
    }
    uint64_t of_regions = 0;
    const auto data = [&](const read::Query& row) {
        Line1992 line;
        LineError ignored;
        const std::string text = row.Text(1);
        of_regions += text.empty() || (ParseLine1992(text, &line, &ignored) && line.fields > 0);
    };
    const auto kinds = [&](const read::Query& row) {
        result.Say(row.Unsigned(0), "record of statistics left out",
                   "records of statistics left out");
        result.Say(row.Unsigned(1), "record of a subset left out", "records of subsets left out");
        result.Say(row.Unsigned(2), "record of a type of the user left out",
                   "records of types of the user left out");
        result.Say(row.Unsigned(3), "record of another type left out",
                   "records of other types left out");
    };
    if (!EachRow(what.database, R"(SELECT count(*) FILTER (record BETWEEN -105 AND -101),
    count(*) FILTER (record BETWEEN -203 AND -201), count(*) FILTER (record >= 0),
    count(*) FILTER (record < 0 AND record NOT BETWEEN -5 AND -2 AND record NOT BETWEEN -105 AND -101
        AND record NOT BETWEEN -203 AND -201 OR record = -5 AND event < 0)
FROM picl_record WHERE form = 2 AND descriptor IS DISTINCT FROM -1)",
                 error, kinds) ||
        !EachRow(what.database,
                 R"(SELECT 0, coalesce(text, '') FROM picl_record WHERE form = 2 AND event >= 0
    AND descriptor IS DISTINCT FROM -1 AND record IN (-3, -4) AND ("values" > 0 OR text IS NOT NULL))",
                 error, data)) {
        return false;
    }
    result.Say(of_regions, "entry or exit of a region is", "entries and exits of regions are",
               " without data: the format has no place for them");
    return true;
}

}  // namespace comshu::format::picl
