// Marks of an imported PICL file in the other format of that name.
#ifndef COMSHU_FORMATS_PICL_IMPORTED_MARKS_H_
#define COMSHU_FORMATS_PICL_IMPORTED_MARKS_H_

#include <cstdint>
#include <string>

#include "comshu/read/query.h"
#include "picl/view_writer.h"

namespace comshu::format::picl {

// Problem: a mark in the views has a name and a value, and a record of PICL more: levels, arrays, texts,
// bytes. Idea: what is no call and no span is taken from the records of the file, as they are in table
// `picl_record`, one by one.
struct ImportedMark {
    enum class Order : int8_t { kFirst, kAmong, kLast };  // At one time.

    Order order = Order::kAmong;
    int64_t record = 0;  // Of the format that is written.
    int64_t event = 0;   // Of the format of 1992.
    int64_t values[3] = {};
    // Behind the fields; of the format of 1992, all data with their number and what they are.
    std::string text;
    uint64_t lost = 0;  // Values that the format has no place for.
};

// Rows: rank, thread, time, record, event, three values, how many, line, its number in the file.
extern const char* const kOldMarksSql;
extern const char* const kMarksOf1992Sql;
constexpr size_t kMarkLineNumber = 10;

// A row of kOldMarksSql as a record of 1992: `values[0]` are its data, or `text`.
ImportedMark MarkAs1992(const read::Query& row, const Numbers& numbers);
// A row of kMarksOf1992Sql as a record of the old format.
ImportedMark MarkAsOld(const read::Query& row, const Numbers& numbers);

// What the capture was imported from, if it is the other format than the one that is written.
bool FindSource(read::Database* database, bool is_1992, PiclSource* source, std::string* error);
// Blocks, marks and user events keep the numbers that they had.
bool KeepNumbers(const ViewExport& what, Numbers* numbers, std::string* error);
// Records of the other format that are neither spans nor marks.
bool TellRecordsLeftOut(const ViewExport& what, std::string* error);

}  // namespace comshu::format::picl

#endif  // COMSHU_FORMATS_PICL_IMPORTED_MARKS_H_
