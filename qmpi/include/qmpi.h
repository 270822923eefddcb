/* QMPI: several MPI tools in one process, on an MPI library that nobody changed.
 *
 * The names, types and meanings are those of MPICH 4 (QMPI_Context, QMPI_Functions_enum,
 * QMPI_Send_t, ...). Where mpi.h declares them they are taken from there, elsewhere they are
 * declared here; functions that MPICH's enum lacks (MPI_FILE_OPEN_T, ...) are macros from 1000 on.
 *
 * A tool announces itself in a constructor, before or after libqmpi is initialised:
 *
 *     static void Init(int tool_id) {
 *         QMPI_Register_function(tool_id, MPI_SEND_T, (void (*)(void))Send);
 *     }
 *     __attribute__((constructor)) static void Announce(void) {
 *         QMPI_Register_tool_name("name", Init);
 *     }
 *     static int Send(QMPI_Context context, int tool_id, const void* buf, int count,
 *                     MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
 *         QMPI_Function next;
 *         int next_id;
 *         QMPI_Get_function(tool_id, MPI_SEND_T, &next, &next_id);
 *         return ((QMPI_Send_t*)next)(context, next_id, buf, count, datatype, dest, tag, comm);
 *     }
 *
 * Init runs before the first MPI call of the process goes on. All functions return MPI_SUCCESS or
 * an error code of MPI; none of them calls MPI.
 */
#ifndef QMPI_H
#define QMPI_H

/* A tool in C++ would else refer to Open MPI's classes of MPI-2, which a program in C has not loaded. */
#if defined(__cplusplus) && !defined(OMPI_SKIP_MPICXX)
#define OMPI_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include "qmpi_chain.h"
#include "qmpi_functions.h"

#define QMPI_MPI_ID 0

#ifdef __cplusplus
extern "C" {
#endif

#ifndef MPICH_VERSION
int QMPI_Register_tool_name(const char* tool_name, void (*init_function_ptr)(int tool_id)) __asm__(
    "QMPI_Register_tool_name_" QMPI_MPI_NAME);
int QMPI_Register_tool_storage(int tool_id, void* tool_storage);
int QMPI_Register_function(int calling_tool_id, enum QMPI_Functions_enum function_enum,
                           void (*function_ptr)(void));
int QMPI_Get_function(int calling_tool_id, enum QMPI_Functions_enum function_enum,
                      void (**function_ptr)(void), int* next_tool_id);
int QMPI_Get_tool_storage(QMPI_Context context, int tool_id, void** storage);
int QMPI_Get_calling_address(QMPI_Context context, void** address);
#endif

/* The tools that take part, from the outermost to the innermost; what is left of the array is filled
 * with QMPI_MPI_ID. Ids need not rise. */
int QMPI_Get_tool_ids(int count, int* tool_ids);
/* The name that a tool registered (QMPI_MPI_ID: the MPI library's), cut to `size` with its 0. */
int QMPI_Get_tool_name(int tool_id, char* name, int size);
/* The tools behind tool_id that intercept a function, the next one first, and then QMPI_MPI_ID. */
int QMPI_Get_next_tool(int tool_id, int function_enum, int count, int* tool_ids);
/* A tool's own function, to be called with its id; QMPI_MPI_ID: the MPI library's. An error if it does
 * not intercept the function. Tools pass on the context that they were called with; *context (may be
 * null) is for calls that belong to none. */
int QMPI_Get_tool_fn(int tool_id, int function_enum, void (**function_ptr)(void),
                     QMPI_Context* context);

/* The application's return addresses from the MPI call outwards, as far as its code keeps frame
 * pointers; what is left of the array is filled with null. */
int QMPI_Context_get_calling_stack(QMPI_Context context, int count, void** addresses);

/* Writes which tools take part, in order, and what each intercepts. */
void qmpi_describe(int file_descriptor);

/* Intercepts MPI_Pcontrol, whose variable arguments a tool cannot hand on: they go to the next tool as
 * they came. What begin returns, end gets; `frame` is the frame of the call. */
int qmpi_register_pcontrol(int tool_id,
                           void* (*begin)(QMPI_Context context, int tool_id, int level,
                                          void* frame),
                           void (*end)(void* from_begin, int level, int result));

/* Whose code an address is, by the library that it lies in: a return address of the stack, say. */
enum QMPI_Code_owner { QMPI_CODE_APPLICATION, QMPI_CODE_MPI, QMPI_CODE_TOOL, QMPI_CODE_OTHER };
/* Returns one of them. *tool_id (may be null): which tool, the innermost one if several instances or
 * tools share the library; 0 if it is none of the chain. */
int qmpi_classify_address(const void* address, int* tool_id);

/* "mpich" or "openmpi": the MPI that this libqmpi serves. */
const char* qmpi_mpi_name(void);
/* 1 once a tool intercepts the MPI of this process, else 0. */
int qmpi_active(void);
/* The MPI library's own function (PMPI_...), which no tool sees; null if it has none. */
QMPI_Function qmpi_mpi_function(int function_enum);

/* Where the application made the call, as QMPI_Get_calling_address: one load. */
static inline void* qmpi_calling_address(QMPI_Context context) {
    return ((const QMPI_Call*)(void*)context.storage_stack)->calling_address;
}

/* The storage of a tool, as QMPI_Get_tool_storage. */
static inline void* qmpi_tool_storage(QMPI_Context context, int tool_id) {
    (void)context;
    return qmpi_chain_tool(qmpi_chain_now(), tool_id)->storage;
}

/* Who comes after a tool for a function, as QMPI_Get_function; function_enum must be a number that
 * this MPI has. */
static inline QMPI_Link qmpi_next(QMPI_Context context, int tool_id, int function_enum) {
    (void)context;
    const int row = function_enum < 1000 ? function_enum : QMPI_ROWS_BELOW + function_enum - 1000;
    return qmpi_chain_tool(qmpi_chain_now(), tool_id)->next[row];
}

#ifdef __cplusplus
}
#endif

#endif

/* The interface as the tools group of the MPI Forum had it in October 2020, by QMPI_API=202010, defined
 * before this header is included, be it once more. The tool that registers with these asks for the
 * context of the next tool as well. */
#if defined(QMPI_API) && QMPI_API == 202010 && !defined(QMPI_Register_tool_function)
#ifdef __cplusplus
extern "C" {
#endif
int qmpi_register_function_202010(int tool_id, int function_enum, void (*function_ptr)(void));
int qmpi_get_function_202010(int tool_id, int function_enum, void (**function_ptr)(void),
                             int* next_tool_id, QMPI_Context* next_context);
int qmpi_get_calling_address_202010(QMPI_Context context, int tool_id, void* address);
#ifdef __cplusplus
}
#endif
#define QMPI_Register_tool_function(tool_id, function_enum, function_ptr) \
    qmpi_register_function_202010(tool_id, function_enum, function_ptr)
#define QMPI_Context_get_storage(context, tool_id, storage) \
    QMPI_Get_tool_storage(context, tool_id, storage)
#define QMPI_Context_get_calling_address(context, tool_id, address) \
    qmpi_get_calling_address_202010(context, tool_id, address)
#define QMPI_Get_function(tool_id, function_enum, function_ptr, next_tool_id, next_context) \
    qmpi_get_function_202010(tool_id, function_enum, function_ptr, next_tool_id, next_context)
#endif
