#include "views/link_writer.h"

#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "matching/match_result.h"
#include "matching/mpi_matcher.h"
#include "views/link_files.h"
#include "views/spill.h"
#include "views/table_writer.h"

namespace comshu::read {
namespace {

namespace fs = std::filesystem;

// The rows of one table on their way to files.
template <typename Row>
class RowSorter {
public:
    RowSorter(const LinkTable& table, const LinkBins& bins, std::string folder,
              const std::string& spill, uint64_t rows_per_file)
        : table_(table),
          bins_(bins),
          folder_(std::move(folder)),
          rows_per_file_(rows_per_file),
          spilled_(spill, table.name) {}

    void Count(const Row& row) { ++rows_of_bins_[bins_.BinOf(TimeOf(row))]; }

    // When all rows have been counted, and before the first is added.
    void Plan() {
        file_of_bin_ = FilesOfBins(rows_of_bins_, rows_per_file_);
        missing_.assign(file_of_bin_.back() + 1, 0);
        for (size_t bin = 0; bin < LinkBins::kBins; ++bin)
            missing_[file_of_bin_[bin]] += rows_of_bins_[bin];
    }

    bool Add(const Row& row, TableWriter* writer, std::string* error) {
        const uint32_t number = file_of_bin_[bins_.BinOf(TimeOf(row))];
        if (number != recent_number_ || recent_ == nullptr) {
            recent_number_ = number;
            recent_ = &gathering_[number];
        }
        if (recent_->is_spilled) {
            spilled_.Add(number, &row, sizeof row);
        } else {
            if (recent_->rows == nullptr) recent_->rows = std::make_unique<MatchResult>();
            recent_->rows->Add(row);
            if (++held_ > 2 * rows_per_file_) SpillFirst();
        }
        return --missing_[number] != 0 || Write(number, writer, error);
    }

    // A table without a row is a file too.
    bool Finish(TableWriter* writer, std::string* error) {
        return missing_.size() != 1 || gathered_ || Write(0, writer, error);
    }

private:
    struct Gathering {
        std::unique_ptr<MatchResult> rows;
        bool is_spilled = false;
    };

    static const RowChunks<Row>& Of(const MatchResult& rows) {
        if constexpr (std::is_same_v<Row, MessageRow>) return rows.messages();
        if constexpr (std::is_same_v<Row, UnmatchedRow>) return rows.unmatched();
        if constexpr (std::is_same_v<Row, CollectiveRow>) return rows.collectives();
    }

    // The file of the earliest time that is in memory has waited longest for its last row.
    void SpillFirst() {
        for (auto& [number, gathering] : gathering_) {
            if (gathering.rows == nullptr) continue;
            Of(*gathering.rows).ForEach([&, file = number](const Row& row) {
                spilled_.Add(file, &row, sizeof row);
            });
            held_ -= Of(*gathering.rows).size();
            gathering = {nullptr, true};
            return;
        }
    }

    bool Write(uint32_t number, TableWriter* writer, std::string* error) {
        gathered_ = true;
        Gathering gathering = std::move(gathering_[number]);
        gathering_.erase(number);
        recent_ = nullptr;
        if (gathering.rows == nullptr) {
            gathering.rows = std::make_unique<MatchResult>();
            if (gathering.is_spilled)
                spilled_.Take<Row>(number, [&](const Row& row) { gathering.rows->Add(row); });
        } else {
            held_ -= Of(*gathering.rows).size();
        }
        if (!spilled_.error().empty()) {
            *error = spilled_.error();
            return false;
        }
        const auto count = static_cast<uint32_t>(missing_.size());
        const fs::path path = fs::path(folder_) / LinkFileName(table_.name, number, count);
        return writer->Write(table_, *gathering.rows, path.string(), error);
    }

    const LinkTable& table_;
    const LinkBins& bins_;
    std::string folder_;
    uint64_t rows_per_file_;
    std::vector<uint64_t> rows_of_bins_ = std::vector<uint64_t>(LinkBins::kBins);
    std::vector<uint32_t> file_of_bin_;
    std::vector<uint64_t> missing_;  // By file: rows that have not come.
    std::map<uint32_t, Gathering> gathering_;
    uint32_t recent_number_ = 0;
    Gathering* recent_ = nullptr;
    SpillFiles spilled_;
    uint64_t held_ = 0;  // Rows in memory.
    bool gathered_ = false;
};

class LinkWriter {
public:
    LinkWriter(const Capture& capture, const std::string& folder, const std::string& spill,
               uint64_t rows_per_file)
        : capture_(capture),
          bins_(capture),
          writer_(spill, 0),
          messages_(kLinkTables[0], bins_, folder, spill, rows_per_file),
          unmatched_(kLinkTables[1], bins_, folder, spill, rows_per_file),
          collectives_(kLinkTables[2], bins_, folder, spill, rows_per_file) {}

    bool Run(std::string* error) {
        Counting counting(this);
        CollectiveTable counted;
        MatchMpi(capture_, &counting, &counted);
        messages_.Plan();
        unmatched_.Plan();
        collectives_.Plan();
        const InstanceNumbers numbers(counted.lanes(), counted.lanes());
        Writing writing(this, numbers);
        CollectiveTable same;
        MatchMpi(capture_, &writing, &same);
        const bool written = error_.empty() && messages_.Finish(&writer_, &error_) &&
                             unmatched_.Finish(&writer_, &error_) &&
                             collectives_.Finish(&writer_, &error_);
        *error = error_;
        return written;
    }

private:
    class Counting : public MatchSink {
    public:
        explicit Counting(LinkWriter* owner) : owner_(owner) {}
        void Message(const MessageRow& row) override { owner_->messages_.Count(row); }
        void Unmatched(const UnmatchedRow& row) override { owner_->unmatched_.Count(row); }
        void Collective(const CollectiveRow& row) override { owner_->collectives_.Count(row); }

    private:
        LinkWriter* owner_;
    };
    class Writing : public MatchSink {
    public:
        Writing(LinkWriter* owner, const InstanceNumbers& numbers)
            : owner_(owner), numbers_(numbers) {}
        void Message(const MessageRow& row) override { Add(row, &owner_->messages_); }
        void Unmatched(const UnmatchedRow& row) override { Add(row, &owner_->unmatched_); }
        void Collective(const CollectiveRow& row) override {
            CollectiveRow numbered = row;
            numbered.instance = numbers_.Of(row.instance);
            Add(numbered, &owner_->collectives_);
        }

    private:
        template <typename Row>
        void Add(const Row& row, RowSorter<Row>* rows) {
            if (owner_->error_.empty()) rows->Add(row, &owner_->writer_, &owner_->error_);
        }

        LinkWriter* owner_;
        const InstanceNumbers& numbers_;
    };

    const Capture& capture_;
    LinkBins bins_;
    TableWriter writer_;
    RowSorter<MessageRow> messages_;
    RowSorter<UnmatchedRow> unmatched_;
    RowSorter<CollectiveRow> collectives_;
    std::string error_;
};

}  // namespace

bool WriteLinks(const Capture& capture, const std::string& folder, uint64_t rows_per_file,
                std::string* error) {
    const std::string spill = folder + "/spill";
    std::error_code code;
    fs::create_directories(spill, code);
    if (code) {
        *error = code.message();
        return false;
    }
    bool written = false;
    try {
        written = LinkWriter(capture, folder, spill, rows_per_file).Run(error);
    } catch (const std::exception& failure) {
        *error = failure.what();
    }
    fs::remove_all(spill, code);
    return written;
}

}  // namespace comshu::read
