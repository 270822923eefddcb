// Where the threads of a capture ran, as Paraver numbers them.
#ifndef COMSHU_FORMATS_PARAVER_OBJECTS_H_
#define COMSHU_FORMATS_PARAVER_OBJECTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "comshu/read/database.h"
#include "text/file_output.h"
#include "text/one_line.h"

namespace comshu::format::paraver {

// Hosts are nodes, in the order of the first rank of each; ranks are tasks, those that were not recorded too.
// A rank that had several processes has the threads and the host of the first.
class Objects {
public:
    bool Load(read::Database* database, std::string* error);

    // NODES(ranks,ranks):1:TASKS(threads:node,threads:node), of the header.
    void WriteHeader(FileOutput* out) const;
    // FILE.row: what they are called.
    void WriteNames(LineNames* names, FileOutput* out) const;

    // Of threads: those that share a number with another one.
    uint64_t names_left_out() const { return names_left_out_; }

private:
    struct Node {
        std::string name;
        std::string boot_id;  // Tells hosts of one name apart.
        uint64_t tasks = 0;
    };
    struct Task {
        size_t node = 0;
        std::vector<std::string> threads;  // Their names; empty: none.
    };

    size_t NodeOf(const std::string& host, const std::string& boot_id);

    std::vector<Node> nodes_;
    std::vector<Task> tasks_;
    uint64_t names_left_out_ = 0;
};

}  // namespace comshu::format::paraver

#endif  // COMSHU_FORMATS_PARAVER_OBJECTS_H_
