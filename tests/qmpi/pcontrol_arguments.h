/* The arguments that the test programs give MPI_Pcontrol at level 2, read by the tools of the tests. */
#ifndef TESTS_QMPI_PCONTROL_ARGUMENTS_H
#define TESTS_QMPI_PCONTROL_ARGUMENTS_H

#include <stdarg.h>
#include <string.h>

#define PCONTROL_ARGUMENTS "a", 3, 4.0, 5l, 6l, 7l, 8.0

typedef struct {
    const char* text;
    int three;
    double four;
    long five, six, seven;
    double eight;
} PcontrolArguments;

#define PCONTROL_WORDS(a) (a).text, (a).three, (a).four, (a).five, (a).six, (a).seven, (a).eight

static inline PcontrolArguments ReadPcontrolArguments(va_list list) {
    PcontrolArguments a;
    a.text = va_arg(list, const char*);
    a.three = va_arg(list, int);
    a.four = va_arg(list, double);
    a.five = va_arg(list, long);
    a.six = va_arg(list, long);
    a.seven = va_arg(list, long);
    a.eight = va_arg(list, double);
    return a;
}

static inline int ArePcontrolArguments(const PcontrolArguments* a) {
    return strcmp(a->text, "a") == 0 && a->three == 3 && a->four == 4.0 && a->five == 5 &&
           a->six == 6 && a->seven == 7 && a->eight == 8.0;
}

#endif
