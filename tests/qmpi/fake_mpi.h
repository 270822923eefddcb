/* The record of the last call into the fake MPI library. */
#ifndef QMPI_FAKE_MPI_H
#define QMPI_FAKE_MPI_H

enum { kFakeArguments = 13 };

typedef struct {
    int function; /* position in calls.h */
    int calls;
    long arguments[kFakeArguments];
} FakeCall;

extern __thread FakeCall fake_last_call;

void FakeRecord(int function, const long* arguments);

#endif
