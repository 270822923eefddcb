// Options that take one of several words.
#ifndef COMSHU_CHOICE_OPTION_H_
#define COMSHU_CHOICE_OPTION_H_

#include <CLI/CLI.hpp>

#include <map>
#include <string>

namespace comshu {

// Sets `value` to what the word stands for, in small or capital letters; help and completion list the
// words. What is none of them is answered with them: CLI11's own transformer prints the values too.
template <typename Value>
void AddChoice(CLI::App& verb, const char* names, Value* value,
               const std::map<std::string, Value>& choices, const char* help) {
    std::string words;
    for (const auto& [word, ignored] : choices) words += (words.empty() ? "" : ",") + word;
    const auto unknown = [choices, words](const std::string& word) {
        return choices.contains(CLI::detail::to_lower(word)) ? "" : word + " is none of " + words;
    };
    const auto set = [choices, value](const std::string& word) {
        *value = choices.at(CLI::detail::to_lower(word));
    };
    verb.add_option_function<std::string>(names, set, help)
        ->check(CLI::Validator(unknown, "{" + words + "}"));
}

}  // namespace comshu

#endif  // COMSHU_CHOICE_OPTION_H_
