// The rows that a process found, until it is known where they belong.
#ifndef COMSHU_LINK_FOUND_ROWS_H_
#define COMSHU_LINK_FOUND_ROWS_H_

#include <string>
#include <vector>

#include "matching/match_rows.h"
#include "views/spill.h"
#include "views/link_files.h"

namespace comshu::link {

// Puts rows down in files, and counts how many each stretch of time has.
class FoundRows : public read::MatchSink {
public:
    template <typename Row>
    struct Table {
        read::SpillFiles files;
        std::vector<uint64_t> rows_of_bins = std::vector<uint64_t>(read::LinkBins::kBins);
    };

    FoundRows(const read::LinkBins& bins, const std::string& folder)
        : bins_(bins),
          messages_{{folder, "found-message"}},
          unmatched_{{folder, "found-unmatched"}},
          collectives_{{folder, "found-collective"}} {}

    void Message(const read::MessageRow& row) override { Add(row, &messages_); }
    void Unmatched(const read::UnmatchedRow& row) override { Add(row, &unmatched_); }
    void Collective(const read::CollectiveRow& row) override { Add(row, &collectives_); }

    const read::LinkBins& bins() const { return bins_; }
    Table<read::MessageRow>& Of(const read::MessageRow*) { return messages_; }
    Table<read::UnmatchedRow>& Of(const read::UnmatchedRow*) { return unmatched_; }
    Table<read::CollectiveRow>& Of(const read::CollectiveRow*) { return collectives_; }

private:
    template <typename Row>
    void Add(const Row& row, Table<Row>* table) {
        ++table->rows_of_bins[bins_.BinOf(read::TimeOf(row))];
        table->files.Add(0, &row, sizeof row);
    }

    const read::LinkBins& bins_;
    Table<read::MessageRow> messages_;
    Table<read::UnmatchedRow> unmatched_;
    Table<read::CollectiveRow> collectives_;
};

}  // namespace comshu::link

#endif  // COMSHU_LINK_FOUND_ROWS_H_
