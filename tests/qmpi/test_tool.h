/* What the generated pass-through tool shares with its hand-written half. */
#ifndef QMPI_TEST_TOOL_H
#define QMPI_TEST_TOOL_H

#include "qmpi.h"

void CountCall(int number, const char* name, QMPI_Context context, int tool_id);
QMPI_Function NextFunction(int tool_id, int number, int* next_id);
void RegisterGenerated(int tool_id);

#endif
