#include "runtime/context_string.h"

#include <gtest/gtest.h>

namespace comshu::fortran {
namespace {

Context Read(std::string_view text) {
    Context context;
    ContextError error = ReadContext(text, &context);
    EXPECT_EQ(error.message, "") << text << " at " << error.position;
    return context;
}

TEST(ContextWriter, CountsFromFirstToLastStar) {
    Context context;
    EXPECT_EQ(WriteContext(context), "2**");
    context.Add("type", "seqloop");
    context.Add("file", "jac.fdv");
    context.Add("line1", "32");
    context.Add("line2", "35");
    EXPECT_EQ(WriteContext(context), "46*type=seqloop*file=jac.fdv*line1=32*line2=35**");
}

TEST(ContextWriter, EscapesStars) {
    Context context;
    context.Add("if", "n*2>4");
    EXPECT_EQ(WriteContext(context), "12*if=n\\*2>4**");
}

TEST(ContextRoundTrip, AnyValue) {
    for (std::string value :
         {"a", "*", "**", "\\", "\\*", "*\\", "a\\\\*b\\", "c:\\f.f90", "=*=", "(n)*(m)", "x**2"}) {
        Context context;
        context.Add("if", value);
        context.Add("line2", "7");
        Context read = Read(WriteContext(context));
        EXPECT_EQ(read.Get("if"), value);
        EXPECT_EQ(read.Get("line2"), "7");
    }
}

TEST(ContextReader, RealStrings) {
    EXPECT_EQ(Read("38*type=file_name*file=jac.fdv*line1=8**").Get("line1"), "8");
    EXPECT_EQ(Read("42*type=interval*file=MAIN*line1=0*line2=0**").Get("file"), "MAIN");
    Context main = Read("*type=function*file=jac.fdv*line1=2*line2=4*name1=main*vtype=42*rank=0**");
    EXPECT_EQ(main.Get("name1"), "main");
    EXPECT_TRUE(main.Has("rank"));
    EXPECT_FALSE(main.Has("nowait"));
}

TEST(ContextReader, BothEscapes) {
    EXPECT_EQ(Read("*if=n\\*2>4**").Get("if"), "n*2>4");
    EXPECT_EQ(Read("*if=n*\\2>4**").Get("if"), "n*2>4");
}

TEST(ContextReader, OperatorsInAnySpelling) {
    EXPECT_EQ(Read("*redop=+**").Get("redop"), "PLUS");
    EXPECT_EQ(Read("*redop=plus**").Get("redop"), "PLUS");
    EXPECT_EQ(Read("*redop=.NEQV.**").Get("redop"), "NEQV");
    Context product = Read("*REDOP=**reduction=s*line2=3**");
    EXPECT_EQ(product.Get("redop"), "PRODUCT");
    EXPECT_EQ(product.Get("reduction"), "s");
    EXPECT_EQ(Read("*redop=\\***").Get("redop"), "PRODUCT");
    EXPECT_EQ(Read("*schedule=dynamic*default=None**").Get("schedule"), "DYNAMIC");
}

TEST(ContextReader, TrailingBlanksAndEmpty) {
    EXPECT_TRUE(Read("2**").pairs.empty());
    EXPECT_EQ(Read(std::string_view("12*line1=123**  \0", 17)).Get("line1"), "123");
}

struct Bad {
    std::string_view text;
    std::size_t position;
};

class ContextReaderErrors : public testing::TestWithParam<Bad> {};

TEST_P(ContextReaderErrors, SayWhere) {
    Context context;
    ContextError error = ReadContext(GetParam().text, &context);
    EXPECT_NE(error.message, "");
    EXPECT_EQ(error.position, GetParam().position);
}

INSTANTIATE_TEST_SUITE_P(All, ContextReaderErrors,
                         testing::Values(Bad{"", 0}, Bad{"12", 2}, Bad{"abc", 0}, Bad{"*", 1},
                                         Bad{"*a=1*", 5}, Bad{"*a=1", 4}, Bad{"*a*b=1**", 1},
                                         Bad{"*=1**", 1}, Bad{"9*a=1**", 0}, Bad{"*a=1**x", 6},
                                         Bad{"99999999999999*a=1**", 0}));

}  // namespace
}  // namespace comshu::fortran
