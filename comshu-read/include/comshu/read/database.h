// A capture as tables of SQL: DuckDB in memory, with a table function per record type.
#ifndef COMSHU_READ_DATABASE_H_
#define COMSHU_READ_DATABASE_H_

#include <duckdb.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "comshu/read/capture.h"
#include "comshu/read/pending_file.h"

namespace comshu::read {

// Problem: ad-hoc questions over hundreds of millions of records, without an import. Idea: every
// record type is a table function `name(t0_ns, t1_ns, ranks)` that decodes only the blocks and columns
// a query needs, on all cores, and a view `name` of the whole; what is small (processes, ranks,
// threads, notes, artifacts, names of enum values, record types, open spans) is copied into tables.
// What does not fit in memory goes to a folder of its own in TMPDIR, where nobody else can read it.
// One connection; not thread-safe (DuckDB works on several threads inside a query). Errors are
// returned as DuckDB's text, ready to be shown.
class Database {
public:
    static std::unique_ptr<Database> Open(std::shared_ptr<const Capture> capture,
                                          std::string* error);

    // Opens folders of captures as one, or one export folder (Parquet).
    static std::unique_ptr<Database> OpenPaths(const std::vector<std::string>& paths,
                                               std::string* error,
                                               ClockChoice clock = ClockChoice::kMeasured);

    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    // Null when it was opened from an export folder: then all tables are views of its files.
    const Capture* capture() const { return capture_.get(); }
    duckdb_connection connection() const { return connection_; }
    // Another one, for what has to run statements while one is being executed; null: DuckDB refuses. The
    // caller disconnects it, before the database goes.
    duckdb_connection Connect() const;

    // Looks at every block of the capture and fills table `problem` anew: without it, it tells what
    // opening found. Costs reading all bytes, once.
    bool CheckAll(std::string* error);

    // A view whose making takes longer than most questions is made when one needs it: before the first
    // statement whose text holds one of `words`, or that asks what views there are. What its rows come from,
    // and takes longer still, only before a statement from outside that holds one of them: to make a view of it
    // is no reason yet.
    enum class Need : uint8_t { kView, kRows };
    using Maker = std::function<bool(std::string* error)>;
    void MakeOnMention(std::vector<std::string> words, Maker make, Need need = Need::kView);
    bool MakeMentioned(const std::string& sql, std::string* error);

    // Runs statements whose results nobody wants.
    bool Execute(const std::string& sql, std::string* error);

private:
    explicit Database(std::shared_ptr<const Capture> capture) : capture_(std::move(capture)) {}
    bool Start(std::string* error);
    void ChooseSpillFolder();
    bool AddTables(std::string* error);
    bool MakeViews(std::string* error);

    struct Pending {
        std::vector<std::string> words;
        Maker make;
        Need need;
    };

    std::shared_ptr<const Capture> capture_;
    std::unique_ptr<PendingFile> spill_;  // Never committed: it goes when this does.
    std::vector<Pending> pending_;
    int making_ = 0;  // Makers that are at work.
    bool is_checked_ = false;
    duckdb_database database_ = nullptr;
    duckdb_connection connection_ = nullptr;
};

// Text as a literal and as an identifier of SQL.
std::string SqlText(const std::string& text);
std::string SqlName(const std::string& name);

}  // namespace comshu::read

#endif  // COMSHU_READ_DATABASE_H_
