#!/bin/bash
# Lays out C and C++ as .clang-format says: what changed since the last commit, or everything.
#   tools/format.sh [--check] [--all]
# --check changes nothing and names what is not laid out (exit code 1). Exit code 77: no clang-format 14.
set -euo pipefail
cd "$(dirname "$0")/.."

action=--fix
all=
for argument in "$@"; do
    case $argument in
        --check) action= ;;
        --all) all=1 ;;
        *) sed -n '2,4s/^# *//p' "$0" >&2; exit 2 ;;
    esac
done
files=()
if [ -z "$all" ]; then
    mapfile -t changed < <({ git diff --name-only --diff-filter=d HEAD; git ls-files --others --exclude-standard; } | sort -u)
    files=(--files "${changed[@]}")
fi
exec python3 -B tools/check_formatting.py $action "${files[@]}"
