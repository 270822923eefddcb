// loader local|global MODULE...: knows nothing of MPI; opens objects that use it, one after the other, and
// closes them again.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int count, char** arguments) {
    const int scope = strcmp(arguments[1], "local") == 0 ? RTLD_LOCAL : RTLD_GLOBAL;
    int i, round;
    void* last = NULL;
    for (round = 0; round < 3; ++round) {
        for (i = 2; i < count; ++i) {
            void* module = dlopen(arguments[i], RTLD_NOW | scope);
            int (*use)(int);
            if (module == NULL) {
                fprintf(stderr, "%s\n", dlerror());
                return 90;
            }
            use = (int (*)(int))dlsym(module, "UseMpi");
            if (use(5) < 3) return 91;
            if (round == 2 && i == count - 1)
                last = module;
            else if (dlclose(module) != 0)
                return 92;
        }
    }
    ((void (*)(void))dlsym(last, "EndMpi"))();
    return dlclose(last);
}
