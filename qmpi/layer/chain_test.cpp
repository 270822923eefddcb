#include "layer/chain.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "layer/tables.h"
#include "layer/tools.h"
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

std::vector<int> initialised;
void First() {}
void Second() {}

// Both intercept MPI_Send, the outer one MPI_Recv as well. Inner tools have registered before.
void InitOuter(int id) {
    initialised.push_back(id);
    EXPECT_EQ(QMPI_Register_function(id, MPI_SEND_T, First), MPI_SUCCESS);
    EXPECT_EQ(QMPI_Register_function(id, MPI_RECV_T, First), MPI_SUCCESS);
    QMPI_Function next = nullptr;
    int next_id = -1;
    EXPECT_EQ(QMPI_Get_function(id, MPI_SEND_T, &next, &next_id), MPI_SUCCESS);
    EXPECT_EQ(next, id == 1 ? &Second : qmpi_ends[RowOf(MPI_SEND_T)]) << "inner ones are known";
}
void InitInner(int id) {
    initialised.push_back(id);
    EXPECT_EQ(QMPI_Register_function(id, MPI_SEND_T, Second), MPI_SUCCESS);
    EXPECT_EQ(QMPI_Register_tool_storage(id, &initialised), MPI_SUCCESS);
}

int NextId(int id, int number) {
    QMPI_Function next = nullptr;
    int next_id = -1;
    return QMPI_Get_function(id, static_cast<QMPI_Functions_enum>(number), &next, &next_id) ==
                   MPI_SUCCESS
               ? next_id
               : -1;
}

// One process, one chain: the steps of its life are one test. The list is outer:inner:outer.
TEST(Chain, FromRegistrationOn) {
    setenv("QMPI_TOOLS", "outer:inner:outer", 1);
    QMPI_Function next = nullptr;
    int next_id = -1;
    EXPECT_NE(QMPI_Get_function(1, MPI_SEND_T, &next, &next_id), MPI_SUCCESS) << "no tool yet";
    EXPECT_NE(QMPI_Register_function(1, MPI_SEND_T, First), MPI_SUCCESS);
    const std::string long_name(QMPI_MAX_TOOL_NAME_LENGTH, 'x');
    EXPECT_NE(QMPI_Register_tool_name(long_name.c_str(), InitOuter), MPI_SUCCESS);
    EXPECT_NE(QMPI_Register_tool_name("", InitOuter), MPI_SUCCESS);
    EXPECT_NE(QMPI_Register_tool_name("not listed", InitOuter), MPI_SUCCESS);

    // A name is taken once.
    std::atomic<int> taken{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; i++) {
        threads.emplace_back(
            [&] { taken += QMPI_Register_tool_name("outer", InitOuter) == MPI_SUCCESS; });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(taken, 1);
    EXPECT_EQ(QMPI_Register_tool_name("inner", InitInner), MPI_SUCCESS);
    EXPECT_TRUE(initialised.empty()) << "not before the first MPI call";
    EXPECT_EQ(qmpi_active(), 0);

    EXPECT_TRUE(StartTools());
    EXPECT_EQ(initialised, (std::vector<int>{3, 2, 1})) << "the innermost first";
    int ids[5] = {-1, -1, -1, -1, -1};
    EXPECT_EQ(QMPI_Get_tool_ids(5, ids), MPI_SUCCESS);
    EXPECT_EQ(std::vector<int>(ids, ids + 5), (std::vector<int>{1, 2, 3, 0, 0}));
    char name[4];
    EXPECT_EQ(QMPI_Get_tool_name(2, name, sizeof(name)), MPI_SUCCESS);
    EXPECT_STREQ(name, "inn");
    EXPECT_NE(QMPI_Get_tool_name(4, name, sizeof(name)), MPI_SUCCESS);

    EXPECT_EQ(NextId(1, MPI_SEND_T), 2);
    EXPECT_EQ(NextId(2, MPI_SEND_T), 3);
    EXPECT_EQ(NextId(3, MPI_SEND_T), QMPI_MPI_ID);
    EXPECT_EQ(NextId(1, MPI_RECV_T), 3) << "who does not intercept is not in the way";
    EXPECT_EQ(NextId(1, MPI_FILE_OPEN_T), QMPI_MPI_ID);
    EXPECT_EQ(NextId(QMPI_MPI_ID, MPI_SEND_T), QMPI_MPI_ID);
    EXPECT_EQ(NextId(4, MPI_SEND_T), -1);
    EXPECT_EQ(NextId(-1, MPI_SEND_T), -1);
    EXPECT_EQ(NextId(1, 100000), -1);
    EXPECT_EQ(NextId(1, -1), -1);
    EXPECT_EQ(QMPI_Get_next_tool(1, MPI_SEND_T, 3, ids), MPI_SUCCESS);
    EXPECT_EQ(std::vector<int>(ids, ids + 3), (std::vector<int>{2, 3, 0}));
    EXPECT_NE(QMPI_Get_next_tool(4, MPI_SEND_T, 3, ids), MPI_SUCCESS);
    QMPI_Context own;
    EXPECT_EQ(QMPI_Get_tool_fn(2, MPI_SEND_T, &next, &own), MPI_SUCCESS);
    EXPECT_EQ(next, &Second);
    EXPECT_EQ(qmpi_calling_address(own), nullptr) << "no call is under way";
    EXPECT_EQ(qmpi_next(own, 1, MPI_RECV_T).tool_id, 3);
    EXPECT_NE(QMPI_Get_tool_fn(2, MPI_RECV_T, &next, nullptr), MPI_SUCCESS);
    EXPECT_EQ(QMPI_Get_tool_fn(QMPI_MPI_ID, MPI_RECV_T, &next, nullptr), MPI_SUCCESS);
    EXPECT_EQ(next, qmpi_ends[RowOf(MPI_RECV_T)]);

    int here = 0;
    void* storage = nullptr;
    const QMPI_Call call = {&here};
    const QMPI_Context context = {reinterpret_cast<void**>(const_cast<QMPI_Call*>(&call))};
    EXPECT_EQ(qmpi_tool_storage(context, 2), &initialised);
    EXPECT_EQ(QMPI_Register_tool_storage(1, &here), MPI_SUCCESS);
    EXPECT_EQ(QMPI_Get_tool_storage(context, 1, &storage), MPI_SUCCESS);
    EXPECT_EQ(storage, &here);
    EXPECT_NE(QMPI_Get_tool_storage(context, 0, &storage), MPI_SUCCESS);
    EXPECT_EQ(QMPI_Get_calling_address(context, &storage), MPI_SUCCESS);
    EXPECT_EQ(storage, &here);
    EXPECT_EQ(qmpi_tool_storage(context, 1), &here);

    // Registered late, from two threads.
    threads.clear();
    for (const int number : {MPI_FILE_OPEN_T, int{MPI_BARRIER_T}}) {
        threads.emplace_back([number] {
            EXPECT_EQ(QMPI_Register_function(2, static_cast<QMPI_Functions_enum>(number), Second),
                      MPI_SUCCESS);
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(NextId(1, MPI_FILE_OPEN_T), 2);
    EXPECT_EQ(NextId(1, MPI_BARRIER_T), 2);
    EXPECT_TRUE(IsIntercepted(RowOf(MPI_BARRIER_T)));
    EXPECT_FALSE(IsIntercepted(RowOf(MPI_BCAST_T)));
    EXPECT_EQ(NextId(2, MPI_BARRIER_T), QMPI_MPI_ID) << "a tool is not its own successor";
    const auto code = reinterpret_cast<uintptr_t>(&Second);
    EXPECT_EQ(ToolWithCode(code, code + 1), 2);
    EXPECT_EQ(ToolWithCode(code + 1, code + 2), 0);

    EXPECT_DEATH({ *const_cast<int*>(&Chain()->chain->tool_count) = 1; }, "")
        << "the table is read-only";
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
