#!/bin/bash
# Runs every fuzz target for the given number of seconds (60), on the corpus in the repo and on what
# earlier runs found (build/fuzz/corpus).
set -euo pipefail
cd "$(dirname "$0")/.."

command -v clang++-14 >/dev/null || { echo "fuzz: clang++-14 is missing: run tools/setup.sh" >&2; exit 1; }
cmake --preset fuzz -DCOMSHU_FUZZ_SECONDS="${1:-60}" >/dev/null
cmake --build --preset fuzz --parallel "$(nproc)" --target comshu_fuzzers
ctest --test-dir build/fuzz --output-on-failure --no-tests=error -L '^fuzz$' --verbose
