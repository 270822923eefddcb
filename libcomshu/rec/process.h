// The recorder of this process, for what interposes the ends of processes.
#ifndef COMSHU_REC_PROCESS_H_
#define COMSHU_REC_PROCESS_H_

#include <cstdint>

#include "comshu/schema/core_generated.h"

namespace comshu::rec {

// `quick`: without exit handlers; else the code is what the exit handlers were given.
void EndProcess(bool quick, int32_t exit_code);

// Recording stops, or goes on, for one reason; it is on when there is none. Lock-free.
void Pause(schema::PauseReason reason);
void Resume(schema::PauseReason reason);
schema::PauseReason ReasonOfPause();

// A record is missing where none may be: nothing is recorded any more, whoever resumes.
void GiveUp();

// The image may be replaced: everything is written, and nothing stops if it is not.
void BeforeExec();

// Tells of objects that were loaded since the last look.
void RefreshModules();

// Null while none runs. For tests.
class Engine;
Engine* RunningEngine();

}  // namespace comshu::rec

#endif  // COMSHU_REC_PROCESS_H_
