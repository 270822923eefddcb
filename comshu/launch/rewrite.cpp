#include "launch/rewrite.h"

#include <optional>
#include <string_view>

#include "error.h"

namespace comshu::launch {
namespace {

constexpr const char* kPreload = "LD_PRELOAD";
constexpr const char* kEnvList = "mca_base_env_list";

// NAME or NAME=VALUE.
struct Setting {
    std::string name;
    std::optional<std::string> value;
};

Setting ParseSetting(std::string_view text) {
    size_t equals = text.find('=');
    if (equals == std::string_view::npos) return {std::string(text), std::nullopt};
    return {std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

std::vector<std::string> Split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        size_t end = text.find(separator);
        if (end != 0) parts.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos) break;
        text.remove_prefix(end + 1);
    }
    return parts;
}

// The user's LD_PRELOAD as the wrappers hand it on.
std::string PreloadBehind(const WrappedCommand& wrapped, const std::vector<std::string>& argv,
                          std::string preload) {
    for (const EnvWrapper& env : wrapped.envs) {
        if (env.clears || env.removes_preload) preload.clear();
        if (env.preload) preload = *ParseSetting(argv[*env.preload]).value;
    }
    return preload;
}

// Builds the new command line; one object per plan.
class Rewriter {
public:
    Rewriter(const CommandShape& shape, const std::vector<std::string>& argv,
             const TracedEnvironment& traced, const Environment& environment)
        : shape_(shape), argv_(argv), traced_(traced), environment_(environment) {}

    LaunchPlan Run() {
        user_preload_ = PreloadBehind(shape_.outer, argv_, Value(environment_, kPreload));
        if (!shape_.has_launcher()) {
            CopyProgram(0, argv_.size());
            for (const Variable& variable : Traced(Value(environment_, kPreload))) {
                plan_.set.push_back(variable);
            }
            return plan_;
        }
        if (!shape_.line.file_option.empty()) RefuseCommandFile();
        plan_.argv.assign(argv_.begin(), argv_.begin() + shape_.outer.command + 1);
        switch (shape_.launcher) {
            case LauncherKind::kOpenMpi:
                OpenMpi();
                break;
            case LauncherKind::kHydra:
                Hydra();
                break;
            case LauncherKind::kSrun:
                Srun();
                break;
            case LauncherKind::kNone:
                break;
        }
        return plan_;
    }

private:
    std::vector<Variable> Traced(const std::string& users) const {
        std::vector<Variable> all = traced_.variables;
        std::string preload = JoinPreload(traced_.preload, users);
        if (!preload.empty()) all.push_back({kPreload, preload});
        return all;
    }

    void Add(std::string token) { plan_.argv.push_back(std::move(token)); }

    [[noreturn]] void RefuseCommandFile() const {
        throw UsageError(
            "cannot add to the command lines in the file of '" + shape_.line.file_option +
            "': put 'comshu run -o DIR --' before each program in that file and start the "
            "launcher itself without comshu (" +
            argv_[shape_.outer.command] + " " + shape_.line.file_option + " FILE)");
    }

    // Copies a program with its wrappers; an `env` among them must not take away what is ours.
    void CopyProgram(size_t begin, size_t end) {
        WrappedCommand wrapped = FollowWrappers(argv_, begin, end);
        size_t next_env = 0;
        for (size_t i = begin; i < end; ++i) {
            const EnvWrapper* env =
                next_env < wrapped.envs.size() ? &wrapped.envs[next_env] : nullptr;
            if (env && i == env->first_assignment) {
                if (env->clears) {
                    for (const Variable& variable : traced_.variables) {
                        Add(variable.name + "=" + variable.value);
                    }
                }
                if ((env->clears || env->removes_preload) && !env->preload) {
                    Add(std::string(kPreload) + "=" + traced_.preload);
                }
                if (!env->preload) ++next_env;
            }
            if (env && env->preload == i) {
                Add(std::string(kPreload) + "=" +
                    JoinPreload(traced_.preload, *ParseSetting(argv_[i]).value));
                ++next_env;
                continue;
            }
            Add(argv_[i]);
        }
    }

    // Open MPI: -x speaks for one context only, and of two for one name the last counts. It does
    // not go together with the parameter mca_base_env_list, which becomes -x too.
    void OpenMpi() {
        std::vector<std::string> exported = OpenMpiEnvList();
        for (const RankCommand& rank : shape_.line.ranks) {
            if (rank.begin != shape_.line.ranks.front().begin) Add(":");
            std::string users = user_preload_;
            std::vector<std::string> kept;
            for (size_t i = rank.begin; i < rank.program;) {
                size_t tokens =
                    std::min(1 + OptionArguments(shape_.launcher, argv_, i), rank.program - i);
                std::string_view name = OptionName(argv_[i]);
                bool preload = name == "x" && tokens == 2 && TakePreload(argv_[i + 1], users);
                bool env_list = tokens == 3 && argv_[i + 1] == kEnvList;
                if (!preload && !env_list) {
                    kept.insert(kept.end(), argv_.begin() + i, argv_.begin() + i + tokens);
                }
                i += tokens;
            }
            std::vector<std::string> others;
            for (const std::string& setting : exported) {
                if (!TakePreload(setting, users)) others.push_back(setting);
            }
            for (const Variable& variable : Traced(users)) {
                Add("-x");
                Add(variable.name + "=" + variable.value);
            }
            for (const std::string& setting : others) {
                Add("-x");
                Add(setting);
            }
            plan_.argv.insert(plan_.argv.end(), kept.begin(), kept.end());
            CopyProgram(rank.program, rank.end);
        }
    }

    // If `setting` is of LD_PRELOAD, takes it for the user's and returns true.
    bool TakePreload(std::string_view setting, std::string& users) const {
        Setting parsed = ParseSetting(setting);
        if (parsed.name != kPreload) return false;
        users = parsed.value.value_or(user_preload_);
        return true;
    }

    std::vector<std::string> OpenMpiEnvList() {
        const std::string variable = std::string("OMPI_MCA_") + kEnvList;
        std::vector<std::string> settings;
        if (environment_.contains(variable)) {
            plan_.unset.push_back(variable);
            settings = Split(Value(environment_, variable), ';');
        }
        for (const RankCommand& rank : shape_.line.ranks) {
            for (size_t i = rank.begin; i + 2 < rank.program; ++i) {
                if (OptionName(argv_[i]) == "mca" && argv_[i + 1] == kEnvList) {
                    settings = Split(argv_[i + 2], ';');
                }
            }
        }
        return settings;
    }

    // Hydra: -genv speaks for all contexts, -env for one and wins; of two the last counts.
    void Hydra() {
        std::string users = user_preload_;
        std::vector<std::string> rest;
        std::vector<std::string> head;
        head.swap(plan_.argv);
        for (const RankCommand& rank : shape_.line.ranks) {
            if (rank.begin != shape_.line.ranks.front().begin) Add(":");
            for (size_t i = rank.begin; i < rank.program;) {
                size_t tokens =
                    std::min(1 + OptionArguments(shape_.launcher, argv_, i), rank.program - i);
                std::string_view name = OptionName(argv_[i]);
                bool sets = (name == "genv" || name == "env") && tokens > 1;
                Setting setting = sets ? ParseSetting(argv_[i + 1]) : Setting{};
                if (sets && tokens == 3) setting.value = argv_[i + 2];
                if (sets && setting.name == kPreload && name == "genv") {
                    users = setting.value.value_or("");
                } else if (sets && setting.name == kPreload) {
                    Add(argv_[i]);
                    Add(kPreload);
                    Add(JoinPreload(traced_.preload, setting.value.value_or("")));
                } else {
                    plan_.argv.insert(plan_.argv.end(), argv_.begin() + i,
                                      argv_.begin() + i + tokens);
                }
                i += tokens;
            }
            CopyProgram(rank.program, rank.end);
        }
        rest.swap(plan_.argv);
        plan_.argv = head;
        for (const Variable& variable : Traced(users)) {
            Add("-genv");
            Add(variable.name);
            Add(variable.value);
        }
        plan_.argv.insert(plan_.argv.end(), rest.begin(), rest.end());
    }

    // srun: one --export per component, its entries separated by commas. With ALL, what srun itself
    // finds in its environment wins over what --export says: so it must not find it.
    void Srun() {
        for (const Variable& variable : Traced("")) {
            if (environment_.contains(variable.name)) plan_.unset.push_back(variable.name);
        }
        for (auto env = shape_.outer.envs.rbegin(); env != shape_.outer.envs.rend(); ++env) {
            if (env->preload) plan_.argv.erase(plan_.argv.begin() + *env->preload);
        }
        for (const Variable& variable : Traced("")) {
            if (variable.value.find(',') != std::string::npos) {
                throw UsageError("srun cannot hand on " + variable.name + "=" + variable.value +
                                 ": the comma in it separates variables. Choose a folder without "
                                 "a comma, or use: srun ... comshu run -o DIR -- PROGRAM");
            }
        }
        for (const RankCommand& rank : shape_.line.ranks) {
            if (rank.begin != shape_.line.ranks.front().begin) Add(":");
            std::string exported = Value(environment_, "SLURM_EXPORT_ENV");
            std::vector<std::string> kept;
            for (size_t i = rank.begin; i < rank.program;) {
                size_t tokens =
                    std::min(1 + OptionArguments(shape_.launcher, argv_, i), rank.program - i);
                if (argv_[i].starts_with("--export=")) {
                    exported = argv_[i].substr(std::string("--export=").size());
                } else if (argv_[i] == "--export" && tokens == 2) {
                    exported = argv_[i + 1];
                } else {
                    kept.insert(kept.end(), argv_.begin() + i, argv_.begin() + i + tokens);
                }
                i += tokens;
            }
            Add("--export=" + SrunExport(exported));
            plan_.argv.insert(plan_.argv.end(), kept.begin(), kept.end());
            CopyProgram(rank.program, rank.end);
        }
    }

    std::string SrunExport(const std::string& users_export) const {
        std::string users;
        std::string result;
        bool all = false;
        for (const std::string& entry : Split(users_export.empty() ? "ALL" : users_export, ',')) {
            if (TakePreload(entry, users)) continue;
            if (entry == "NONE" || entry == "NIL") continue;
            all = all || entry == "ALL";
            result += entry + ",";
        }
        if (all && users.empty()) users = user_preload_;
        for (const Variable& variable : Traced(users)) {
            result += variable.name + "=" + variable.value + ",";
        }
        result.pop_back();
        return result;
    }

    const CommandShape& shape_;
    const std::vector<std::string>& argv_;
    const TracedEnvironment& traced_;
    const Environment& environment_;
    std::string user_preload_;
    LaunchPlan plan_;
};

}  // namespace

std::string JoinPreload(const std::string& ours, const std::string& users) {
    if (ours.empty() || users.empty()) return ours + users;
    return ours + ":" + users;
}

LaunchPlan MakeLaunchPlan(const CommandShape& shape, const std::vector<std::string>& argv,
                          const TracedEnvironment& traced, const Environment& environment) {
    return Rewriter(shape, argv, traced, environment).Run();
}

}  // namespace comshu::launch
