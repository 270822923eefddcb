#include "instrument/declared_reductions.h"

#include <gtest/gtest.h>

namespace comshu::fortran {
namespace {

TEST(DeclaredReductions, BecomeCommentsWithAllTheirLines) {
    EXPECT_EQ(WithoutDeclaredReductions("  !$OMP DECLARE REDUCTION(+ : t : &  ! sum\n"
                                        "  ! in between\n"
                                        "  !$omp& a = b) initializer(c)\n"
                                        "  !$omp parallel\n",
                                        false),
              "  ! OMP DECLARE REDUCTION(+ : t : &  ! sum\n"
              "  ! in between\n"
              "  ! omp& a = b) initializer(c)\n"
              "  !$omp parallel\n");
}

TEST(DeclaredReductions, InFixedFormTheCardsSayWhatGoesOn) {
    EXPECT_EQ(WithoutDeclaredReductions("c$omp declarereduction(+ : t :\n"
                                        "c$omp+ a = b)\n"
                                        "c$omp parallel\n"
                                        "c$omp+ private(i)\n",
                                        true),
              "c omp declarereduction(+ : t :\n"
              "c omp+ a = b)\n"
              "c$omp parallel\n"
              "c$omp+ private(i)\n");
}

TEST(DeclaredReductions, OtherTextStays) {
    std::string text =
        "!$omp parallel reduction(+ : s)\n! omp declare reduction\n"
        "print *, '!$omp declare reduction'\n!$omp declare simd";
    EXPECT_EQ(WithoutDeclaredReductions(text, false), text);
    EXPECT_EQ(WithoutDeclaredReductions("", true), "");
}

}  // namespace
}  // namespace comshu::fortran
