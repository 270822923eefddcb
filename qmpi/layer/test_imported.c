int sample_imported(void) {
    return 7;
}
