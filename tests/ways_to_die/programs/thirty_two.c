/* A 32-bit program that needs neither headers nor start files of that size, only its C library. */
extern int puts(const char*);
extern void exit(int);
void _start(void) {
    puts("program: 32 bits");
    exit(4);
}
