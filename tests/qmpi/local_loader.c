#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
    void* module = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    int (*run)(void) = module != NULL ? (int (*)(void))dlsym(module, "Run") : NULL;
    if (run == NULL) {
        printf("WRONG %s\n", dlerror());
        return 1;
    }
    const int result = run();
    puts(result == 0 ? "OK" : "WRONG");
    return result;
}
