/* A tool that comes too late, or says things that are wrong: everything must be refused. */
#include <stdio.h>

#include "qmpi.h"

static void Init(int tool_id) {
    printf("WRONG: initialised as %d\n", tool_id);
}

__attribute__((constructor)) static void Announce(void) {
    QMPI_Function function = NULL;
    int id = -1;
    void* storage = NULL;
    QMPI_Context context = {0};
    int refused = 0;
    refused += QMPI_Register_tool_name("second", Init) != 0;
    refused += QMPI_Register_tool_name(NULL, Init) != 0;
    refused += QMPI_Register_tool_name("second", NULL) != 0;
    refused += QMPI_Register_tool_storage(2, &id) != 0;
    refused += QMPI_Register_tool_storage(0, &id) != 0;
    refused += QMPI_Register_tool_storage(-1, &id) != 0;
    refused += QMPI_Register_function(2, MPI_SEND_T, (QMPI_Function)Init) != 0;
    refused +=
        QMPI_Register_function(1, (enum QMPI_Functions_enum)100000, (QMPI_Function)Init) != 0;
    refused += QMPI_Register_function(1, (enum QMPI_Functions_enum)(-1), (QMPI_Function)Init) != 0;
    refused += QMPI_Register_function(1, (enum QMPI_Functions_enum)700, (QMPI_Function)Init) != 0;
    refused += QMPI_Register_function(1, MPI_SEND_T, NULL) != 0;
    refused += QMPI_Get_function(2, MPI_SEND_T, &function, &id) != 0;
    refused += QMPI_Get_function(1, MPI_SEND_T, NULL, &id) != 0;
    refused += QMPI_Get_tool_storage(context, 2, &storage) != 0;
    refused += QMPI_Get_calling_address(context, &storage) != 0;
    printf("REFUSED %d of 15\n", refused);
}
