/* Stands in for the engine: receives the note that the layer leaves. */
#include <stdio.h>

__attribute__((visibility("default"))) void comshu_engine_note(const char* kind, const char* text) {
    printf("NOTE %s: %s\n", kind, text);
    fflush(stdout);
}
