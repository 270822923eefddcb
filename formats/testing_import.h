// Imports a text and asks the capture.
#ifndef COMSHU_FORMATS_TESTING_IMPORT_H_
#define COMSHU_FORMATS_TESTING_IMPORT_H_

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "comshu/format/import.h"
#include "comshu/read/database.h"
#include "comshu/read/query.h"
#include "rows_of.h"

namespace comshu::format::testing {

class ImportTest : public ::testing::Test {
protected:
    ImportTest() {
        std::string name = (std::filesystem::temp_directory_path() / "comshu-formats-XXXXXX");
        folder_ = mkdtemp(name.data());
    }
    ~ImportTest() override { std::filesystem::remove_all(folder_); }

    std::string Write(const std::string& name, const std::string& text) {
        const std::string path = folder_ + "/" + name;
        std::ofstream(path, std::ios::binary) << text;
        return path;
    }
    static std::string Read(const std::string& path) {
        std::ostringstream text;
        text << std::ifstream(path, std::ios::binary).rdbuf();
        return text.str();
    }

    // False: `error_` says why.
    bool TryImport(const std::string& text, const std::string& name = "trace") {
        const std::string path = Write(name, text);
        capture_ = folder_ + "/" + name + ".capture";
        database_.reset();
        result_ = {};
        error_.clear();
        if (!Import({path}, capture_, options_, &result_, &error_)) return false;
        database_ = read::Database::OpenPaths({capture_}, &error_);
        return database_ != nullptr;
    }
    void ImportText(const std::string& text, const std::string& name = "trace") {
        ASSERT_TRUE(TryImport(text, name)) << error_;
    }
    void OpenCapture(const std::string& path) {
        database_ = read::Database::OpenPaths({path}, &error_);
        ASSERT_NE(database_, nullptr) << error_;
    }
    const ImportedFile& file() const { return result_.files.front(); }

    static constexpr const char* kMessages =
        "select send_rank, recv_rank, tag, bytes, send_begin_ns, send_end_ns, recv_begin_ns, "
        "recv_end_ns from message order by send_begin_ns, recv_rank";

    // All values of the rows, a blank between columns, a line per row.
    std::string Ask(const std::string& sql) {
        return database_ == nullptr ? "no database" : read::testing::RowsOf(database_.get(), sql);
    }

    std::string folder_;
    std::string capture_;
    ImportOptions options_;
    ImportResult result_;
    std::string error_;
    std::unique_ptr<read::Database> database_;
};

}  // namespace comshu::format::testing

#endif  // COMSHU_FORMATS_TESTING_IMPORT_H_
