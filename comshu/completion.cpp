#include "completion.h"

#include <algorithm>

namespace comshu {
namespace {

// What may stand for a value, by how the value is called.
enum class Value { kNone, kChoice, kProviders, kFolder, kFile, kOther };

Value ValueOf(const OptionModel& option, bool positional) {
    const std::string& name = positional ? option.names.front() : option.value;
    if (!positional && name.empty()) return Value::kNone;
    if (!option.choices.empty()) return Value::kChoice;
    if (name == "NAME[,NAME]") return Value::kProviders;
    if (name.starts_with("DIR")) return Value::kFolder;
    if (name.starts_with("FILE") || name == "OUT") return Value::kFile;
    return Value::kOther;
}

// Names of all providers, by asking the command itself.
constexpr const char* kProviderNames =
    R"("$1" list 2>/dev/null | awk 'NR > 1 && /^[a-z]/ { print $1 }')";

std::string BashReply(const OptionModel& option, bool positional) {
    switch (ValueOf(option, positional)) {
        case Value::kChoice:
            return "_comshu_words '" + Joined(option.choices, " ") + "'";
        case Value::kProviders:
            return "_comshu_providers";
        case Value::kFolder:
            return "_comshu_paths -d";
        case Value::kFile:
            return "_comshu_paths -f";
        default:
            return ":";
    }
}

std::string BashVerb(const VerbModel& verb) {
    std::string values, all, with_value;
    for (const OptionModel& option : verb.options) {
        all += (all.empty() ? "" : " ") + Joined(option.names, " ");
        if (ValueOf(option, false) == Value::kNone) continue;
        with_value += (with_value.empty() ? "" : "|") + Joined(option.names, "|");
        values += "                " + Joined(option.names, "|") + ") " + BashReply(option, false) +
                  "; return ;;\n";
    }
    std::string out = "        " + verb.name + ")\n";
    if (verb.takes_command) {
        out += "            if _comshu_command '" + with_value + "'; then return; fi\n";
    }
    if (!values.empty()) {
        out += "            case $previous in\n" + values + "            esac\n";
    }
    out += "            if [[ $word == -* ]]; then _comshu_words '" + all + "'; return; fi\n";
    for (const OptionModel& argument : verb.arguments) {
        out += "            " + BashReply(argument, true) + "\n";
        break;
    }
    return out + "            ;;\n";
}

// In single quotes, as zsh's _arguments wants a text inside [].
std::string ZshText(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '\'')
            out += "'\\''";
        else if (c == '[' || c == ']' || c == ':' || c == '\\')
            out += std::string("\\") + c;
        else
            out += c;
    }
    return out;
}

std::string ZshAction(const OptionModel& option, bool positional) {
    switch (ValueOf(option, positional)) {
        case Value::kChoice:
            return "(" + Joined(option.choices, " ") + ")";
        case Value::kProviders:
            return "_comshu_providers";
        case Value::kFolder:
            return "_files -/";
        case Value::kFile:
            return "_files";
        default:
            return " ";
    }
}

std::string ZshOption(const OptionModel& option) {
    std::string names = option.names.size() == 1 ? "'" + option.names.front()
                                                 : "'(" + Joined(option.names, " ") + ")'{" +
                                                       Joined(option.names, ",") + "}'";
    std::string out = names + "[" + ZshText(option.help) + "]";
    if (ValueOf(option, false) != Value::kNone) {
        out += ":" + ZshText(option.value) + ":" + ZshAction(option, false);
    }
    return out + "'";
}

std::string ZshVerb(const VerbModel& verb) {
    std::string out = "        " + verb.name + ")\n            _arguments -s -S";
    for (const OptionModel& option : verb.options)
        out += " \\\n                " + ZshOption(option);
    for (const OptionModel& argument : verb.arguments) {
        out += " \\\n                '*:" + ZshText(argument.help) + ":" +
               ZshAction(argument, true) + "'";
        break;
    }
    if (verb.takes_command) out += " \\\n                '*::command: _normal'";
    return out + "\n            ;;\n";
}

}  // namespace

std::string BashCompletion(const std::vector<VerbModel>& verbs) {
    std::string names, cases;
    for (const VerbModel& verb : verbs) {
        names += (names.empty() ? "" : " ") + verb.name;
        cases += BashVerb(verb);
    }
    return std::string(R"sh(# Completion of comshu in bash: comshu completion bash
_comshu_words() { COMPREPLY=($(compgen -W "$1" -- "$word")); }
_comshu_paths() {
    local IFS=$'\n'
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen "$1" -- "$word"))
}
_comshu_provider_names() { )sh") +
           kProviderNames + R"sh(; }
# The last of several names; those before it stay.
_comshu_providers() {
    local before= last=$word
    if [[ $word == *,* ]]; then before=${word%,*}, last=${word##*,}; fi
    COMPREPLY=($(compgen -P "$before" -W "$(_comshu_provider_names "${COMP_WORDS[0]}")" -- "$last"))
    compopt -o nospace 2>/dev/null
}
# True when the command that is to be run has begun: it is completed as itself.
_comshu_command() {
    local i begin=0
    for ((i = 2; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
            --) begin=$((i + 1)); break ;;
            -*) if [[ "|$1|" == *"|${COMP_WORDS[i]}|"* ]]; then i=$((i + 1)); fi ;;
            *) begin=$i; break ;;
        esac
    done
    if ((begin == 0)); then
        if [[ $word == -* ]] || ((i > COMP_CWORD)); then return 1; fi
        begin=$COMP_CWORD
    fi
    if ((begin == COMP_CWORD)); then
        compopt -o filenames 2>/dev/null
        COMPREPLY=($(compgen -c -- "$word") $(compgen -f -- "$word"))
    elif declare -F _command_offset >/dev/null; then
        _command_offset "$begin"
    else
        _comshu_paths -f
    fi
    return 0
}
_comshu() {
    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then _comshu_words ')sh" +
           names + R"sh( --help --version'; return; fi
    case ${COMP_WORDS[1]} in
)sh" + cases +
           R"sh(    esac
}
complete -F _comshu comshu
)sh";
}

std::string ZshCompletion(const std::vector<VerbModel>& verbs) {
    std::string names, cases;
    for (const VerbModel& verb : verbs) {
        names += "        '" + verb.name + ":" + ZshText(verb.help) + "'\n";
        cases += ZshVerb(verb);
    }
    return std::string(R"sh(#compdef comshu
# Completion of comshu in zsh: comshu completion zsh
_comshu_provider_names() { )sh") +
           kProviderNames + R"sh(; }
_comshu_providers() {
    local -a names
    names=(${(f)"$(_comshu_provider_names comshu)"})
    _values -s , provider $names
}
_comshu() {
    local -a verbs
    verbs=(
)sh" + names +
           R"sh(    )
    if ((CURRENT == 2)); then
        _describe -t verbs verb verbs
        return
    fi
    local verb=$words[2]
    shift words
    ((CURRENT--))
    case $verb in
)sh" + cases +
           R"sh(    esac
}
# Found along fpath, or sourced.
if [[ $funcstack[1] == _comshu ]]; then _comshu "$@"; else compdef _comshu comshu; fi
)sh";
}

}  // namespace comshu
