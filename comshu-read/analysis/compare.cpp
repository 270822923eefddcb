#include "comshu/analysis/compare.h"

#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "comshu/read/query.h"
#include "comshu/read/views.h"
#include "graph_tables.h"
#include "line_pairs.h"
#include "table_appender.h"

namespace comshu::analysis {
namespace {

constexpr const char* kLineGroup = "line";

// What a change of a measure means.
enum class Sense : uint8_t { kMoreIsWorse, kLessIsWorse, kNeither };

struct Measure {
    std::string group;
    std::string name;
    std::string unit;
    double value = 0;
    Sense sense = Sense::kNeither;
};

struct Measures {
    std::vector<Measure> all;
    double time_ns = 0;  // Of all threads.
};

// Sense: 1 more is worse, -1 less is worse, 0 neither. How long a start takes is the machine's affair, and
// differs by more than any threshold from one run to the next.
constexpr const char* kMeasures = R"(WITH call AS (
    SELECT )" COMSHU_CALL_NAME_SQL R"( AS name, parse_filename(source) AS line, count(*) AS calls,
        sum(duration_ns) AS ns,
        -- An instrumented source tells the call as well as the MPI.
        CASE WHEN bool_or(layer = 'mpi' AND category = 'init'
            OR regexp_matches(name, '^call mpi_(init(_thread)?|finalize)$')) THEN 0 ELSE 1 END AS sense
    FROM span GROUP BY ALL)
SELECT 'run' AS grp, 'run time' AS name, 'ns' AS unit, (SELECT max(end_ns) FROM rank)::DOUBLE AS value,
    1 AS sense, 0 AS place
UNION ALL SELECT 'run', 'time in MPI', 'ns', coalesce(sum(self_ns), 0), 1, 1 FROM span
    WHERE layer = 'mpi' AND category <> 'init'
UNION ALL SELECT 'run', 'waiting for other ranks', 'ns', coalesce(sum(wait_ns), 0), 1, 2 FROM wait_state
    WHERE layer = 'mpi'
UNION ALL SELECT 'run', 'records lost', 'count', coalesce(sum(lost), 0), 0, 3 FROM rank
UNION ALL SELECT 'efficiency', name, 'share', value, -1, 10 FROM (
    UNPIVOT (SELECT parallel, load_balance, communication, serialisation, transfer FROM efficiency
        WHERE part = 0) ON COLUMNS(*) INTO NAME name VALUE value)
UNION ALL SELECT 'messages', 'messages', 'count', count(*), 0, 20 FROM message
UNION ALL SELECT 'messages', 'bytes sent', 'bytes', coalesce(sum(bytes), 0), 0, 21 FROM message
UNION ALL SELECT 'messages', 'without a partner', 'count', count(*), 0, 22 FROM unmatched
UNION ALL SELECT 'call', name, 'ns', sum(ns), min(sense), 30 FROM call GROUP BY name
UNION ALL SELECT 'calls', name, 'count', sum(calls), 0, 31 FROM call GROUP BY name
UNION ALL SELECT 'line', name || ' ' || line, 'ns', sum(ns), min(sense), 32 FROM call WHERE line IS NOT NULL
    GROUP BY name, line
ORDER BY place, value DESC NULLS LAST, name)";

bool Measured(read::Database* database, Measures* measures, std::string* error) {
    if (!MakeEfficiencyTables(database, Filter{}, error)) return false;
    read::Query query;
    if (!query.Run(database, kMeasures, error, read::RowCount::kFew)) return false;
    while (query.Next()) {
        if (query.IsNull(3)) continue;
        const int64_t sense = query.Integer(4);
        measures->all.push_back({query.Text(0), query.Text(1), query.Text(2), query.Real(3),
                                 sense > 0   ? Sense::kMoreIsWorse
                                 : sense < 0 ? Sense::kLessIsWorse
                                             : Sense::kNeither});
    }
    *error = query.error();
    if (!error->empty()) return false;
    read::Query time;
    if (!time.Run(database, "SELECT coalesce(sum(end_ns - begin_ns), 0) FROM thread", error))
        return false;
    if (time.Next()) measures->time_ns = time.Real(0);
    return true;
}

// `sure`: both are of the same thing. Of lines that came, went or may be others, the call's own measure
// tells what became of it.
Verdict Judge(const Measure& measure, double before, double after, bool sure, double time_ns,
              const CompareOptions& options) {
    const double from = std::isnan(before) ? 0 : before;
    const double to = std::isnan(after) ? 0 : after;
    const double change = to - from;
    if (std::abs(change) <= options.threshold * std::abs(from)) return Verdict::kSame;
    if (measure.unit == "ns" && std::abs(change) < options.min_share * time_ns)
        return Verdict::kSame;
    if (measure.sense == Sense::kNeither || !sure) return Verdict::kChanged;
    return (change > 0) == (measure.sense == Sense::kMoreIsWorse) ? Verdict::kWorse
                                                                  : Verdict::kBetter;
}

}  // namespace

const char* VerdictText(Verdict verdict) {
    switch (verdict) {
        case Verdict::kSame:
            return "same";
        case Verdict::kBetter:
            return "better";
        case Verdict::kWorse:
            return "worse";
        case Verdict::kChanged:
            return "changed";
    }
    return "";
}

namespace {

// What the measures of the second run are to those of the first.
struct Counterpart {
    const Measure* measure = nullptr;  // Null: it is gone.
    bool sure = true;
};

std::vector<const Measure*> LinesOf(const Measures& measures) {
    std::vector<const Measure*> lines;
    for (const Measure& measure : measures.all) {
        if (measure.group == kLineGroup) lines.push_back(&measure);
    }
    return lines;
}

std::vector<std::string> NamesOf(const std::vector<const Measure*>& measures) {
    std::vector<std::string> names;
    for (const Measure* measure : measures) names.push_back(measure->name);
    return names;
}

std::map<const Measure*, Counterpart> Counterparts(const Measures& old_run,
                                                   const Measures& new_run) {
    std::map<const Measure*, Counterpart> counterparts;
    std::map<std::pair<std::string, std::string>, const Measure*> in_new;
    for (const Measure& measure : new_run.all) in_new[{measure.group, measure.name}] = &measure;
    for (const Measure& measure : old_run.all) {
        const auto found = in_new.find({measure.group, measure.name});
        if (measure.group != kLineGroup && found != in_new.end()) {
            counterparts[&measure] = {found->second, true};
        }
    }
    const std::vector<const Measure*> old_lines = LinesOf(old_run), new_lines = LinesOf(new_run);
    const std::vector<LinePair> pairs = PairLines(NamesOf(old_lines), NamesOf(new_lines));
    for (size_t i = 0; i < pairs.size(); ++i) {
        if (pairs[i].after == kNoLine) continue;
        counterparts[old_lines[i]] = {new_lines[pairs[i].after], pairs[i].sure};
    }
    return counterparts;
}

}  // namespace

bool Compare(read::Database* before, read::Database* after, const CompareOptions& options,
             std::vector<Difference>* differences, std::string* error) {
    Measures old_run, new_run;
    if (!Measured(before, &old_run, error) || !Measured(after, &new_run, error)) return false;
    const double kMissing = std::numeric_limits<double>::quiet_NaN();
    const auto counterparts = Counterparts(old_run, new_run);
    const auto add = [&](const Measure& measure, const std::string& name, double from, double to,
                         bool sure) {
        differences->push_back({measure.group, name, measure.unit, from, to,
                                Judge(measure, from, to, sure, old_run.time_ns, options)});
    };
    std::set<const Measure*> paired;
    for (const Measure& measure : old_run.all) {
        const auto found = counterparts.find(&measure);
        const bool is_line = measure.group == kLineGroup;
        if (found == counterparts.end()) {
            add(measure, measure.name, measure.value, kMissing, !is_line);
            continue;
        }
        const Measure& other = *found->second.measure;
        paired.insert(&other);
        std::string name = measure.name;
        if (other.name != name) name += " -> " + other.name.substr(other.name.rfind(':') + 1);
        add(measure, name, measure.value, other.value, found->second.sure);
    }
    for (const Measure& measure : new_run.all) {
        if (paired.count(&measure) != 0) continue;
        add(measure, measure.name, kMissing, measure.value, measure.group != kLineGroup);
    }
    return true;
}

bool MakeDifferenceTable(read::Database* database, const std::vector<Difference>& differences,
                         std::string* error) {
    if (!database->Execute(
            "CREATE OR REPLACE TEMP TABLE difference (place UBIGINT, \"group\" VARCHAR, "
            "name VARCHAR, unit VARCHAR, before DOUBLE, after DOUBLE, verdict VARCHAR)",
            error)) {
        return false;
    }
    read::TableAppender table(database->connection(), "difference");
    uint64_t place = 0;
    for (const Difference& difference : differences) {
        table.Unsigned(place++).Text(difference.group).Text(difference.name).Text(difference.unit);
        for (const double value : {difference.before, difference.after}) {
            if (std::isnan(value))
                table.Null();
            else
                table.Double(value);
        }
        table.Text(VerdictText(difference.verdict)).EndRow();
    }
    return table.Close(error);
}

}  // namespace comshu::analysis
