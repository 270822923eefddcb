// Export as PICL: what was imported from PICL as it was, all other captures from the views.
#include <fmt/core.h>

#include "comshu/core/count_text.h"
#include "comshu/format/export.h"
#include "comshu/read/query.h"
#include "comshu/schema/import_generated.h"
#include "each_row.h"
#include "picl/line_writer.h"
#include "picl/record_merge.h"
#include "picl/view_writer.h"
#include "plain_losses.h"
#include "sort_space.h"

namespace comshu::format {
namespace {

using picl::StoredRecord;

constexpr auto k1992 = static_cast<uint8_t>(schema::PiclForm::picl_1992);
constexpr auto kVerbose = static_cast<uint8_t>(schema::PiclForm::verbose);

// What the capture was imported from: -1: not PICL.
int ImportedForm(const read::Capture& capture) {
    if (capture.FindTable("picl_record") == nullptr) return -1;
    picl::RecordMerge merge(capture, false);
    return merge.empty() ? -1 : merge.Next().form;
}

// True if the line lost its busy time: the compact form has the idle time alone.
bool PrintOld(const StoredRecord& record, PiclForm form, FileOutput* out) {
    const bool was_verbose = record.form == kVerbose;
    const bool verbose = form == PiclForm::kAsImported ? was_verbose : form == PiclForm::kVerbose;
    picl::OldLine line;
    if (record.text != nullptr) {
        picl::LineError error;
        if (verbose == was_verbose || !picl::ParseOldLine(*record.text, &line, &error) ||
            line.record > picl::kLastOldRecord || line.record == picl::kUnknownName) {
            out->Print("{}\n", *record.text);
            return false;
        }
    } else {
        line.record = static_cast<int32_t>(record.record);
        const int64_t microseconds = record.ns / 1000;
        line.seconds = microseconds / 1'000'000;
        line.microseconds = microseconds % 1'000'000;
        line.node = record.node;
        line.count = record.count;
        line.values = record.values;
        // Both times of statistics stay when the form stays.
        if (line.record == picl::kCompstats && line.count == 4 && !verbose && !was_verbose) {
            out->Print("{} {} {} {} {} {} {} {}\n", line.record, line.seconds, line.microseconds,
                       line.node, line.values[0], line.values[1], line.values[2], line.values[3]);
            return false;
        }
    }
    picl::PrintOldLine(line, verbose, out);
    return !verbose && line.record == picl::kCompstats && line.count == 4;
}

void Print1992(const StoredRecord& record, FileOutput* out) {
    if (record.text != nullptr) {
        out->Print("{}\n", *record.text);
        return;
    }
    out->Print("{} {} ", record.record, record.event);
    picl::PrintSeconds(record.ns, record.decimals, out);
    out->Print(" {} {} {}", record.node, record.process, record.count);
    if (record.descriptor != INT32_MIN) out->Print(" {}", record.descriptor);
    for (uint8_t i = 0; i < record.count; ++i) out->Print(" {}", record.values[i]);
    out->Write("\n");
}

// An export folder has the records of an imported file, but not its texts in their order.
bool TellOtherLines(read::Database* database, ExportResult* result, std::string* error) {
    if (database->capture() != nullptr) return true;
    std::string ignored;
    if (!database->Execute("SELECT 1 FROM picl_record LIMIT 0", &ignored)) return true;
    return EachRow(
        database, "SELECT count(*) FROM picl_record", error, [&](const read::Query& row) {
            result->Say(row.Unsigned(0), "line of the imported file is",
                        "lines of the imported file are",
                        " written from the views, not word for word: give the capture for that");
        });
}

}  // namespace

bool ExportPicl(read::Database* database, const std::string& path, PiclForm form,
                ExportResult* result, std::string* error) {
    if (!HasWholeCapture(database, error)) return false;
    const read::Capture* capture = database->capture();
    const int imported = capture == nullptr ? -1 : ImportedForm(*capture);
    const SortSpace space(database, path);
    FileOutput out(path);
    const bool same_format = imported >= 0 && (form == PiclForm::kAsImported ||
                                               (imported == k1992) == (form == PiclForm::k1992));
    if (!same_format) {
        if (!picl::WriteViews(database, space, form, &out, result, error) ||
            !TellOtherLines(database, result, error)) {
            return false;
        }
        return out.Finish(error);
    }
    bool several_files = false;
    if (!EachRow(database, "SELECT count(*) > 1 FROM import_source", error,
                 [&](const read::Query& row) { several_files = row.Integer(0) != 0; })) {
        return false;
    }
    picl::RecordMerge merge(*capture, several_files);
    uint64_t busy_lost = 0;
    while (!merge.empty()) {
        const StoredRecord record = merge.Next();
        if (imported == k1992)
            Print1992(record, &out);
        else
            busy_lost += PrintOld(record, form, &out);
        ++result->records;
    }
    if (busy_lost > 0) {
        result->remarks.push_back(core::Plural(busy_lost, "busy time") +
                                  " left out: compact compstats have the idle time alone");
    }
    return out.Finish(error);
}

}  // namespace comshu::format
