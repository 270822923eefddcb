/* A tool that refers to a function which nobody has. */
#include "qmpi.h"

void NobodyHasThis(int tool_id);

__attribute__((constructor)) static void Announce(void) {
    QMPI_Register_tool_name("missing", NobodyHasThis);
}
