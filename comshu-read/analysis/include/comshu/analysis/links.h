// What matching found, counted and listed.
#ifndef COMSHU_ANALYSIS_LINKS_H_
#define COMSHU_ANALYSIS_LINKS_H_

#include <string>
#include <vector>

#include "comshu/read/database.h"

namespace comshu::analysis {

// Rows that one should look at: `sql` gives them.
struct LinkList {
    const char* name;
    const char* what;
    const char* sql;
    // Makes a table that `sql` reads; null: it reads views.
    bool (*pass)(read::Database* database, std::string* error) = nullptr;
};
const std::vector<LinkList>& LinkLists();

// A query of one row per count: what, rows, bytes.
extern const char* const kLinkCountsSql;

}  // namespace comshu::analysis

#endif  // COMSHU_ANALYSIS_LINKS_H_
