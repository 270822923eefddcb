// An object that a test opens and closes.
extern "C" int some_function(int value) {
    return value + 1;
}
