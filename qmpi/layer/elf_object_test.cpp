#include "layer/elf_object.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

namespace qmpi {
namespace {

// Runs check on the object that holds the address.
template <typename Check>
void WithObject(const void* address, Check check) {
    bool found = false;
    ForEachObject([&](const ElfObject& object, int) {
        if (!object.HasCode(address)) {
            return false;
        }
        found = true;
        check(object);
        return true;
    });
    EXPECT_TRUE(found);
}

std::string PermissionsOf(const void* address) {
    std::ifstream maps("/proc/self/maps");
    const auto at = reinterpret_cast<uintptr_t>(address);
    for (std::string line; std::getline(maps, line);) {
        char* rest = nullptr;
        const uintptr_t begin = strtoull(line.c_str(), &rest, 16);
        const uintptr_t end = strtoull(rest + 1, &rest, 16);
        if (at >= begin && at < end) {
            return std::string(rest + 1, 4);
        }
    }
    return "";
}

class ElfObjectTest : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        library_ = dlopen(GetParam(), RTLD_NOW | RTLD_LOCAL);
        ASSERT_NE(library_, nullptr) << dlerror();
        call_ = reinterpret_cast<int (*)()>(dlsym(library_, "sample_call"));
        ASSERT_NE(call_, nullptr);
    }
    void TearDown() override { dlclose(library_); }

    void* library_ = nullptr;
    int (*call_)() = nullptr;
};

int Replacement() {
    return 42;
}

TEST_P(ElfObjectTest, FindsWhatTheObjectExportsAndNothingElse) {
    WithObject(reinterpret_cast<void*>(call_), [&](const ElfObject& object) {
        EXPECT_EQ(object.Find("sample_call"), reinterpret_cast<void*>(call_));
        EXPECT_EQ(object.Find("PMPI_Init"), dlsym(library_, "PMPI_Init"));
        EXPECT_EQ(object.Find("sample_imported"), nullptr) << "imported, not exported";
        EXPECT_EQ(object.Find("sample"), nullptr);
        EXPECT_EQ(object.Find(""), nullptr);
        EXPECT_STREQ(object.path(), GetParam());
    });
}

TEST_P(ElfObjectTest, PatchesASlotAndLeavesThePageAsItWas) {
    EXPECT_EQ(call_(), 7);
    WithObject(reinterpret_cast<void*>(call_), [&](const ElfObject& object) {
        int slots = 0;
        object.ForEachSlot([&](const char* name, void** slot) {
            if (strcmp(name, "sample_imported") == 0) {
                slots++;
                const std::string before = PermissionsOf(slot);
                EXPECT_TRUE(object.Patch(slot, reinterpret_cast<void*>(&Replacement)));
                EXPECT_EQ(PermissionsOf(slot), before);
            }
        });
        EXPECT_EQ(slots, 1);
    });
    EXPECT_EQ(call_(), 42);
}

INSTANTIATE_TEST_SUITE_P(Libraries, ElfObjectTest,
                         testing::Values(QMPI_SAMPLE_FOLDER "/libsample_relro.so",
                                         QMPI_SAMPLE_FOLDER "/libsample_lazy.so"));

TEST(ElfObject, CoversEveryLoadedObject) {
    int count = 0;
    ForEachObject([&](const ElfObject& object, int index) {
        EXPECT_EQ(index, count++);
        EXPECT_LE(object.code_begin(), object.code_end());
        return false;
    });
    EXPECT_GT(count, 2);
    WithObject(reinterpret_cast<const void*>(&WithObject<void (*)(const ElfObject&)>),
               [](const ElfObject&) {});
}

}  // namespace
}  // namespace qmpi
