#include "paraver/objects.h"

#include <algorithm>

#include "each_row.h"

namespace comshu::format::paraver {
namespace {

constexpr const char* kObjectsSql = R"(SELECT t.rank, t.thread, coalesce(t.name, ''),
    coalesce(r.host, ''), coalesce(p.boot_id, '') FROM thread t LEFT JOIN rank r ON r.rank = t.rank
LEFT JOIN process p ON p.process_id = r.process_id
ORDER BY t.rank, t.thread, t.process_id <> r.process_id, t.process_id)";

}  // namespace

size_t Objects::NodeOf(const std::string& host, const std::string& boot_id) {
    const auto found = std::find_if(nodes_.begin(), nodes_.end(), [&](const Node& node) {
        return node.name == host && node.boot_id == boot_id;
    });
    const auto at = static_cast<size_t>(found - nodes_.begin());
    if (found == nodes_.end()) nodes_.push_back({host, boot_id, 0});
    return at;
}

bool Objects::Load(read::Database* database, std::string* error) {
    int64_t last_rank = -1;
    int64_t last_thread = -1;
    const bool done = EachRow(database, kObjectsSql, error, [&](const read::Query& row) {
        const int64_t rank = std::max<int64_t>(0, row.Integer(0));
        const auto thread = static_cast<size_t>(row.Unsigned(1));
        const std::string name = row.Text(2);
        if (rank == last_rank && row.Integer(1) == last_thread) {
            names_left_out_ += !name.empty();
            return;
        }
        if (rank != last_rank) {
            const size_t node = NodeOf(row.Text(3), row.Text(4));
            tasks_.resize(static_cast<size_t>(rank) + 1, Task{node, {""}});
            tasks_.back() = {node, {}};
        }
        last_rank = rank;
        last_thread = row.Integer(1);
        tasks_.back().threads.resize(thread + 1);
        tasks_.back().threads.back() = name;
    });
    if (nodes_.empty()) nodes_.emplace_back();
    for (const Task& task : tasks_) ++nodes_[task.node].tasks;
    return done;
}

void Objects::WriteHeader(FileOutput* out) const {
    out->Print("{}(", nodes_.size());
    const char* separator = "";
    for (const Node& node : nodes_) {
        out->Print("{}{}", separator, std::max<uint64_t>(1, node.tasks));
        separator = ",";
    }
    out->Print("):1:{}(", tasks_.size());
    separator = "";
    for (const Task& task : tasks_) {
        out->Print("{}{}:{}", separator, task.threads.size(), task.node + 1);
        separator = ",";
    }
    out->Write(")");
}

void Objects::WriteNames(LineNames* names, FileOutput* out) const {
    out->Print("LEVEL NODE SIZE {}\n", nodes_.size());
    for (size_t i = 0; i < nodes_.size(); ++i) {
        if (nodes_[i].name.empty())
            out->Print("node {}\n", i);
        else
            out->Print("{}\n", names->Of(nodes_[i].name));
    }
    out->Print("\nLEVEL TASK SIZE {}\n", tasks_.size());
    uint64_t threads = 0;
    for (size_t i = 0; i < tasks_.size(); ++i) {
        out->Print("rank {}\n", i);
        threads += tasks_[i].threads.size();
    }
    out->Print("\nLEVEL THREAD SIZE {}\n", threads);
    for (size_t i = 0; i < tasks_.size(); ++i) {
        for (size_t t = 0; t < tasks_[i].threads.size(); ++t) {
            const std::string& name = tasks_[i].threads[t];
            out->Print("{} of rank {}\n",
                       name.empty() ? fmt::format("thread {}", t) : names->Of(name), i);
        }
    }
}

}  // namespace comshu::format::paraver
