#include "command_model.h"

#include <algorithm>

namespace comshu {
namespace {

// The words of {mpich,openmpi} or {csv->1,json->2} in what CLI11 says of an option's type.
std::vector<std::string> Choices(const std::string& type) {
    std::vector<std::string> choices;
    size_t begin = type.find('{');
    size_t end = type.find('}', begin);
    if (begin == std::string::npos || end == std::string::npos) return choices;
    while (begin < end) {
        size_t next = std::min(type.find(',', begin + 1), end);
        std::string word = type.substr(begin + 1, next - begin - 1);
        choices.push_back(word.substr(0, word.find("->")));
        begin = next;
    }
    return choices;
}

// CLI11 has a name for every C++ type; only those that were given say something.
std::string ValueName(const CLI::Option& option, const std::vector<std::string>& choices) {
    if (option.get_items_expected_max() == 0) return "";
    if (!choices.empty()) {
        // More than that goes into no line of help; the option's text has them.
        constexpr size_t kLongest = 40;
        const std::string all = Joined(choices, "|");
        return all.size() <= kLongest ? all : "WORD";
    }
    const std::string type = option.get_type_name();
    if (type == "TEXT") return "NAME";
    if (type == "INT" || type == "UINT" || type == "FLOAT") return "N";
    return type;
}

OptionModel ModelOf(const CLI::Option& option) {
    OptionModel model;
    if (option.get_positional()) {
        model.names.push_back(option.get_name(true));
    } else {
        for (const std::string& name : option.get_snames()) model.names.push_back("-" + name);
        for (const std::string& name : option.get_lnames()) model.names.push_back("--" + name);
    }
    model.choices = Choices(option.get_type_name());
    model.value = ValueName(option, model.choices);
    model.help = option.get_description();
    model.required = option.get_required();
    return model;
}

}  // namespace

std::string Joined(const std::vector<std::string>& words, const char* between) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
    return text;
}

VerbModel ModelOf(const Verb& verb) {
    CLI::App app(verb.help, verb.name);
    app.set_help_flag("-h,--help", "this help");
    verb.declare(app);
    VerbModel model;
    model.name = verb.name;
    model.help = verb.help;
    model.example = verb.example;
    model.takes_command = verb.takes_command;
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_group().empty()) continue;
        (option->get_positional() ? model.arguments : model.options).push_back(ModelOf(*option));
    }
    return model;
}

std::vector<VerbModel> AllModels() {
    std::vector<VerbModel> models;
    for (const Verb& verb : Verbs()) models.push_back(ModelOf(verb));
    return models;
}

std::string VerbModel::Usage() const {
    std::string text = "comshu " + name + " [OPTIONS]";
    for (const OptionModel& argument : arguments) {
        const std::string& word = argument.names.front();
        text += argument.required ? " " + word : " [" + word + "]";
    }
    return takes_command ? text + " -- COMMAND..." : text;
}

std::string Signature(const OptionModel& option) {
    std::string text = Joined(option.names, ", ");
    return option.value.empty() || !option.names.front().starts_with("-")
               ? text
               : text + " " + option.value;
}

}  // namespace comshu
