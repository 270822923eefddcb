/* How the tools of the order tests tell the program that they were called: it exports Trace. */
#ifndef TESTS_QMPI_ORDER_H
#define TESTS_QMPI_ORDER_H

void Trace(const char* tool, int place) __attribute__((weak));

#endif
