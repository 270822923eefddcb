#include "instrument/unknown_directives.h"

#include <gtest/gtest.h>

namespace comshu::fortran {
namespace {

std::string Known(const std::string& text, bool fixed_form,
                  std::vector<RenamedDirective>* renamed = nullptr) {
    std::vector<RenamedDirective> ignored;
    std::string known = WithKnownDirectives(text, fixed_form, renamed ? renamed : &ignored);
    EXPECT_EQ(known.size(), text.size());
    return known;
}

TEST(UnknownDirectives, DeclaredReductionsBecomeCommentsWithAllTheirLines) {
    EXPECT_EQ(Known("  !$OMP DECLARE REDUCTION(+ : t : &  ! sum\n"
                    "  ! in between\n"
                    "  !$omp& a = b) initializer(c)\n"
                    "  !$omp parallel\n",
                    false),
              "  ! OMP DECLARE REDUCTION(+ : t : &  ! sum\n"
              "  ! in between\n"
              "  ! omp& a = b) initializer(c)\n"
              "  !$omp parallel\n");
}

TEST(UnknownDirectives, InFixedFormTheCardsSayWhatGoesOn) {
    EXPECT_EQ(Known("c$omp declarereduction(+ : t :\n"
                    "c$omp+ a = b)\n"
                    "c$omp parallel\n"
                    "c$omp+ private(i)\n"
                    "c$omp0declare red\n"
                    "c$omp+uction(+ : t : a = b)\n"
                    "c$omp error\n",
                    true),
              "c omp declarereduction(+ : t :\n"
              "c omp+ a = b)\n"
              "c$omp parallel\n"
              "c$omp+ private(i)\n"
              "c omp0declare red\n"
              "c omp+uction(+ : t : a = b)\n"
              "c omp error\n");
}

TEST(UnknownDirectives, MasterOfCombinedOnesBecomesMasked) {
    std::vector<RenamedDirective> renamed;
    EXPECT_EQ(Known("!$omp parallel master private(master)\n"
                    "!$OMP END PARALLEL MASTER\n"
                    " !$omp parallel & ! master\n"
                    " ! in between\n"
                    " !$omp & mas&\n"
                    " !$omp &ter taskloop ! master\n"
                    "!$omp master taskloop simd\n"
                    "!$omp end mastertaskloop",
                    false, &renamed),
              "!$omp parallel masked private(master)\n"
              "!$OMP END PARALLEL masked\n"
              " !$omp parallel & ! master\n"
              " ! in between\n"
              " !$omp & mas&\n"
              " !$omp &ked taskloop ! master\n"
              "!$omp masked taskloop simd\n"
              "!$omp end maskedtaskloop");
    ASSERT_EQ(renamed.size(), 5u);
    EXPECT_EQ(renamed[0].offset, 15u);
    EXPECT_EQ(renamed[0].shown, "masked");
    EXPECT_EQ(renamed[0].own, "master");
    EXPECT_EQ(Known("c$omp paral lel\n"
                    "c$omp&  mas\n"
                    "c$omp1 ter shared(master)\n"
                    "c$omp  e n d parallelm a s t e r\n"
                    "c$omp parallel\n"
                    "      master = 1\n"
                    "c$omp master\n",
                    true),
              "c$omp paral lel\n"
              "c$omp&  mas\n"
              "c$omp1 ked shared(master)\n"
              "c$omp  e n d parallelm a s k e d\n"
              "c$omp parallel\n"
              "      master = 1\n"
              "c$omp master\n");
}

TEST(UnknownDirectives, ScopeAndScanBecomeWhatHasTheirClauses) {
    std::vector<RenamedDirective> renamed;
    EXPECT_EQ(Known("!$omp scope private(scope)\n"
                    "!$omp end scope nowait\n"
                    "!$omp scan inclusive(x, scan)\n"
                    "!$omp Scan &\n"
                    "!$omp   Exclusive (x)\n"
                    "!$omp sc&\n"
                    "!$omp&an exclusive (x)\n",
                    false, &renamed),
              "!$omp teams private(scope)\n"
              "!$omp end teams nowait\n"
              "!$omp flush         (x, scan)\n"
              "!$omp flush&\n"
              "!$omp             (x)\n"
              "!$omp sc&\n"
              "!$omp&an exclusive (x)\n");
    ASSERT_EQ(renamed.size(), 4u);

    SourceModel model;
    Item& begin = model.items.emplace_back();
    begin.kind = ItemKind::kOmpBegin;
    begin.name = "teams";
    begin.span = {0, 26, true};
    model.items.push_back(begin);
    model.items.back().span.valid = false;  // of an include file
    model.items.push_back(begin);
    model.items.back().span = {200, 210, true};
    NameDirectives(renamed, &model);
    EXPECT_EQ(model.items[0].name, "scope");
    EXPECT_EQ(model.items[1].name, "teams");
    EXPECT_EQ(model.items[2].name, "teams");
}

TEST(UnknownDirectives, OtherTextStays) {
    std::string text =
        "!$omp parallel reduction(+ : master)\n! omp declare reduction\n"
        "!$omp critical (master)\n!$omp end critical (master)\n!$omp flush(master)\n!$omp master\n"
        "!$omp end master\n!$omp parallel, shared(master)\n!$omp parallel ! master\n"
        "!$omp parallel private(i) &\n!$omp & default(none) ! master\n"
        "print *, '!$omp declare reduction !$omp parallel master'\n!$omp declare simd\n"
        "! $omp parallel master\n!omp parallel master\n! a !$omp parallel master\n"
        "!$omp target map(to: scan)\n!$omp cancel parallel\n!$omp";
    EXPECT_EQ(Known(text, false), text);
    EXPECT_EQ(Known("", true), "");
    EXPECT_EQ(Known("c$omp", true), "c$omp");
}

}  // namespace
}  // namespace comshu::fortran
