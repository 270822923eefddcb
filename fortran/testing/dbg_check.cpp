// A provider for tests, preloaded: checks that the events of every thread nest, that each names a
// handle that was registered exactly once with a context string of the right type and length, and
// writes what it counted to the file that COMSHU_DBG_CHECK names when the process ends. With
// COMSHU_DBG_CHECK_ODD the data of iterations with an even index are not wanted.

#include "comshu/fortran/dbg_table.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/context_string.h"

extern "C" int comshu_dbg_set_table(const comshu_dbg_table*) __attribute__((weak));

namespace {

using comshu::fortran::Context;

struct Open {
    std::string_view what;
    int64_t handle;
};

struct ThreadLog {
    int64_t id = 0;
    std::vector<Open> open;
    std::map<std::string_view, long> counts;
};

struct State {
    std::mutex mutex;
    std::map<int64_t, Context> handles;
    std::map<int64_t, long> uses;
    std::vector<ThreadLog*> threads;  // kept: a thread may end before the process
    std::vector<std::string> errors;
    bool finalized = false;
};

State& Get() {
    static State* state = new State;
    return *state;
}

thread_local ThreadLog* t_log = nullptr;

void Error(std::string text) {
    std::lock_guard lock(Get().mutex);
    if (Get().errors.size() < 100) {
        Get().errors.push_back(std::move(text));
    }
}

ThreadLog& Log(int64_t* t) {
    if (!t_log) {
        std::lock_guard lock(Get().mutex);
        t_log = new ThreadLog;
        t_log->id = static_cast<int64_t>(Get().threads.size()) + 1;
        Get().threads.push_back(t_log);
    }
    if (t) {
        if (*t == -1) {
            *t = t_log->id;
        } else if (*t != t_log->id && *t != 0) {
            Error("thread " + std::to_string(t_log->id) + " calls with the id " +
                  std::to_string(*t));
        }
    }
    return *t_log;
}

// How an entry takes part in the nesting.
enum class Role { kOpen, kClose, kInstant };

struct Rule {
    Role role;
    std::string_view pair;  // what is opened or closed
    std::string_view type;  // of the context string, "" for any
};

std::string_view TypeOf(std::string_view pair) {
    static const std::map<std::string_view, std::string_view> kTypes{
        {"parallel", "parallel"},
        {"omp_loop", "omploop"},
        {"sections", "sections"},
        {"section", "sect_ev"},
        {"single", "single"},
        {"workshare", "workshare"},
        {"master", "master"},
        {"critical", "critical"},
        {"barrier", "barrier"},
        {"ordered", "ordered"},
        {"atomic", "atomic"},
        {"task", "task"},
        {"taskwait", "taskwait"},
        {"taskgroup", "taskgroup"},
        {"taskloop", "taskloop"},
        {"teams", "teams"},
        {"target", "target"},
        {"sl", "seqloop"},
        {"func_call", "func_call"},
        {"func", "function"},
        {"io", "io"},
        {"interval", ""},
        {"flush", "flush"},
        {"cancel", "cancel"},
        {"thread_private", "threadprivate"}};
    auto found = kTypes.find(pair);
    return found == kTypes.end() ? std::string_view() : found->second;
}

bool EndsWith(std::string_view text, std::string_view tail) {
    return text.size() >= tail.size() && text.substr(text.size() - tail.size()) == tail;
}

Rule RuleOf(std::string_view field) {
    auto rule = [](Role role, std::string_view pair) { return Rule{role, pair, TypeOf(pair)}; };
    if (field == "before_flush") {
        return rule(Role::kInstant, "flush");
    }
    if (field.substr(0, 7) == "before_") {
        return rule(Role::kOpen, field.substr(7));
    }
    if (field.substr(0, 6) == "after_") {
        return rule(Role::kClose, field.substr(6));
    }
    if (field == "beg_sl" || field == "end_sl") {
        return rule(field == "beg_sl" ? Role::kOpen : Role::kClose, "sl");
    }
    if (field == "master_begin" || field == "master_end" || field == "func_begin" ||
        field == "func_end") {
        bool end = EndsWith(field, "_end");
        std::string_view pair = field.substr(0, field.find('_'));
        return rule(end ? Role::kClose : Role::kOpen, pair);
    }
    if (EndsWith(field, "_event") && field != "flush_event" && field != "cancel_event" &&
        field != "ordered_event") {
        Rule found = rule(Role::kOpen, field.substr(0, field.size() - 6));
        found.pair = field;
        return found;
    }
    if (EndsWith(field, "_event_end") && field != "flush_event_end") {
        Rule found = rule(Role::kClose, field.substr(0, field.size() - 10));
        found.pair = field.substr(0, field.size() - 4);
        return found;
    }
    if (field == "omp_iter" || field == "omp_if_iter") {
        return rule(Role::kInstant, "");
    }
    return rule(Role::kInstant, EndsWith(field, "_event") ? field.substr(0, field.size() - 6) : "");
}

// Events inside a construct have ends only at the performance level.
bool MayStayOpen(std::string_view what) {
    return EndsWith(what, "_event");
}

void Close(ThreadLog& log, std::string_view field, std::string_view what, int64_t handle) {
    while (!log.open.empty() && MayStayOpen(log.open.back().what) && log.open.back().what != what) {
        log.open.pop_back();
    }
    if (log.open.empty()) {
        Error(std::string(field) + " of " + std::to_string(handle) + " closes nothing");
    } else if (log.open.back().what != what || log.open.back().handle != handle) {
        Error(std::string(field) + " of " + std::to_string(handle) + " closes " +
              std::string(log.open.back().what) + " of " + std::to_string(log.open.back().handle));
    } else {
        log.open.pop_back();
    }
}

void Event(std::string_view field, const int64_t* h, int64_t* t) {
    ThreadLog& log = Log(t);
    ++log.counts[field];
    Rule rule = RuleOf(field);
    std::string type = "(unregistered)";
    bool has_end = true;
    {
        std::lock_guard lock(Get().mutex);
        ++Get().uses[*h];
        auto found = Get().handles.find(*h);
        if (found != Get().handles.end()) {
            type = found->second.Get("type");
            has_end = !found->second.Has("noend");
        }
    }
    if (type == "(unregistered)" || (!rule.type.empty() && type != rule.type)) {
        Error(std::string(field) + " has the handle of " + type);
    }
    if (rule.role == Role::kOpen && has_end) {
        log.open.push_back({rule.pair, *h});
    } else if (rule.role == Role::kClose) {
        Close(log, field, rule.pair, *h);
    }
}

void Register(int64_t handle, std::string_view text) {
    Context context;
    comshu::fortran::ContextError error = comshu::fortran::ReadContext(text, &context);
    if (!error.message.empty()) {
        Error("context string '" + std::string(text) + "': " + error.message);
    } else if (comshu::fortran::WriteContext(context) != text) {
        Error("context string '" + std::string(text) + "' is not canonical");
    }
    std::lock_guard lock(Get().mutex);
    if (!Get().handles.emplace(handle, std::move(context)).second) {
        Get().errors.push_back("handle " + std::to_string(handle) + " registered twice");
    }
}

void RegisterUnit(const comshu_dbg_unit* unit) {
    for (uint32_t i = 0; i < unit->count; ++i) {
        Register(unit->first_handle + i, {unit->strings[i].text, unit->strings[i].length});
    }
}

void UnregisterUnit(const comshu_dbg_unit*) {}

// Entries without a handle.
void Entry(std::string_view field) {
    ++Log(nullptr).counts[field];
    if (field == "finalize") {
        Get().finalized = true;
    }
}
void Entry(std::string_view field, int64_t* t) {
    ++Log(t).counts[field];
}
void Entry(std::string_view field, int64_t* h, const char* text, int64_t length) {
    ++Log(nullptr).counts[field];
    static int64_t next = 1;
    *h = next++;
    Register(*h, {text, static_cast<std::size_t>(length)});
}
void Entry(std::string_view field, const int64_t*, const int64_t*, const int64_t*, const int32_t*,
           const int32_t*) {
    ++Log(nullptr).counts[field];
}
void Entry(std::string_view field, const int64_t* h, int64_t* t, const int64_t* index,
           int64_t* traced) {
    static const bool kOddOnly = std::getenv("COMSHU_DBG_CHECK_ODD") != nullptr;
    *traced = kOddOnly && *index % 2 == 0 ? 0 : 1;
    Event(field, h, t);
}
template <typename... More>
void Entry(std::string_view field, const int64_t* h, int64_t* t, More...) {
    Event(field, h, t);
}

#define COMSHU_DBG_ENTRY(field, c_name, fortran_name, parameters, arguments) \
    void On_##field parameters {                                             \
        Entry(COMSHU_ARGUMENTS(#field, arguments));                          \
    }
#define COMSHU_STRIP(...) __VA_OPT__(, ) __VA_ARGS__
#define COMSHU_ARGUMENTS(field, arguments) field COMSHU_STRIP arguments
#include "comshu/fortran/dbg_entries.inc"
#undef COMSHU_DBG_ENTRY

const comshu_dbg_table kTable{
    sizeof(comshu_dbg_table),
    COMSHU_DBG_VERSION,
    RegisterUnit,
    UnregisterUnit,
#define COMSHU_DBG_ENTRY(field, c_name, fortran_name, parameters, arguments) On_##field,
#include "comshu/fortran/dbg_entries.inc"
#undef COMSHU_DBG_ENTRY
};

void WriteReport(const char* path) {
    State& state = Get();
    std::lock_guard lock(state.mutex);
    std::map<std::string, long> totals;
    for (const ThreadLog* log : state.threads) {
        for (const auto& [field, count] : log->counts) {
            totals[std::string(field)] += count;
        }
        for (const Open& open : log->open) {
            // STOP inside a construct closes nothing.
            if (!MayStayOpen(open.what) && !state.finalized) {
                state.errors.push_back(std::string(open.what) + " of " +
                                       std::to_string(open.handle) + " stays open");
            }
        }
    }
    std::FILE* out = std::fopen(path, "w");
    if (!out) {
        return;
    }
    std::fprintf(out, "threads %zu\nhandles %zu\nused %zu\n", state.threads.size(),
                 state.handles.size(), state.uses.size());
    for (const auto& [field, count] : totals) {
        std::fprintf(out, "%s %ld\n", field.c_str(), count);
    }
    for (const std::string& error : state.errors) {
        std::fprintf(out, "error %s\n", error.c_str());
    }
    std::fclose(out);
}

__attribute__((constructor)) void Start() {
    if (comshu_dbg_set_table && std::getenv("COMSHU_DBG_CHECK")) {
        comshu_dbg_set_table(&kTable);
    }
}

__attribute__((destructor)) void Stop() {
    const char* path = std::getenv("COMSHU_DBG_CHECK");
    if (comshu_dbg_set_table && path) {
        WriteReport(path);
    }
}

}  // namespace
