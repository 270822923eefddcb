// What matching found, kept beside the capture.
#ifndef COMSHU_READ_LINKS_H_
#define COMSHU_READ_LINKS_H_

#include <cstdint>
#include <functional>
#include <string>

#include "comshu/read/database.h"

namespace comshu::read {

// Rows of one file of a table: what is at most in the memory of who writes it.
constexpr uint64_t kLinkRowsPerFile = uint64_t{1} << 20;

// Problem: every question about messages would match the whole capture anew. Idea: the rows lie as Parquet, in
// order of time, in a folder of the capture's `cache` whose name is a hash of the contents of its streams;
// the views read it when it is there, and a capture that has changed does not find it. Deleting the cache
// is always safe.

// That folder; empty for a capture that is not at rest (a process runs, or left a .live file) or is no folder.
std::string LinkFolder(const Capture& capture);
// The same if it were read by that clock.
std::string LinkFolder(const Capture& capture, ClockChoice clock);

// Whether the folder is there and can be read.
bool HasLinks(Database* database);
bool HasLinks(Database* database, const std::string& folder);

// Has the views of the database read the folder if it is there, and match when they are asked if it is not.
// Makes the macros `linked_message`, `linked_unmatched` and `linked_collective`, and the same as `ordered_...`
// in order of time.
bool UseLinks(Database* database, std::string* error);

// Writes the folder, tables of more than `rows_per_file` rows as several files, removes those of earlier
// contents, and has the views read it. Nothing to do if it is there, or if the capture has none; false and
// a reason if it cannot be written. Memory: a few hundred bytes for each of `rows_per_file`, and what
// was in flight.
bool KeepLinks(Database* database, std::string* error, uint64_t rows_per_file = kLinkRowsPerFile);

// What belongs to the links of a capture beside its tables: the curves of the logical clock.
bool WriteClocks(const Capture& capture, const std::string& folder, std::string* error);

// Makes the folder by `fill`, which writes all files into the folder it is given; otherwise as KeepLinks.
bool MakeLinkFolder(const std::string& folder,
                    const std::function<bool(const std::string& part, std::string* error)>& fill,
                    std::string* error);

// KeepLinks before links are asked for, if matching takes long enough to be worth keeping: from so many records on
// it is more than a tenth of a second. A folder that cannot be written is left alone.
constexpr uint64_t kLinkWorthRecords = 2'000'000;
void KeepLinksIfWorth(Database* database, uint64_t worth_records = kLinkWorthRecords);

}  // namespace comshu::read

#endif  // COMSHU_READ_LINKS_H_
