#include "comshu/fortran/dbg_table.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

extern "C" {
#define COMSHU_DBG_ENTRY(field, c_name, fortran_name, parameters, arguments) \
    void c_name parameters;                                                  \
    void fortran_name parameters;
#include "comshu/fortran/dbg_entries.inc"
#undef COMSHU_DBG_ENTRY
int64_t dbg_get_addr_(const void* variable);
void DBG_Init_Handles(void);

int g_init_handles = 0;
void dbg_init_handles_(void) {
    ++g_init_handles;
}
}

namespace {

std::vector<std::string>* g_calls;
std::vector<const comshu_dbg_unit*>* g_units;

void Register(const comshu_dbg_unit* unit) {
    g_units->push_back(unit);
}
void Unregister(const comshu_dbg_unit* unit) {
    std::erase(*g_units, unit);
}

#define COMSHU_DBG_ENTRY(field, c_name, fortran_name, parameters, arguments) \
    void On_##field parameters {                                             \
        g_calls->push_back(#field);                                          \
    }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "comshu/fortran/dbg_entries.inc"
#pragma GCC diagnostic pop
#undef COMSHU_DBG_ENTRY

comshu_dbg_table MakeTable() {
    return {
        sizeof(comshu_dbg_table),
        COMSHU_DBG_VERSION,
        Register,
        Unregister,
#define COMSHU_DBG_ENTRY(field, c_name, fortran_name, parameters, arguments) On_##field,
#include "comshu/fortran/dbg_entries.inc"
#undef COMSHU_DBG_ENTRY
    };
}

class DbgRuntime : public testing::Test {
protected:
    DbgRuntime() {
        g_calls = &calls_;
        g_units = &units_;
    }
    ~DbgRuntime() override { comshu_dbg_set_table(nullptr); }

    comshu_dbg_table table_ = MakeTable();
    std::vector<std::string> calls_;
    std::vector<const comshu_dbg_unit*> units_;
};

TEST_F(DbgRuntime, WithoutTableNothingHappens) {
    int64_t h = 1;
    int64_t t = -1;
    int64_t index = 7;
    dbg_omp_loop_event_(&h, &t, &index);
    dbg_init_(&t);
    DBG_Init_Handles();
    EXPECT_EQ(g_init_handles, 1);
    DBG_Finalize();
    EXPECT_EQ(t, -1);
    EXPECT_EQ(dbg_get_addr_(&h), reinterpret_cast<int64_t>(&h));
}

TEST_F(DbgRuntime, BothNamesReachTheEntry) {
    ASSERT_EQ(comshu_dbg_set_table(&table_), 0);
    int64_t h = 1;
    int64_t t = -1;
    int64_t index = 7;
    dbg_omp_loop_event_(&h, &t, &index);
    DBG_OMPIter(&h, &t, &index);
    dbg_before_funcall_(&h, &t);
    dbg_finalize_();
    EXPECT_EQ(calls_,
              (std::vector<std::string>{"omp_iter", "omp_iter", "before_func_call", "finalize"}));
}

TEST_F(DbgRuntime, TakesOneTableOfItsVersion) {
    comshu_dbg_table other = table_;
    other.version = COMSHU_DBG_VERSION + 1;
    EXPECT_EQ(comshu_dbg_set_table(&other), -1);
    other = table_;
    other.size = sizeof(comshu_dbg_table) - 1;
    EXPECT_EQ(comshu_dbg_set_table(&other), -1);
    EXPECT_EQ(comshu_dbg_set_table(&table_), 0);
    EXPECT_EQ(comshu_dbg_set_table(&table_), -1);
}

comshu_dbg_unit MakeUnit(int64_t first) {
    return {sizeof(comshu_dbg_unit),
            COMSHU_DBG_VERSION,
            "a.f90",
            first,
            0,
            nullptr,
            nullptr,
            nullptr,
            nullptr};
}

TEST_F(DbgRuntime, UnitsAreShownTheTable) {
    const comshu_dbg_table* here = nullptr;
    const comshu_dbg_table* later = nullptr;
    comshu_dbg_unit a = MakeUnit(1);
    comshu_dbg_unit b = MakeUnit(2);
    a.here = &here;
    b.here = &later;
    comshu_dbg_register(&a);
    EXPECT_EQ(here, nullptr);
    ASSERT_EQ(comshu_dbg_set_table(&table_), 0);
    EXPECT_EQ(here, &table_);
    comshu_dbg_register(&b);
    EXPECT_EQ(later, &table_);
    ASSERT_EQ(comshu_dbg_set_table(nullptr), 0);
    EXPECT_EQ(here, nullptr);
    EXPECT_EQ(later, nullptr);
    comshu_dbg_unregister(&a);
    comshu_dbg_unregister(&b);
}

TEST_F(DbgRuntime, UnitsBeforeAndAfterTheTable) {
    comshu_dbg_unit a = MakeUnit(1);
    comshu_dbg_unit b = MakeUnit(2);
    comshu_dbg_unit c = MakeUnit(3);
    comshu_dbg_register(&a);
    comshu_dbg_register(&b);
    comshu_dbg_register(&b);
    ASSERT_EQ(comshu_dbg_set_table(&table_), 0);
    EXPECT_EQ(units_, (std::vector<const comshu_dbg_unit*>{&a, &b}));
    comshu_dbg_register(&c);
    comshu_dbg_unregister(&a);
    EXPECT_EQ(units_, (std::vector<const comshu_dbg_unit*>{&b, &c}));
    comshu_dbg_unregister(&b);
    comshu_dbg_unregister(&c);
    comshu_dbg_unregister(&c);
    EXPECT_TRUE(units_.empty());
}

TEST_F(DbgRuntime, RegistrationFromSeveralThreads) {
    ASSERT_EQ(comshu_dbg_set_table(&table_), 0);
    std::vector<comshu_dbg_unit> units;
    for (int i = 0; i < 8; ++i) {
        units.push_back(MakeUnit(i));
    }
    std::vector<std::thread> threads;
    for (comshu_dbg_unit& unit : units) {
        threads.emplace_back([&unit] { comshu_dbg_register(&unit); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(units_.size(), 8u);
    for (comshu_dbg_unit& unit : units) {
        comshu_dbg_unregister(&unit);
    }
    EXPECT_TRUE(units_.empty());
}

}  // namespace
