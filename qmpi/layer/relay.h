#ifndef QMPI_LAYER_RELAY_H
#define QMPI_LAYER_RELAY_H

#include <cstdint>

#include "qmpi_chain.h"

namespace qmpi {

// Where many instances of one tool share the jump with which its code goes on.
//
// A tool's wrapper has one indirect jump, and where it leads is predicted from the last few branches.
// Deep inside a run of instances of that tool these are all that same jump, so the processor cannot
// tell the last instance from the one before it: past eight, a call costs 25 ns more. So the links
// of such a tool lead to one place per function, whatever comes next, and a conditional branch there
// (wrappers.S), for which far more history is kept, tells by the tool id that is handed on.
//
// A relay serves one tool for a function, and ids below 64; other links lead straight on. What a
// relay knows of an id is never withdrawn, since tools keep links: the function of an id can change,
// as it can in the table. Called under the chain's lock; calls read without.
constexpr int kInstancesWithoutRelay = 8;

// The link that an instance of such a tool gets instead of `next`. `own`: its own function there.
QMPI_Link Relayed(int row, QMPI_Function own, QMPI_Link next);

// The function of an id has changed, or become known.
void RenewRelay(int row, int tool_id, QMPI_Function function);

}  // namespace qmpi

#endif
