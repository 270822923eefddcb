// docs/views.md and docs/tables.md say what is there: every view and table, column and type, in order,
// and their samples run.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "comshu/read/query.h"
#include "comshu/read/views.h"
#include "mpi_process.h"

namespace comshu::read {
namespace {

std::vector<std::string> DocumentLines(const std::string& document) {
    std::vector<std::string> lines;
    std::ifstream file(COMSHU_DOCS "/" + document);
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
}

// What the headings `## name` name.
std::set<std::string> DocumentedNames(const std::string& document) {
    std::set<std::string> names;
    for (const std::string& line : DocumentLines(document)) {
        if (line.starts_with("## ") && line.find(' ', 3) == std::string::npos)
            names.insert(line.substr(3));
    }
    return names;
}

// "column type" of the table below the heading `## view`.
std::string DocumentedColumns(const std::string& document, const std::string& view) {
    std::string columns;
    bool inside = false;
    for (const std::string& line : DocumentLines(document)) {
        if (line.starts_with("## ")) inside = line == "## " + view;
        if (!inside || !line.starts_with("| `")) continue;
        std::istringstream cells(line);
        std::string empty, name, type;
        std::getline(cells, empty, '|');
        std::getline(cells, name, '|');
        std::getline(cells, type, '|');
        columns += name.substr(2, name.size() - 4) + " " + type.substr(1, type.size() - 2) + "\n";
    }
    return columns;
}

// The queries in the text: blocks of SQL and arguments of `comshu sql`.
std::vector<std::string> Samples(const std::string& document) {
    std::vector<std::string> samples;
    bool inside = false;
    for (const std::string& line : DocumentLines(document)) {
        if (line == "```sql") {
            inside = true;
            samples.emplace_back();
        } else if (line == "```") {
            inside = false;
        } else if (inside) {
            samples.back() += line + "\n";
        } else if (line.starts_with("    comshu sql ")) {
            const size_t begin = line.find('"') + 1;
            samples.push_back(line.substr(begin, line.rfind('"') - begin));
        }
    }
    return samples;
}

class ViewsDocument : public ::testing::Test {
protected:
    void SetUp() override {
        {
            testing::MpiProcess zero(folder_, 0);
            zero.Send(0, 0, 5, 8);
            zero.Receive(20, 0, 0, 5, 8);
            zero.End(100);
        }
        std::string error;
        database_ = Database::OpenPaths({folder_.path()}, &error);
        ASSERT_NE(database_, nullptr) << error;
    }

    std::string Columns(const std::string& table) {
        Query query;
        std::string error, columns;
        if (!query.Run(database_.get(),
                       "SELECT column_name, column_type FROM (DESCRIBE " + table + ")", &error)) {
            return error;
        }
        while (query.Next()) columns += query.Text(0) + " " + query.Text(1) + "\n";
        return columns;
    }

    testing::TemporaryFolder folder_;
    std::unique_ptr<Database> database_;
};

TEST_F(ViewsDocument, NamesEveryColumn) {
    for (const std::string& view : ViewNames()) {
        EXPECT_EQ(Columns(view), DocumentedColumns("views.md", view)) << view;
    }
}

TEST_F(ViewsDocument, NamesEveryTableOfTheCapture) {
    Query query;
    std::string error;
    ASSERT_TRUE(
        query.Run(database_.get(),
                  "SELECT table_name FROM information_schema.tables "
                  "WHERE table_type = 'BASE TABLE' AND table_name NOT IN ('rank', 'thread')",
                  &error))
        << error;
    std::set<std::string> tables;
    while (query.Next()) tables.insert(query.Text(0));
    EXPECT_EQ(DocumentedNames("tables.md"), tables);
    for (const std::string& table : tables) {
        EXPECT_EQ(Columns(table), DocumentedColumns("tables.md", table)) << table;
    }
}

TEST_F(ViewsDocument, SamplesRun) {
    for (const std::string document : {"views.md", "tables.md"}) {
        const std::vector<std::string> samples = Samples(document);
        EXPECT_GE(samples.size(), 2u);
        for (const std::string& sample : samples) {
            Query query;
            std::string error;
            ASSERT_TRUE(query.Run(database_.get(), sample, &error)) << sample << error;
            while (query.Next()) {
            }
            EXPECT_EQ(query.error(), "") << sample;
        }
    }
}

}  // namespace
}  // namespace comshu::read
