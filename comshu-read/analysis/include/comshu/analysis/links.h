// What matching found, counted and listed.
#ifndef COMSHU_ANALYSIS_LINKS_H_
#define COMSHU_ANALYSIS_LINKS_H_

#include <vector>

namespace comshu::analysis {

// Rows that one should look at: `sql` gives them.
struct LinkList {
    const char* name;
    const char* what;
    const char* sql;
};
const std::vector<LinkList>& LinkLists();

// A query of one row per count: what, rows, bytes.
extern const char* const kLinkCountsSql;

}  // namespace comshu::analysis

#endif  // COMSHU_ANALYSIS_LINKS_H_
