// The report as a page of text.
#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "comshu/read/number_text.h"
#include "report/matrix.h"
#include "report/openmp.h"
#include "report/page.h"
#include "report/rank_text.h"

namespace comshu::read {
namespace {

constexpr size_t kMostRankLines = 12;
constexpr size_t kMostCalls = 10;
constexpr size_t kMostSizes = 12;
constexpr size_t kMostStands = 16;
constexpr size_t kMostNearMisses = 4;
constexpr size_t kMostWarnings = 10;

std::string ClocksText(const Report::Clocks& clocks) {
    if (clocks.clocks < 2) return "";
    std::string text = fmt::format("{}, ", clocks.clocks);
    if (clocks.choice == "host") {
        text += "each as it was set";
    } else if (clocks.measured == 0) {
        text += "never compared";
    } else {
        text += fmt::format("compared in MPI_Init and MPI_Finalize: within {}",
                            DurationText(static_cast<int64_t>(clocks.bound_ns)));
        if (clocks.measured + 1 < clocks.clocks)
            text += fmt::format(", {} never", clocks.clocks - 1 - clocks.measured);
    }
    return clocks.choice == "logical" ? text + ", logical" : text;
}

std::string OrderText(const Report::Clocks& clocks) {
    if (clocks.clocks < 2) return "";
    const std::string now =
        fmt::format("{}, {} in the wrong order", Plural(clocks.messages, "message"),
                    Plural(clocks.collectives, "collective"));
    if (clocks.choice == "host") return now;
    return now + fmt::format(" (own clocks: {}, {})", CountText(clocks.messages_before),
                             CountText(clocks.collectives_before));
}

// "nothing lost" only where nothing is known to be missing.
std::string MissingText(const Report::Facts& facts) {
    if (!facts.is_damaged) return LostText(facts.lost);
    std::string text = facts.lost > 0 ? LostText(facts.lost) + ", " : "";
    if (facts.cut_ranks == 0) return text + "parts missing (see warnings)";
    text += facts.cut_ranks == 1 ? fmt::format("rank {} cut off", facts.first_cut)
                                 : fmt::format("{} cut off, rank {}",
                                               Plural(facts.cut_ranks, "rank"), facts.first_cut);
    return text + fmt::format(" after {}: the rest is missing", DurationText(facts.cut_ns));
}

void RenderFacts(const Report& report, Page* page) {
    const Report::Facts& facts = report.facts;
    std::string paths;
    for (const std::string& path : facts.paths) paths += (paths.empty() ? "" : " ") + path;
    const auto fact = [&](const char* name, const std::string& text) {
        if (!text.empty()) page->Line(PadRight(name, 10) + Printable(text));
    };
    const auto whole_fact = [&](const char* name, const std::string& text) {
        page->Paragraph(PadRight(name, 10) + Printable(text), 10);
    };
    page->Heading(fmt::format("Capture {}", Printable(paths)));
    fact("command", facts.command);
    whole_fact("when", fmt::format("{}, for {}; {}", MomentText(facts.start_realtime_ns),
                                   DurationText(facts.duration_ns), facts.ending));
    std::string hosts;
    for (size_t i = 0; i < facts.hosts.size() && i < 3; ++i) {
        hosts += (i == 0 ? "" : ", ") + facts.hosts[i];
    }
    if (facts.hosts.size() > 3) hosts += ", ...";
    const uint64_t started = facts.ranks + facts.ranks_elsewhere;
    const std::string ranks = Plural(started, "rank");
    whole_fact("where",
               fmt::format(
                   "{}, {} on {} ({})",
                   facts.ranks_elsewhere == 0 ? ranks : fmt::format("{} of {}", facts.ranks, ranks),
                   Plural(facts.threads, "thread"), Plural(facts.hosts.size(), "host"), hosts));
    fact("clocks", ClocksText(facts.clocks));
    fact("order", OrderText(facts.clocks));
    fact("library", facts.library);
    if (!facts.launcher.empty()) whole_fact("launcher", facts.launcher);
    whole_fact("recorded", fmt::format("{} in {}, {}", SpansText(facts.calls, facts.regions),
                                       BytesText(facts.bytes), MissingText(facts)));
}

// Threads that stand in the same way, together.
struct StandGroup {
    std::vector<int32_t> ranks;
    int64_t least_ns = 0;
    int64_t most_ns = 0;
    const Report::Stand* stand = nullptr;
    bool threads = false;  // Of other threads than the first.
};

std::vector<StandGroup> GroupStands(const Report& report) {
    std::vector<StandGroup> groups;
    std::map<std::string, size_t> known;
    // With few of them each has a line of its own.
    const bool apart = report.stands.size() <= kMostStands;
    for (const Report::Stand& stand : report.stands) {
        std::string key = fmt::format("{}\n{}\n{}\n{}\n{}", stand.name, stand.detail,
                                      stand.source.text, stand.failed, apart ? groups.size() : 0);
        const auto [found, is_new] = known.try_emplace(key, groups.size());
        if (is_new) groups.push_back({{}, stand.for_ns, stand.for_ns, &stand, false});
        StandGroup& group = groups[found->second];
        group.ranks.push_back(stand.rank);
        group.threads |= stand.thread != 0;
        group.least_ns = std::min(group.least_ns, stand.for_ns);
        group.most_ns = std::max(group.most_ns, stand.for_ns);
    }
    return groups;
}

void RenderStands(const Report& report, Page* page) {
    if (report.stands.empty()) return;
    const bool runs = report.facts.ending.starts_with("still running");
    page->Heading(runs ? "Where every thread stands now" : "Where every thread stood at the end");
    const auto tell = [&](const char* what, const std::vector<std::string>& sentences,
                          size_t most) {
        for (size_t i = 0; i < sentences.size() && i < most; ++i) {
            page->Raw(fmt::format("  {}", page->Toned(what, Page::Tone::kAlarm)));
            page->Paragraph(sentences[i] + ".");
        }
    };
    tell("Deadlock", report.deadlocks, report.deadlocks.size());
    tell("Waits for a rank that is gone", report.waits_for_gone, report.waits_for_gone.size());
    tell("Near miss", report.near_misses, kMostNearMisses);
    size_t shown = 0;
    for (const StandGroup& group : GroupStands(report)) {
        if (++shown > kMostStands) {
            page->Line("... more: comshu read --json");
            break;
        }
        std::string who = RanksInWords(group.ranks);
        if (group.threads) who += fmt::format(" thread {}", group.stand->thread);
        std::string where = group.stand->name.empty() ? "in no call" : group.stand->name;
        if (!group.stand->detail.empty()) where += " " + group.stand->detail;
        if (!group.stand->failed.empty()) where += "; " + group.stand->failed;
        std::string time = DurationText(group.most_ns);
        if (group.least_ns != group.most_ns) {
            time = fmt::format("{} to {}", DurationText(group.least_ns), time);
        }
        const std::string source =
            group.stand->source.text.empty() ? "" : "  " + Printable(group.stand->source.text);
        const std::string left = fmt::format("{}  {}", PadRight(who, 8), Printable(where));
        const std::string right =
            group.most_ns > 0
                ? fmt::format("for {}{}", time, source)
                : fmt::format("since {}{}", DurationText(group.stand->begin_ns), source);
        if (ShownWidth(left) + ShownWidth(right) + 4 <= page->width()) {
            page->Line(left +
                       std::string(page->width() - 2 - ShownWidth(left) - ShownWidth(right), ' ') +
                       right);
        } else {
            page->Line(left);
            page->Line(PadLeft(right, page->width() - 2));
        }
    }
}

// What a rank's time is shown to be made of: MPI, or without it the waiting of its threads.
int64_t MarkedNs(const Report::RankTime& rank, bool openmp_alone) {
    return openmp_alone ? rank.openmp_wait_ns : rank.mpi_ns;
}

void RankLine(const std::string& label, double marked, double total, const std::string& right,
              Page* page) {
    constexpr size_t kLabel = 12, kRight = 32;
    const size_t bar = page->width() - kLabel - kRight - 2;
    page->Raw(fmt::format("  {}{}{}", PadRight(label, kLabel),
                          page->Bar(total > 0 ? marked / total : 0, bar),
                          PadLeft(ShareText(marked, total) + right, kRight)));
}

void RenderRanks(const Report& report, Page* page) {
    const bool alone = IsOpenmpAlone(report);
    double marked = 0, total = 0, init = 0;
    for (const Report::RankTime& rank : report.ranks) {
        marked += static_cast<double>(MarkedNs(rank, alone));
        total += static_cast<double>(rank.total_ns);
        init += static_cast<double>(rank.init_ns);
    }
    const auto text = [](double ns) { return DurationText(static_cast<int64_t>(ns)); };
    if (alone) {
        page->Heading("Time of the threads", fmt::format("{} waiting for each other, {} else",
                                                         text(marked), text(total - marked)));
    } else {
        page->Heading("Time of the ranks",
                      fmt::format("{} in MPI{}, {} outside", text(marked),
                                  init > 0 ? fmt::format(" (init, finalize {})", text(init)) : "",
                                  text(total - marked)));
    }
    const size_t count = report.ranks.size();
    const size_t per_line = (count + kMostRankLines - 1) / kMostRankLines;
    for (size_t begin = 0; begin < count; begin += std::max<size_t>(per_line, 1)) {
        const size_t end = std::min(count, begin + per_line);
        double group_marked = 0, group_total = 0;
        std::vector<int32_t> ranks;
        for (size_t i = begin; i < end; ++i) {
            ranks.push_back(report.ranks[i].rank);
            group_marked += static_cast<double>(MarkedNs(report.ranks[i], alone));
            group_total += static_cast<double>(report.ranks[i].total_ns);
        }
        const auto each = static_cast<int64_t>(group_total / static_cast<double>(ranks.size()));
        RankLine(
            Shorten(RanksInWords(ranks), 11), group_marked, group_total,
            fmt::format(" {} of {}", alone ? "waiting" : "in MPI", PadLeft(DurationText(each), 8)),
            page);
    }
}

void RenderCalls(const Report& report, Page* page) {
    const uint64_t regions = report.facts.regions;
    const uint64_t waits = report.facts.spans - report.facts.calls;
    const std::string worked_out =
        waits == 0 ? "" : fmt::format(", {} worked out", Plural(waits, "wait"));
    page->Heading(regions == 0 ? "Calls by time" : "Calls and regions by time",
                  (regions == 0 ? fmt::format("{} in all", CountText(report.facts.spans))
                                : SpansText(report.facts.spans, regions)) +
                      worked_out);
    if (report.calls.empty()) return page->Line("none");
    double total = 0;
    for (const Report::RankTime& rank : report.ranks) total += static_cast<double>(rank.total_ns);
    // A narrow page has no room for the source.
    const size_t fixed = 2 + 22 + 11 + 11 + 8 + 9 + 2;
    const bool narrow = page->width() < fixed + 8;
    const size_t name_width = narrow ? 16 : 22;
    const size_t where = narrow ? 0 : page->width() - fixed;
    const auto line = [&](std::string_view name, std::string_view count, std::string_view time,
                          std::string_view share, std::string_view bytes, std::string_view source) {
        std::string text = fmt::format(
            "{}{}{}{}{}", PadRight(Shorten(name, name_width), name_width), PadLeft(count, 11),
            PadLeft(time, 11), PadLeft(share, 8), PadLeft(bytes, 9));
        return narrow ? text : text + "  " + Shorten(source, where, true);
    };
    page->Raw("  " + page->Toned(line("call", "count", "time", "share", "bytes", "called at"),
                                 Page::Tone::kFaint));
    for (size_t i = 0; i < report.calls.size() && i < kMostCalls; ++i) {
        const Report::Call& call = report.calls[i];
        page->Line(line(Printable(call.name), CountText(call.count), DurationText(call.ns),
                        ShareText(static_cast<double>(call.ns), total),
                        call.has_bytes ? BytesText(call.bytes) : "-",
                        call.source.text.empty() ? "?" : Printable(call.source.text)));
    }
    if (report.calls.size() > kMostCalls) {
        uint64_t count = 0;
        int64_t ns = 0;
        for (size_t i = kMostCalls; i < report.calls.size(); ++i) {
            count += report.calls[i].count;
            ns += report.calls[i].ns;
        }
        page->Line(line(fmt::format("({} more)", Plural(report.calls.size() - kMostCalls, "line")),
                        CountText(count), DurationText(ns),
                        ShareText(static_cast<double>(ns), total), "", ""));
    }
}

// Joins neighbouring powers of two until few enough are left.
std::vector<Report::Size> JoinSizes(std::vector<Report::Size> sizes, int* powers) {
    *powers = 1;
    while (sizes.size() > kMostSizes) {
        *powers *= 2;
        std::vector<Report::Size> joined;
        for (const Report::Size& size : sizes) {
            const int exponent = size.exponent < 0 ? -1 : size.exponent / *powers * *powers;
            if (joined.empty() || joined.back().exponent != exponent) {
                joined.push_back({exponent, 0, 0});
            }
            joined.back().messages += size.messages;
            joined.back().bytes += size.bytes;
        }
        sizes = joined;
    }
    return sizes;
}

void RenderSizes(const Report& report, Page* page) {
    if (report.sizes.empty()) return;
    int powers = 1;
    const std::vector<Report::Size> sizes = JoinSizes(report.sizes, &powers);
    uint64_t most = 0;
    for (const Report::Size& size : sizes) most = std::max(most, size.messages);
    page->Heading("Sizes of messages");
    const size_t bar = page->width() - 2 - 18 - 2 - 13 - 10;
    for (const Report::Size& size : sizes) {
        const std::string range =
            size.exponent < 0
                ? "empty"
                : fmt::format("{} to {}", PadLeft(PowerText(size.exponent), 7),
                              PadLeft(PowerText(std::min(63, size.exponent + powers)), 7));
        page->Raw(fmt::format(
            "  {}  {}{}{}", PadRight(range, 18),
            page->Bar(static_cast<double>(size.messages) / static_cast<double>(most), bar),
            PadLeft(CountText(size.messages), 13), PadLeft(BytesText(size.bytes), 10)));
    }
}

void RenderImbalance(const Report& report, Page* page) {
    if (report.ranks.size() < 2) return;
    const auto outside = [](const Report::RankTime& rank) { return rank.total_ns - rank.mpi_ns; };
    const auto [least, most] =
        std::minmax_element(report.ranks.begin(), report.ranks.end(),
                            [&](const auto& a, const auto& b) { return outside(a) < outside(b); });
    double sum = 0;
    int64_t waited = 0;
    uint64_t most_often = 0;
    for (const Report::RankTime& rank : report.ranks) {
        sum += static_cast<double>(outside(rank));
        waited += rank.collective_wait_ns;
        most_often = std::max<uint64_t>(most_often, rank.came_last);
    }
    const double mean = sum / static_cast<double>(report.ranks.size());
    if (mean <= 0) return;
    page->Heading("Imbalance");
    page->Paragraph(
        fmt::format("outside MPI  {} (rank {}) to {} (rank {}); the longest is {} over the mean",
                    DurationText(outside(*least)), least->rank, DurationText(outside(*most)),
                    most->rank, ShareText(static_cast<double>(outside(*most)) - mean, mean)),
        13);
    if (most_often > 0) {
        std::vector<int32_t> late;
        for (const Report::RankTime& rank : report.ranks) {
            if (rank.came_last == most_often) late.push_back(rank.rank);
        }
        page->Paragraph(
            fmt::format("collectives  {} until the last rank came; most often last: {} ({}{})",
                        DurationText(waited), RanksInWords(late), Plural(most_often, "time"),
                        late.size() > 1 ? " each" : ""),
            13);
    }
    const Report::LateSenders& senders = report.late_senders;
    if (senders.calls > 0) {
        const std::string where =
            senders.source.empty() ? "" : fmt::format(" at {}", Printable(senders.source));
        page->Paragraph(fmt::format("late senders {} waited for, in {}; most in {}{}: {}",
                                    DurationText(senders.ns), Plural(senders.calls, "call"),
                                    Printable(senders.name), where, DurationText(senders.most_ns)),
                        13);
    }
}

void RenderWarnings(const Report& report, Page* page) {
    page->Heading("Warnings");
    if (report.warnings.empty()) return page->Line("none: nothing is missing or damaged");
    for (size_t i = 0; i < report.warnings.size(); ++i) {
        if (i == kMostWarnings) {
            page->Line(fmt::format("... {} more: comshu read --json",
                                   report.warnings.size() - kMostWarnings));
            break;
        }
        const Report::Warning& warning = report.warnings[i];
        page->Paragraph(fmt::format("{} {}", PadRight(warning.kind, 10), Printable(warning.text)),
                        11);
    }
}

}  // namespace

std::string ReportText(const Report& report, const ReportStyle& style) {
    Page page(style);
    RenderStands(report, &page);
    RenderFacts(report, &page);
    RenderOpenmp(report, &page);
    RenderRanks(report, &page);
    RenderCalls(report, &page);
    // Of MPI, of which there is none then: messages of the program's own transport would be there.
    const bool is_of_ranks = !IsOpenmpAlone(report) || !report.pairs.empty();
    if (is_of_ranks) RenderMatrix(report, &page);
    RenderSizes(report, &page);
    if (is_of_ranks) RenderImbalance(report, &page);
    RenderWarnings(report, &page);
    return page.text();
}

}  // namespace comshu::read
