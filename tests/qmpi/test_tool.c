/* A tool that intercepts every function, counts and passes on. At exit it writes one line per
 * function called into $QMPI_TEST_OUT.<pid>: name, calls, calls whose calling address lies in the
 * executable. $QMPI_TEST_SILENT=1: it does not register at all. */
#define _GNU_SOURCE
#include "test_tool.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "pcontrol_arguments.h"

enum { kNumbers = 2200 };

static const char* names[kNumbers];
static atomic_long calls[kNumbers];
static atomic_long from_executable[kNumbers];
static uintptr_t executable_begin, executable_end;
static int storage_of_tool;
static atomic_int pcontrol_arguments_right;
static atomic_int bad_context;

static int FindExecutable(struct dl_phdr_info* info, size_t size, void* data) {
    (void)size;
    (void)data;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr)* segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X)) {
            executable_begin = info->dlpi_addr + segment->p_vaddr;
            executable_end = executable_begin + segment->p_memsz;
        }
    }
    return 1; /* the executable comes first */
}

void CountCall(int number, const char* name, QMPI_Context context, int tool_id) {
    void* address = NULL;
    void* storage = NULL;
    QMPI_Get_calling_address(context, &address);
    QMPI_Get_tool_storage(context, tool_id, &storage);
    if (address != qmpi_calling_address(context) || storage != &storage_of_tool ||
        storage != qmpi_tool_storage(context, tool_id)) {
        bad_context++;
    }
    names[number] = name;
    calls[number]++;
    if ((uintptr_t)address >= executable_begin && (uintptr_t)address < executable_end) {
        from_executable[number]++;
    }
}

QMPI_Function NextFunction(int tool_id, int number, int* next_id) {
    QMPI_Function next = NULL;
    QMPI_Get_function(tool_id, number, &next, next_id);
    return next;
}

static int ToolPcontrol(QMPI_Context context, int tool_id, const int level, ...) {
    CountCall(MPI_PCONTROL_T, "MPI_Pcontrol", context, tool_id);
    int next_id;
    QMPI_Pcontrol_t* next = (QMPI_Pcontrol_t*)NextFunction(tool_id, MPI_PCONTROL_T, &next_id);
    if (level != 2) {
        return next(context, next_id, level);
    }
    va_list list;
    va_start(list, level);
    const PcontrolArguments arguments = ReadPcontrolArguments(list);
    va_end(list);
    if (ArePcontrolArguments(&arguments)) {
        pcontrol_arguments_right++;
    }
    return next(context, next_id, level, PCONTROL_WORDS(arguments));
}

static void InitTool(int tool_id) {
    QMPI_Register_tool_storage(tool_id, &storage_of_tool);
    RegisterGenerated(tool_id);
    QMPI_Register_function(tool_id, MPI_PCONTROL_T, (void (*)(void))ToolPcontrol);
}

__attribute__((constructor)) static void Announce(void) {
    dl_iterate_phdr(FindExecutable, NULL);
    if (getenv("QMPI_TEST_SILENT") == NULL) {
        QMPI_Register_tool_name("test_tool", InitTool);
    }
}

__attribute__((destructor)) static void Report(void) {
    const char* out = getenv("QMPI_TEST_OUT");
    if (out == NULL || !qmpi_active()) {
        return;
    }
    char path[4096];
    snprintf(path, sizeof(path), "%s.%d", out, (int)getpid());
    FILE* file = fopen(path, "w");
    if (file == NULL) {
        return;
    }
    for (int i = 0; i < kNumbers; i++) {
        if (names[i] != NULL) {
            fprintf(file, "%s %ld %ld\n", names[i], (long)calls[i], (long)from_executable[i]);
        }
    }
    fprintf(file, "bad_context %d 0\npcontrol_arguments_right %d 0\n", (int)bad_context,
            (int)pcontrol_arguments_right);
    fclose(file);
}
