#include "provider_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "error.h"

namespace comshu {
namespace {
namespace fs = std::filesystem;
using testing::ElementsAre;

std::vector<std::string> Names(const std::string& list) {
    std::vector<std::string> names;
    for (const ProviderInfo* provider : ParseProviders(list)) names.emplace_back(provider->name);
    return names;
}

TEST(ProviderRegistry, FollowsAliases) {
    EXPECT_THAT(Names("mpi"), ElementsAre("mpi"));
    EXPECT_THAT(Names("ib"), ElementsAre("ibverbs"));
    EXPECT_THAT(Names("p2p,mpi"), ElementsAre("gpumem", "mpi"));
    EXPECT_THAT(Names("net,ib,ibverbs"), ElementsAre("ibverbs"));
    EXPECT_THAT(Names("nvlink,,snoopie,"), ElementsAre("gpumem"));
    EXPECT_THROW(Names("mpi,nonsense"), UsageError);
    EXPECT_THROW(Names(""), UsageError);
}

TEST(ProviderRegistry, NoNameMeansTwoThings) {
    std::set<std::string_view> names;
    for (const ProviderInfo& provider : Providers()) {
        EXPECT_TRUE(names.insert(provider.name).second) << provider.name;
        for (std::string_view alias : provider.aliases) {
            EXPECT_TRUE(names.insert(alias).second) << alias;
        }
    }
}

TEST(ProviderRegistry, WorksWhereItsObjectsAre) {
    std::string folder = testing::TempDir() + "registry-XXXXXX";
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    setenv("COMSHU_PROVIDER_PATH", ("/nowhere:" + folder).c_str(), 1);
    auto add = [&](const std::string& name) { std::ofstream(folder + "/" + name); };
    const ProviderInfo& mpi = *FindProvider("mpi");

    add("libqmpi-mpich.so");
    EXPECT_FALSE(CanWorkHere(mpi).works);
    add("libcomshu_mpi-mpich.so");
    EXPECT_FALSE(CanWorkHere(mpi).works);
    EXPECT_THAT(CanWorkHere(mpi).detail, testing::HasSubstr("libcomshu_engine.so"));
    add(kEngineObject);
    EXPECT_TRUE(CanWorkHere(mpi).works);
    EXPECT_EQ(CanWorkHere(mpi).detail, "mpich");
    EXPECT_THAT(TracedMpis(), ElementsAre("mpich"));
    EXPECT_EQ(FindObject("libqmpi-mpich.so"), folder + "/libqmpi-mpich.so");
    EXPECT_EQ(FindObject("libqmpi-openmpi.so"), "");
    EXPECT_THAT(ProviderObjects(mpi, "mpich"),
                ElementsAre("libqmpi-mpich.so", "libcomshu_mpi-mpich.so"));

    const ProviderInfo& user = *FindProvider("user");
    EXPECT_FALSE(CanWorkHere(user).works);
    add("libcomshu_user.so");
    EXPECT_TRUE(CanWorkHere(user).works);

    unsetenv("COMSHU_PROVIDER_PATH");
    fs::remove_all(folder);
}

}  // namespace
}  // namespace comshu
