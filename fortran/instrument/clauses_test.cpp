#include "instrument/clauses.h"

#include <gtest/gtest.h>

#include "instrument/cooked_text.h"

namespace comshu::fortran {
namespace {

Clauses Parse(std::initializer_list<const char*> texts) {
    Clauses clauses;
    for (const char* text : texts) {
        clauses.push_back(SplitClause(text));
    }
    return clauses;
}

TEST(CookedText, ClausesAndLists) {
    ClauseText clause = SplitClause("schedule(dynamic, (n) * (m))");
    EXPECT_EQ(clause.name, "schedule");
    EXPECT_EQ(clause.argument, "dynamic,(n)*(m)");
    EXPECT_FALSE(SplitClause("nowait").has_argument);
    EXPECT_EQ(SplitList("a,b(1,2),'c,d'"), (std::vector<std::string>{"a", "b(1,2)", "'c,d'"}));
    EXPECT_EQ(NamesIn("n*2.e3+size(a%b,1_k) .and. x=='y'"),
              (std::vector<std::string>{"n", "size", "a", "x"}));
    EXPECT_EQ(Collapse("if ( c == ' a b ' )"), "if(c==' a b ')");
}

TEST(Clauses, RoutedAsDocumented) {
    std::vector<Clauses> split = SplitCombined(
        {"parallel", "do"}, Parse({"private(i)", "schedule(static)", "ordered", "lastprivate(x)",
                                   "reduction(+:s)", "num_threads(4)", "collapse(2)"}));
    EXPECT_EQ(ClauseList(split[0]), " private(i) reduction(+:s) num_threads(4)");
    EXPECT_EQ(ClauseList(split[1]), " schedule(static) ordered lastprivate(x) collapse(2)");
    split = SplitCombined({"parallel", "sections"}, Parse({"private(i)", "lastprivate(x)"}));
    EXPECT_EQ(ClauseList(split[0]), " private(i)");
    EXPECT_EQ(ClauseList(split[1]), " lastprivate(x)");
}

TEST(Clauses, FirstprivateThatIsLastprivateTooStaysWithTheLoop) {
    std::vector<Clauses> split =
        SplitCombined({"parallel", "do"}, Parse({"firstprivate(x,y)", "lastprivate(y)"}));
    EXPECT_EQ(ClauseList(split[0]), " firstprivate(x)");
    EXPECT_EQ(ClauseList(split[1]), " firstprivate(y) lastprivate(y)");
}

TEST(Clauses, SimdReductionStaysWithTheLoop) {
    std::vector<Clauses> split =
        SplitCombined({"parallel", "do simd"},
                      Parse({"reduction(+:s)", "if(parallel:n>2)", "if(simd:n>3)", "simdlen(4)"}));
    EXPECT_EQ(ClauseList(split[0]), " if(parallel:n>2)");
    EXPECT_EQ(ClauseList(split[1]), " reduction(+:s) if(simd:n>3) simdlen(4)");
}

TEST(Clauses, OfTaskloopsGoToTheTasksAndToWhatIsAround) {
    EXPECT_EQ(TakenApart("parallel master taskloop simd"),
              (std::vector<std::string>{"parallel", "master", "taskloop simd"}));
    EXPECT_EQ(TakenApart("masked taskloop"), (std::vector<std::string>{"masked", "taskloop"}));
    for (const char* whole : {"master", "taskloop simd", "parallel loop", "target parallel do"}) {
        EXPECT_EQ(TakenApart(whole), std::vector<std::string>{whole});
    }
    std::vector<Clauses> split =
        SplitCombined({"parallel", "masked", "taskloop"},
                      Parse({"num_threads(4)", "filter(1)", "default(none)", "shared(a)",
                             "private(x)", "if(n>1)", "if(parallel:n>2)", "if(taskloop:n>3)",
                             "grainsize(2)", "untied", "reduction(+:s)"}));
    ASSERT_EQ(split.size(), 3u);
    EXPECT_EQ(ClauseList(split[0]),
              " num_threads(4) default(none) shared(a) if(n>1) if(parallel:n>2)");
    EXPECT_EQ(ClauseList(split[1]), " filter(1)");
    EXPECT_EQ(ClauseList(split[2]),
              " default(none) shared(a) private(x) if(n>1) if(taskloop:n>3) grainsize(2) untied "
              "reduction(+:s)");
    split = SplitCombined({"master", "taskloop"}, Parse({"shared(a)", "if(n>1)", "nogroup"}));
    EXPECT_EQ(ClauseList(split[0]), "");
    EXPECT_EQ(ClauseList(split[1]), " shared(a) if(n>1) nogroup");
}

TEST(Clauses, Context) {
    Context context;
    AddClauses(Parse({"private(i, j)", "reduction(*:s)", "schedule(nonmonotonic:dynamic, n/4)",
                      "nowait", "ordered"}),
               "omploop", &context);
    EXPECT_EQ(WriteContext(context),
              "91*private=i,j*redop=PRODUCT*reduction=s*schedule=DYNAMIC*chunk_size=n/4*nowait=1*"
              "ordered=1**");
    Context parallel;
    AddClauses(Parse({"if(parallel: n > 2)", "default(none)", "schedule(static)"}), "parallel",
               &parallel);
    EXPECT_EQ(parallel.Get("if"), "n>2");
    EXPECT_EQ(parallel.Get("default"), "NONE");
    EXPECT_FALSE(parallel.Has("schedule"));
}

TEST(Clauses, Listed) {
    EXPECT_EQ(ListedVariables(
                  Parse({"private(i,/blk/)", "reduction(max:x)", "linear(k:2)", "default(none)"})),
              (std::vector<std::string>{"i", "/blk/", "x", "k"}));
}

}  // namespace
}  // namespace comshu::fortran
