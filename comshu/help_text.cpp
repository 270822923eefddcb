#include "help_text.h"

#include <algorithm>
#include <sstream>

namespace comshu {
namespace {

constexpr const char* kIntroduction = "comshu shows what a parallel program says to itself.";
constexpr const char* kFirstTry = "comshu run -p mpi -- mpirun -n 2 ./app";
// No name is given more room than this.
constexpr size_t kWidestName = 28;
// Lines get no easier to read beyond it.
constexpr size_t kWidestText = 110;

std::string Bold(const std::string& text, const Terminal& terminal) {
    return terminal.color ? "\x1b[1m" + text + "\x1b[0m" : text;
}

struct Row {
    std::string name;
    std::string text;
};

std::string Table(const std::vector<Row>& rows, const Terminal& terminal) {
    const size_t columns = std::min(terminal.width, kWidestText);
    // Half of the line at most is for names; a longer one has a line of its own.
    const size_t widest = std::min(kWidestName, columns / 2 - 4);
    size_t width = 0;
    for (const Row& row : rows) {
        if (Columns(row.name) <= widest) width = std::max(width, Columns(row.name));
    }
    const size_t indent = 2 + width + 2;
    std::string out;
    for (const Row& row : rows) {
        const size_t used = Columns(row.name);
        out += "  " + Bold(row.name, terminal);
        out += used <= width ? std::string(width - used + 2, ' ') : "\n" + std::string(indent, ' ');
        out += Wrapped(row.text, columns - indent, indent) + "\n";
    }
    return out;
}

std::vector<Row> Rows(const std::vector<OptionModel>& options) {
    std::vector<Row> rows;
    for (const OptionModel& option : options) rows.push_back({Signature(option), option.help});
    return rows;
}

std::string Indented(const std::string& lines, const char* before) {
    std::istringstream in(lines);
    std::string out;
    for (std::string line; std::getline(in, line);) out += before + line + "\n";
    return out;
}

// Text for man(7): backslashes and leading dots mean something there, hyphens become dashes.
std::string Roff(const std::string& text) {
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool first = i == 0 || text[i - 1] == '\n';
        if (first && (c == '.' || c == '\'')) out += "\\&";
        if (c == '\\')
            out += "\\e";
        else if (c == '-')
            out += "\\-";
        else
            out += c;
    }
    return out;
}

std::string ManHead(const std::string& page, const std::string& version, const std::string& name,
                    const std::string& what) {
    return ".TH " + Roff(page) + " 1 \"\" \"comshu " + version +
           "\" \"User Commands\"\n.SH NAME\n" + Roff(name) + " \\- " + Roff(what) + "\n";
}

std::string ManTable(const std::vector<Row>& rows) {
    std::string out;
    for (const Row& row : rows) out += ".TP\n.B " + Roff(row.name) + "\n" + Roff(row.text) + "\n";
    return out;
}

std::string ManExample(const std::string& lines) {
    return ".SH EXAMPLE\n.nf\n" + Roff(lines) + "\n.fi\n";
}

}  // namespace

std::string HelpText(const VerbModel& verb, const Terminal& terminal) {
    const size_t width = std::min(terminal.width, kWidestText);
    std::string out = Wrapped("comshu " + verb.name + ": " + verb.help, width, 2) + "\n\n" +
                      Bold("Usage:", terminal) + " " + verb.Usage() + "\n";
    if (!verb.arguments.empty()) {
        out += "\n" + Bold("Arguments:", terminal) + "\n" + Table(Rows(verb.arguments), terminal);
    }
    out += "\n" + Bold("Options:", terminal) + "\n" + Table(Rows(verb.options), terminal);
    return out + "\n" + Bold("Example:", terminal) + "\n" + Indented(verb.example, "  ");
}

std::string OverviewText(const std::vector<VerbModel>& verbs, const Terminal& terminal) {
    std::vector<Row> rows;
    for (const VerbModel& verb : verbs) rows.push_back({"comshu " + verb.name, verb.help});
    return std::string(kIntroduction) + "\n\n" + Table(rows, terminal) + "\n" +
           Wrapped(
               "'comshu VERB --help' explains a verb, 'comshu --version' says which comshu this "
               "is. A first try:",
               std::min(terminal.width, kWidestText), 0) +
           "\n\n  " + kFirstTry + "\n";
}

std::string ManPage(const std::vector<VerbModel>& verbs, const std::string& version) {
    std::vector<Row> rows;
    std::string also;
    for (const VerbModel& verb : verbs) {
        rows.push_back({"comshu " + verb.name, verb.help});
        also += (also.empty() ? ".BR comshu\\-" : ",\n.BR comshu\\-") + Roff(verb.name) + " (1)";
    }
    return ManHead("COMSHU", version, "comshu", "shows what a parallel program says to itself") +
           ".SH SYNOPSIS\n.B comshu\n.I VERB\n[OPTIONS] ...\n.SH VERBS\n" + ManTable(rows) +
           ManExample(kFirstTry) + ".SH SEE ALSO\n" + also + "\n";
}

std::string ManPage(const VerbModel& verb, const std::string& version) {
    std::string out = ManHead("COMSHU-" + verb.name, version, "comshu-" + verb.name, verb.help) +
                      ".SH SYNOPSIS\n.B " + Roff(verb.Usage()) + "\n";
    if (!verb.arguments.empty()) out += ".SH ARGUMENTS\n" + ManTable(Rows(verb.arguments));
    return out + ".SH OPTIONS\n" + ManTable(Rows(verb.options)) + ManExample(verb.example) +
           ".SH SEE ALSO\n.BR comshu (1)\n";
}

}  // namespace comshu
