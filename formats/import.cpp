#include "comshu/format/import.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "alog/alog_reader.h"
#include "capture_writer.h"
#include "child_process.h"
#include "chrome/chrome_reader.h"
#include "detect.h"
#include "otf2/otf2_reader.h"
#include "paraver/paraver_reader.h"
#include "picl/old_reader.h"
#include "picl/reader_1992.h"
#include "text/line_source.h"
#include "text/spool.h"
#include "trace_reader.h"

namespace comshu::format {
namespace {

namespace fs = std::filesystem;

constexpr size_t kDetectBytes = size_t{64} << 10;
// How often the user is asked, in lines.
constexpr uint64_t kLinesPerLook = 16384;

// The anchor file of an OTF2 archive that is given by its folder.
std::string AnchorOf(const std::string& path) {
    std::error_code code;
    if (!fs::is_directory(path, code)) return path;
    for (fs::directory_iterator it(path, code), end; !code && it != end; it.increment(code)) {
        if (it->path().extension() == ".otf2") return it->path().string();
    }
    return path;
}

// An empty path if the folder has no name.
fs::path FolderPath(const std::string& folder) {
    if (folder.empty()) return {};
    fs::path path = fs::absolute(folder).lexically_normal();
    if (path.filename().empty()) path = path.parent_path();
    return path.filename().empty() ? fs::path() : path;
}

// When a trace was made is not in it; that of its file comes closest.
int64_t FileTimeNs(const std::string& path) {
    struct stat file;
    if (stat(path.c_str(), &file) != 0) return 0;
    return file.st_mtim.tv_sec * 1'000'000'000 + file.st_mtim.tv_nsec;
}

// What an import tells, from the process that did it to the one that was asked.
std::string ResultText(bool done, const ImportResult& result, const std::string& error) {
    nlohmann::json files = nlohmann::json::array();
    for (const ImportedFile& file : result.files) {
        nlohmann::json problems = nlohmann::json::array();
        for (const Problem& problem : file.problems)
            problems.push_back({problem.line, problem.column, problem.text});
        files.push_back({{"lines", file.lines},
                         {"records", file.records},
                         {"unknown", file.unknown},
                         {"illegal", file.illegal},
                         {"problems", problems},
                         {"problem_count", file.problem_count},
                         {"remarks", file.remarks}});
    }
    const nlohmann::json all = {{"done", done},
                                {"error", error},
                                {"ranks", result.ranks},
                                {"recorded", result.recorded},
                                {"files", files}};
    return all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool SetResult(const std::string& text, ImportResult* result, std::string* error) {
    const nlohmann::json all = nlohmann::json::parse(text);
    *error = all.at("error").get<std::string>();
    result->ranks = all.at("ranks").get<uint64_t>();
    result->recorded = all.at("recorded").get<uint64_t>();
    for (size_t i = 0; i < result->files.size(); ++i) {
        const nlohmann::json& from = all.at("files").at(i);
        ImportedFile& file = result->files[i];
        file.lines = from.at("lines").get<uint64_t>();
        file.records = from.at("records").get<uint64_t>();
        file.unknown = from.at("unknown").get<uint64_t>();
        file.illegal = from.at("illegal").get<uint64_t>();
        file.problem_count = from.at("problem_count").get<uint64_t>();
        file.remarks = from.at("remarks").get<std::vector<std::string>>();
        for (const nlohmann::json& problem : from.at("problems")) {
            file.problems.push_back({problem.at(0).get<uint64_t>(), problem.at(1).get<uint32_t>(),
                                     problem.at(2).get<std::string>()});
        }
    }
    return all.at("done").get<bool>();
}

class Importer {
public:
    Importer(const ImportOptions& options, ImportResult* result, std::string* error)
        : options_(options), result_(*result), error_(*error) {}

    bool Run(const std::vector<std::string>& paths, const std::string& folder);

private:
    struct Input {
        std::string name;  // As it was given.
        std::string path;  // Where it is read: of a stream, a file of ours.
        bool is_stream = false;
    };

    bool Fail(std::string text) {
        error_ = std::move(text);
        return false;
    }
    bool FailUnknown(const std::string& name, const std::string& why_no_picl = "") {
        return Fail(fmt::format("{}: its format is not known; there are: {}{}{}", name,
                                ImportFormats(),
                                why_no_picl.empty() ? "" : "; as PICL it fails at ", why_no_picl));
    }
    bool CheckGivenOnce(const std::vector<std::string>& paths);
    bool ReadStreams(const std::string& part);
    bool Look();
    bool LookAt(const Input& input);
    bool FindHost(ByteSource* source, std::string part);
    bool Make(const std::string& part);
    bool MakeApart(const std::string& part);
    bool ReadAll(TraceSink* sink);
    bool ReadLines(TraceSink* sink, LineReader* reader);
    bool ReadChrome(TraceSink* sink);
    bool IsStopped(const ByteSource& source, size_t file);
    bool WriteDescription(const std::string& folder);
    void Describe(TraceSink* sink, CaptureWriter* writer);

    const ImportOptions& options_;
    ImportResult& result_;
    std::string& error_;
    std::vector<Input> inputs_;
    std::vector<Format> formats_;
    bool has_host_ = false;
};

// The parts of a trace are different files, whatever they are called.
bool Importer::CheckGivenOnce(const std::vector<std::string>& paths) {
    std::map<std::pair<dev_t, ino_t>, std::string> seen;
    for (const std::string& path : paths) {
        struct stat file;
        if (stat(AnchorOf(path).c_str(), &file) != 0) continue;  // Opening it will tell.
        const auto [first, is_new] = seen.emplace(std::pair(file.st_dev, file.st_ino), path);
        if (is_new) continue;
        return Fail(first->second == path ? path + ": is given twice"
                                          : fmt::format("{} is the same file as {}: give it once",
                                                        path, first->second));
    }
    return true;
}

// What can be read once alone goes to files in the folder `part`.
bool Importer::ReadStreams(const std::string& part) {
    for (size_t i = 0; i < inputs_.size(); ++i) {
        Input& input = inputs_[i];
        if (!input.is_stream) continue;
        input.path = fmt::format("{}/input.{}", part, i);
        const auto accepts = [&](std::string_view head) {
            if (head.starts_with("\x1f\x8b")) return true;
            if (head.empty()) return Fail(input.name + ": is empty");
            const Format format = DetectFormat(head);
            if (format == Format::kUnknown) return FailUnknown(input.name, WhyNoPicl(head));
            return format != Format::kOtf2 ||
                   Fail(input.name + ": an OTF2 archive has several files: give its folder");
        };
        if (!Spool(input.name, input.path, accepts, options_.stopped, &error_)) return false;
    }
    return true;
}

// Whether a node -32768 is in a file of PICL that begins with `part`.
bool Importer::FindHost(ByteSource* source, std::string part) {
    constexpr std::string_view kHost = "-32768";
    for (;;) {
        if (std::string_view(part).find(kHost) != std::string_view::npos) has_host_ = true;
        if (has_host_ || part.empty()) return true;
        const size_t kept = std::min(part.size(), kHost.size() - 1);
        std::string next(part.end() - static_cast<ptrdiff_t>(kept), part.end());
        next.resize(kept + (size_t{1} << 20));
        const size_t got = source->Read(next.data() + kept, next.size() - kept);
        if (got == 0) return true;
        next.resize(kept + got);
        part = std::move(next);
        if (options_.stopped && options_.stopped()) return Fail("stopped");
    }
}

bool Importer::LookAt(const Input& input) {
    const std::unique_ptr<ByteSource> source =
        ByteSource::Open(AnchorOf(input.path), &error_, input.name);
    if (source == nullptr) return false;
    std::string head(kDetectBytes, '\0');
    head.resize(source->Read(head.data(), head.size()));
    // What is cut is read as far as it goes.
    if (head.empty())
        return Fail(source->error().empty() ? input.name + ": is empty" : source->error());
    const Format format = DetectFormat(head);
    if (format == Format::kUnknown) return FailUnknown(input.name, WhyNoPicl(head));
    formats_.push_back(format);
    ImportedFile file;
    file.path = input.name;
    file.format = FormatName(format);
    file.bytes = source->file_bytes();
    result_.files.push_back(std::move(file));
    return format != Format::kPicl || has_host_ || FindHost(source.get(), std::move(head));
}

// The format of each file, and what has to be known before it is read.
bool Importer::Look() {
    for (const Input& input : inputs_) {
        if (!LookAt(input)) return false;
    }
    const auto other = std::find_if(formats_.begin(), formats_.end(),
                                    [&](Format format) { return format != formats_.front(); });
    if (other != formats_.end()) {
        return Fail(fmt::format("{} is {}, {} is {}: files of one format are imported together",
                                inputs_.front().name, FormatName(formats_.front()),
                                inputs_[static_cast<size_t>(other - formats_.begin())].name,
                                FormatName(*other)));
    }
    return true;
}

bool Importer::IsStopped(const ByteSource& source, size_t file) {
    if (options_.progress && source.file_bytes() > 0) {
        const double part = std::min(
            1.0, static_cast<double>(source.position()) / static_cast<double>(source.file_bytes()));
        options_.progress((static_cast<double>(file) + part) / static_cast<double>(inputs_.size()));
    }
    return options_.stopped && options_.stopped();
}

bool Importer::ReadLines(TraceSink* sink, LineReader* reader) {
    for (size_t i = 0; i < inputs_.size(); ++i) {
        sink->BeginFile(&result_.files[i]);
        const std::unique_ptr<ByteSource> source =
            ByteSource::Open(inputs_[i].path, &error_, inputs_[i].name);
        if (source == nullptr) return false;
        LineSource lines(source.get());
        std::string_view line;
        while (lines.Next(&line)) {
            if (lines.cut())
                sink->Illegal(lines.number(), 0, "a line of more than a megabyte");
            else
                reader->Line(line, lines.number());
            if (lines.number() % kLinesPerLook == 0 && IsStopped(*source, i))
                return Fail("stopped");
        }
        result_.files[i].lines = lines.number();
        if (!source->error().empty()) sink->Report(lines.number(), 0, source->error());
    }
    reader->Finish();
    return true;
}

bool Importer::ReadChrome(TraceSink* sink) {
    chrome::ChromeReader reader(sink);
    for (size_t i = 0; i < inputs_.size(); ++i) {
        sink->BeginFile(&result_.files[i]);
        const std::unique_ptr<ByteSource> source =
            ByteSource::Open(inputs_[i].path, &error_, inputs_[i].name);
        if (source == nullptr) return false;
        uint64_t events = 0;
        const chrome::JsonResult read = chrome::ReadJsonEvents(
            source.get(),
            [&](const chrome::JsonEvent& event, const chrome::JsonPlace& place) {
                reader.Event(event, place);
                return ++events % kLinesPerLook != 0 || !IsStopped(*source, i);
            },
            [&](const chrome::JsonPlace& place, const std::string& text) {
                sink->Report(place.line, place.column, text);
            });
        if (read.stopped) return Fail("stopped");
        ImportedFile& file = result_.files[i];
        file.lines = read.lines;
        if (!read.error.empty()) {
            const std::string rest = read.behind == 0
                                         ? ""
                                         : fmt::format(": {:.1f} % of the file ({} of {} bytes)",
                                                       100.0 * static_cast<double>(read.behind) /
                                                           static_cast<double>(read.bytes),
                                                       read.behind, read.bytes);
            sink->Report(read.place.line, read.place.column,
                         read.error + "; nothing is read from here on" + rest);
        }
        if (read.half_characters > 0) {
            file.remarks.push_back(
                core::Plural(read.half_characters, "half of a character", "halves of characters") +
                " in texts: read as U+FFFD");
        }
        if (read.cut) file.remarks.push_back("the file ends without its last brackets");
        if (!source->error().empty()) sink->Report(read.lines, 0, source->error());
    }
    reader.Finish();
    return true;
}

bool Importer::ReadAll(TraceSink* sink) {
    switch (formats_.front()) {
        case Format::kPicl: {
            picl::OldReader reader(sink, has_host_);
            return ReadLines(sink, &reader);
        }
        case Format::kPicl1992: {
            picl::Reader1992 reader(sink);
            return ReadLines(sink, &reader);
        }
        case Format::kChrome:
            return ReadChrome(sink);
        case Format::kAlog: {
            alog::AlogReader reader(sink);
            return ReadLines(sink, &reader);
        }
        case Format::kParaver: {
            paraver::PcfNames names;
            const bool has_names = names.Read(paraver::PcfOf(inputs_.front().name));
            paraver::ParaverReader reader(sink, has_names ? &names : nullptr);
            return ReadLines(sink, &reader);
        }
        case Format::kOtf2:
            if (inputs_.size() > 1) return Fail("give one OTF2 archive");
            sink->BeginFile(&result_.files.front());
            return otf2::ReadArchive(AnchorOf(inputs_.front().path), sink, options_.stopped,
                                     &error_);
        case Format::kUnknown:
            break;
    }
    return Fail(inputs_.front().name + ": its format is not known");
}

bool Importer::WriteDescription(const std::string& folder) {
    nlohmann::json description;
    std::vector<std::string> command = {"comshu", "import"};
    for (const Input& input : inputs_) command.push_back(input.name);
    description["command"] = command;
    description["imported"] = nlohmann::json::array();
    for (const ImportedFile& file : result_.files) {
        description["imported"].push_back({{"path", file.path},
                                           {"format", file.format},
                                           {"bytes", file.bytes},
                                           {"lines", file.lines},
                                           {"records", file.records},
                                           {"unknown", file.unknown},
                                           {"illegal", file.illegal}});
    }
    std::ofstream out(folder + "/capture.json");
    out << description.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
    out.close();
    return out.good() || Fail(folder + "/capture.json: cannot be written");
}

schema::TraceFormat SchemaFormat(Format format) {
    switch (format) {
        case Format::kPicl1992:
            return schema::TraceFormat::picl_1992;
        case Format::kChrome:
            return schema::TraceFormat::chrome;
        case Format::kAlog:
            return schema::TraceFormat::alog;
        case Format::kOtf2:
            return schema::TraceFormat::otf2;
        case Format::kParaver:
            return schema::TraceFormat::paraver;
        default:
            return schema::TraceFormat::picl;
    }
}

// What a user should know later as well goes into the capture.
void Importer::Describe(TraceSink* sink, CaptureWriter* writer) {
    constexpr size_t kNotesPerFile = 20;
    const int64_t zero = CaptureZeroNs(sink->first_ns());
    const auto note = [&](const std::string& text) {
        writer->Note(0, TickOf(zero), "import", text);
    };
    for (const ImportedFile& file : result_.files) {
        writer->Define(0, schema::ImportSource(TickOf(sink->first_ns()), writer->Text(file.path),
                                               file.bytes, file.lines, file.records, file.unknown,
                                               file.illegal, zero, SchemaFormat(formats_.front())));
        for (const std::string& remark : file.remarks) note(remark);
        for (size_t i = 0; i < std::min(kNotesPerFile, file.problems.size()); ++i) {
            const Problem& problem = file.problems[i];
            note(fmt::format("{}: {}", ProblemPlace(file.path, problem), problem.text));
        }
        if (file.problem_count > kNotesPerFile) {
            note(fmt::format("{}: {} more like these", file.path,
                             file.problem_count - kNotesPerFile));
        }
    }
}

// The capture, in the folder `part`.
bool Importer::Make(const std::string& part) {
    bool done = false;
    {
        CaptureWriter writer(part, FileTimeNs(inputs_.front().path));
        TraceSink sink(&writer,
                       options_.text_budget > 0 ? options_.text_budget : TraceSink::kTextBudget);
        done = ReadAll(&sink);
        if (done && writer.ranks() == 0)
            done = Fail(fmt::format("{}: there is no record in it", inputs_.front().name));
        if (done) {
            sink.ReportTextsLeftOut();
            Describe(&sink, &writer);
            const int64_t zero = CaptureZeroNs(sink.first_ns());
            std::string command = "comshu import";
            for (const Input& input : inputs_) command += " " + input.name;
            done = writer.Finish(zero, sink.last_ns(), "trace", command);
            if (!done) error_ = writer.error();
            result_.ranks = writer.ranks();
            result_.recorded = writer.recorded();
        }
    }
    return done && WriteDescription(part);
}

// The same in a process of its own: the OTF2 library does not survive every damaged archive.
bool Importer::MakeApart(const std::string& part) {
    const ChildEnd end = RunInChild(
        [&] {
            const bool done = Make(part);
            return ResultText(done, result_, error_);
        },
        options_.stopped);
    if (end.signal != 0) {
        return Fail(fmt::format("{}: is damaged: the OTF2 library did not survive reading it ({})",
                                inputs_.front().name, strsignal(end.signal)));
    }
    if (!end.error.empty())
        return Fail(end.said.empty() ? end.error : fmt::format("{}: {}", end.error, end.said));
    return SetResult(end.text, &result_, &error_);
}

bool Importer::Run(const std::vector<std::string>& paths, const std::string& folder) {
    if (paths.empty()) return Fail("no file is given");
    const fs::path target = FolderPath(folder);
    if (target.empty()) return Fail("the folder to make has no name: give one with -o");
    std::error_code code;
    if (fs::exists(target, code)) return Fail(folder + ": exists; give a folder that does not");
    for (const std::string& path : paths) inputs_.push_back({path, path, IsStream(path)});
    const bool has_streams = std::any_of(inputs_.begin(), inputs_.end(),
                                         [](const Input& input) { return input.is_stream; });
    // Without streams, nothing is made before the files are looked at.
    if (!CheckGivenOnce(paths) || (!has_streams && !Look())) return false;
    std::vector<fs::path> parents;  // Those that are missing, the innermost first.
    for (fs::path at = target.parent_path(); !fs::exists(at, code) && at.has_relative_path();
         at = at.parent_path()) {
        parents.push_back(at);
    }
    const fs::path part = target.parent_path() /
                          fmt::format(".{}.{}.importing", target.filename().string(), getpid());
    fs::create_directories(part, code);
    bool done = !code || Fail(fmt::format("{}: cannot be made: {}", folder, code.message()));
    if (done && has_streams) done = ReadStreams(part.string()) && Look();
    if (done)
        done = formats_.front() == Format::kOtf2 ? MakeApart(part.string()) : Make(part.string());
    if (done) {
        for (const Input& input : inputs_) {
            if (input.path != input.name) fs::remove(input.path, code);
        }
        fs::rename(part, target, code);
        if (code) done = Fail(fmt::format("{}: cannot be made: {}", folder, code.message()));
    }
    if (!done) {
        fs::remove_all(part, code);
        for (const fs::path& parent : parents) fs::remove(parent, code);
    }
    return done;
}

}  // namespace

std::string ProblemPlace(const std::string& path, const Problem& problem) {
    if (problem.line == 0) return path;
    if (problem.column == 0) return fmt::format("{}:{}", path, problem.line);
    return fmt::format("{}:{}:{}", path, problem.line, problem.column);
}

const char* ImportFormats() {
    return "PICL (old compact, old verbose, 1992), Chrome trace JSON, ALOG, Paraver, OTF2";
}

bool Import(const std::vector<std::string>& paths, const std::string& folder,
            const ImportOptions& options, ImportResult* result, std::string* error) {
    return Importer(options, result, error).Run(paths, folder);
}

}  // namespace comshu::format
