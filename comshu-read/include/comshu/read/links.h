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

// Whether the folder is there and can be read.
bool HasLinks(Database* database);

// Writes the folder, tables of more than `rows_per_file` rows as several files, and removes those of earlier
// contents. Nothing to do if it is there, or if the capture
// has none; false and a reason if it cannot be written.
bool KeepLinks(Database* database, std::string* error, uint64_t rows_per_file = kLinkRowsPerFile);

// Makes the folder by `fill`, which writes all files into the folder it is given; otherwise as KeepLinks.
bool MakeLinkFolder(const std::string& folder,
                    const std::function<bool(const std::string& part, std::string* error)>& fill,
                    std::string* error);

// KeepLinks, if this database has matched the capture, and that took long enough to be worth keeping. A
// folder that cannot be written is left alone.
void KeepLinksIfWorth(Database* database);

}  // namespace comshu::read

#endif  // COMSHU_READ_LINKS_H_
