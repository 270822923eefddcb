#include "layer/chain.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "layer/tables.h"
#include "qmpi.h"

namespace qmpi {
namespace {

TEST(Chain, EveryNumberHasARowOfItsOwn) {
    std::set<int> rows;
    for (int number = -5; number < 3000; number++) {
        const int row = RowOf(number);
        if (row >= 0) {
            EXPECT_LT(row, qmpi_row_count);
            EXPECT_NE(qmpi_functions[row].name, nullptr);
            EXPECT_TRUE(rows.insert(row).second) << number;
        }
    }
    int functions = 0;
    for (int row = 0; row < qmpi_row_count; row++) {
        functions += qmpi_functions[row].name != nullptr;
    }
    EXPECT_EQ(static_cast<int>(rows.size()), functions);
    EXPECT_STREQ(qmpi_functions[RowOf(MPI_SEND_T)].name, "MPI_Send");
    EXPECT_STREQ(qmpi_functions[RowOf(MPI_FILE_OPEN_T)].name, "MPI_File_open");
    EXPECT_STREQ(qmpi_functions[RowOf(MPI_WTIME_T)].name, "MPI_Wtime");
    EXPECT_EQ(RowOf(MPI_LAST_FUNC), -1);
    EXPECT_EQ(RowOf(999), -1);
}

int initialised = 0;
void Init(int) {
    initialised++;
}
void Function() {}

// One process, one chain: the steps of its life are one test.
TEST(Chain, OneToolFromRegistrationOn) {
    QMPI_Function next = nullptr;
    int next_id = -1;
    EXPECT_NE(QMPI_Get_function(0, MPI_SEND_T, &next, &next_id), MPI_SUCCESS) << "no tool yet";
    EXPECT_NE(QMPI_Register_function(1, MPI_SEND_T, Function), MPI_SUCCESS);
    const std::string long_name(QMPI_MAX_TOOL_NAME_LENGTH, 'x');
    EXPECT_NE(QMPI_Register_tool_name(long_name.c_str(), Init), MPI_SUCCESS);
    EXPECT_NE(QMPI_Register_tool_name("", Init), MPI_SUCCESS);

    // Of tools that register at the same moment one gets in.
    std::atomic<int> taken{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; i++) {
        threads.emplace_back(
            [&] { taken += QMPI_Register_tool_name("tool", Init) == MPI_SUCCESS; });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(taken, 1);
    EXPECT_EQ(initialised, 0) << "not before the first MPI call";
    EXPECT_EQ(qmpi_active(), 0);

    EXPECT_EQ(QMPI_Get_function(1, MPI_SEND_T, &next, &next_id), MPI_SUCCESS);
    EXPECT_NE(next, nullptr);
    EXPECT_EQ(next_id, 0);
    EXPECT_EQ(QMPI_Register_function(1, MPI_SEND_T, Function), MPI_SUCCESS);
    QMPI_Function after = nullptr;
    EXPECT_EQ(QMPI_Get_function(1, MPI_SEND_T, &after, &next_id), MPI_SUCCESS);
    EXPECT_EQ(after, next) << "a tool is not its own successor";
    EXPECT_EQ(QMPI_Get_function(0, MPI_SEND_T, &after, &next_id), MPI_SUCCESS);
    EXPECT_EQ(after, next) << "id 0 is the MPI library";
    EXPECT_EQ(qmpi_first[RowOf(MPI_SEND_T)].function, &Function);
    EXPECT_EQ(qmpi_first[RowOf(MPI_SEND_T)].tool_id, 1);
    EXPECT_EQ(qmpi_first[RowOf(MPI_RECV_T)].function, nullptr);

    int here = 0;
    void* storage = nullptr;
    const QMPI_Call call = {&here, Chain()};
    const QMPI_Context context = {reinterpret_cast<void**>(const_cast<QMPI_Call*>(&call))};
    EXPECT_EQ(QMPI_Register_tool_storage(1, &here), MPI_SUCCESS);
    EXPECT_EQ(QMPI_Get_tool_storage(context, 1, &storage), MPI_SUCCESS);
    EXPECT_EQ(storage, &here);
    EXPECT_EQ(qmpi_tool_storage(context, 1), &here);
    EXPECT_EQ(QMPI_Get_calling_address(context, &storage), MPI_SUCCESS);
    EXPECT_EQ(storage, &here);
    EXPECT_EQ(qmpi_next(context, 1, MPI_FILE_OPEN_T).tool_id, 0);
    const auto code = reinterpret_cast<uintptr_t>(&Function);
    EXPECT_TRUE(ToolOwnsCode(code, code + 1));
    EXPECT_FALSE(ToolOwnsCode(code + 1, code + 2));
}

// No MPI is linked: each name answers softly, and asking again stays possible.
TEST(Chain, CallsWithoutAnMpiFailSoftly) {
    int flag = 1, size = 0;
    EXPECT_EQ(MPI_Initialized(&flag), MPI_SUCCESS);
    EXPECT_EQ(flag, 0);
    EXPECT_NE(MPI_Comm_size(MPI_Comm(), &size), MPI_SUCCESS);
    EXPECT_NE(MPI_Comm_size(MPI_Comm(), &size), MPI_SUCCESS);
    EXPECT_EQ(MPI_Wtime(), 0);
    EXPECT_EQ(qmpi_mpi_function(MPI_SEND_T), nullptr);
    EXPECT_STREQ(qmpi_mpi_name(), QMPI_MPI_NAME);
}

}  // namespace
}  // namespace qmpi
