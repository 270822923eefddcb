#include "views/category.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "comshu/schema/mpi_function_generated.h"

namespace comshu::read {
namespace {

TEST(Category, OfFunctions) {
    EXPECT_EQ(MpiCategory("MPI_Init_thread"), "init");
    EXPECT_EQ(MpiCategory("MPI_Finalize"), "init");
    EXPECT_EQ(MpiCategory("MPI_Barrier"), "collective");
    EXPECT_EQ(MpiCategory("MPI_Barrier_init"), "collective");
    EXPECT_EQ(MpiCategory("MPI_Ialltoallw_c"), "collective");
    EXPECT_EQ(MpiCategory("MPI_Reduce_scatter_block_init_c"), "collective");
    EXPECT_EQ(MpiCategory("MPI_Ineighbor_alltoall"), "collective");
    EXPECT_EQ(MpiCategory("MPI_Reduce_local"), "other");
    EXPECT_EQ(MpiCategory("MPI_Waitall"), "wait");
    EXPECT_EQ(MpiCategory("MPI_Testsome"), "wait");
    EXPECT_EQ(MpiCategory("MPI_Test_cancelled"), "other");
    EXPECT_EQ(MpiCategory("MPI_Sendrecv_replace_c"), "p2p");
    EXPECT_EQ(MpiCategory("MPI_Isendrecv"), "p2p");
    EXPECT_EQ(MpiCategory("MPI_Recv_init"), "p2p");
    EXPECT_EQ(MpiCategory("MPI_Startall"), "p2p");
    EXPECT_EQ(MpiCategory("MPI_Improbe"), "probe");
    EXPECT_EQ(MpiCategory("MPI_Win_fence"), "sync");
    EXPECT_EQ(MpiCategory("MPI_Win_lock_all"), "sync");
    EXPECT_EQ(MpiCategory("MPI_Win_allocate_shared"), "rma");
    EXPECT_EQ(MpiCategory("MPI_Win_create_keyval"), "other");
    EXPECT_EQ(MpiCategory("MPI_Get"), "rma");
    EXPECT_EQ(MpiCategory("MPI_Get_count"), "other");
    EXPECT_EQ(MpiCategory("MPI_Rget_accumulate_c"), "rma");
    EXPECT_EQ(MpiCategory("MPI_File_write_at_all_c"), "io");
    EXPECT_EQ(MpiCategory("MPI_File_set_errhandler"), "other");
    EXPECT_EQ(MpiCategory("MPI_Comm_split_type"), "comm");
    EXPECT_EQ(MpiCategory("MPI_Comm_set_attr"), "other");
    EXPECT_EQ(MpiCategory("MPI_Cart_create"), "comm");
    EXPECT_EQ(MpiCategory("MPI_Comm_free"), "comm");
    EXPECT_EQ(MpiCategory("MPI_Type_commit"), "other");
    EXPECT_EQ(MpiCategory("MPI_Wtime"), "other");
}

TEST(Category, NonblockingAndPersistentAreOfTheSameKindAsThePlainFunction) {
    std::map<std::string, std::string> known;
    for (const schema::MpiFunction function : schema::EnumValuesMpiFunction()) {
        const std::string name = schema::EnumNameMpiFunction(function);
        known[name] = MpiCategory(name);
    }
    int compared = 0;
    for (const auto& [name, category] : known) {
        std::string other = "MPI_I" + name.substr(4);
        if (name.size() > 4) other[5] = static_cast<char>(std::tolower(other[5]));
        for (const std::string& variant : {other, name + "_init", name + "_c"}) {
            const auto found = known.find(variant);
            if (found == known.end()) continue;
            EXPECT_EQ(found->second, category) << variant;
            ++compared;
        }
    }
    EXPECT_GT(compared, 100);
}

}  // namespace
}  // namespace comshu::read
