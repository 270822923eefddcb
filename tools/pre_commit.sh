#!/bin/bash
# What a commit has to pass, in seconds: layout of what is committed, the checks of the tree, the unit
# tests of the last build. tools/install_hooks.sh makes git run it; `git commit --no-verify` goes without.
#
# Layout counts only once the whole tree is laid out: until then each commit would stumble over files
# that it does not touch.
set -uo pipefail
cd "$(git rev-parse --show-toplevel)" || exit 1
unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE GIT_PREFIX

failed=0
say() { printf 'pre-commit: %s\n' "$*" >&2; }
step() { # NAME COMMAND...; exit code 77: cannot be done here
    local name=$1 output rc=0
    shift
    output=$("$@" 2>&1) || rc=$?
    [ $rc = 0 ] && return
    if [ $rc = 77 ]; then
        say "$name: skipped: $output"
        return
    fi
    say "$name: $*"
    printf '%s\n' "$output" | tail -n 40 >&2
    failed=1
}

clean=$(git rev-parse --git-path comshu-laid-out)
if [ -e "$clean" ] || tools/format.sh --check --all >/dev/null 2>&1; then
    touch "$clean"
    step layout tools/format.sh --check
else
    say "layout: not checked, the tree is not laid out yet (tools/format.sh --all)"
fi
for check in tools/check_*.py; do
    case $check in
        */check_formatting.py | */check_preloaded.py) ;;
        *) step "$(basename "$check" .py)" python3 -B "$check" ;;
    esac
done
if [ -f build/release/CTestTestfile.cmake ]; then
    step "unit tests" ctest --test-dir build/release -L '^unit$' -LE long --output-on-failure --timeout 60 -j"$(nproc)"
fi
exit $failed
