#ifndef COMSHU_LAUNCH_CAPTURE_FOLDER_H_
#define COMSHU_LAUNCH_CAPTURE_FOLDER_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "launch/job.h"

namespace comshu::launch {

struct FolderRequest {
    std::optional<std::string> output;  // -o; without it comshu-out, comshu-out.2 ...
    bool force = false;
    std::string pass;
    Job job;
    nlohmann::json description;  // content of a new capture.json: command, environment ...
};

struct CaptureFolder {
    std::string path;      // absolute
    bool created = false;  // by this process; else joined
    std::string moved_to;  // where --force put another job's capture; empty: nowhere
};

// Makes the folder of a capture or joins the one that another process of the job made. The
// processes of a job do this at the same time: they take turns by a lock on the parent folder
// (held for a moment, freed by the kernel if its owner dies), and where that cannot be had the
// mkdir of the pass decides who writes capture.json, which appears complete, by rename.
// Throws CommandError if the folder belongs to something else.
CaptureFolder OpenCaptureFolder(const FolderRequest& request);

// What OpenCaptureFolder would choose, without touching anything.
CaptureFolder PreviewCaptureFolder(const FolderRequest& request);

// Seconds since 1970, as capture.json counts.
double UnixTime();

// Changes DIR/capture.json by merging `change` into it; it is complete at every moment.
void UpdateDescription(const std::string& folder, const nlohmann::json& change);

// Whether a process of the capture runs, as far as can be seen from this host.
bool StillRuns(const std::string& folder);

// DIR/capture.json; null if there is none that can be read.
nlohmann::json ReadDescription(const std::string& folder);

}  // namespace comshu::launch

#endif  // COMSHU_LAUNCH_CAPTURE_FOLDER_H_
