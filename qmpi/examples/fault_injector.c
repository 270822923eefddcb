/* The tool "fault_injector": drops or delays messages of MPI_Send by rule. FAULTS holds rules between
 * commas, the first that fits counts:
 *     drop:TAG      messages of this tag are never sent (MPI_Send returns success)
 *     delay:TAG:MS  they are sent MS milliseconds later
 * A tag of * fits all. */
#include <qmpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kMaxRules = 32 };

typedef struct {
    int drops, any_tag, tag;
    long milliseconds;
} Rule;

static Rule rules[kMaxRules];
static int rule_count;

static int Send(QMPI_Context context, int tool_id, const void* buf, int count,
                MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
    for (int i = 0; i < rule_count; i++) {
        if (!rules[i].any_tag && rules[i].tag != tag) {
            continue;
        }
        if (rules[i].drops) {
            return MPI_SUCCESS;
        }
        const struct timespec pause = {rules[i].milliseconds / 1000,
                                       rules[i].milliseconds % 1000 * 1000000};
        nanosleep(&pause, NULL);
        break;
    }
    const QMPI_Link next = qmpi_next(context, tool_id, MPI_SEND_T);
    return ((QMPI_Send_t*)next.function)(context, next.tool_id, buf, count, datatype, dest, tag,
                                         comm);
}

static void ReadRules(char* text) {
    for (char* word = strtok(text, ","); word != NULL && rule_count < kMaxRules;
         word = strtok(NULL, ",")) {
        Rule rule = {strncmp(word, "drop:", 5) == 0, 0, 0, 0};
        char* at = strchr(word, ':');
        if (at == NULL || (!rule.drops && strncmp(word, "delay:", 6) != 0)) {
            fprintf(stderr, "fault_injector: '%s' is no rule\n", word);
            continue;
        }
        rule.any_tag = at[1] == '*';
        rule.tag = atoi(at + 1);
        at = strchr(at + 1, ':');
        rule.milliseconds = at != NULL ? atol(at + 1) : 0;
        rules[rule_count++] = rule;
    }
}

static void Init(int tool_id) {
    QMPI_Register_function(tool_id, MPI_SEND_T, (QMPI_Function)Send);
}

__attribute__((constructor)) static void Announce(void) {
    const char* text = getenv("FAULTS");
    ReadRules(text != NULL ? strdup(text) : NULL);
    QMPI_Register_tool_name("fault_injector", Init);
}
