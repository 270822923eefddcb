#!/bin/bash
# Brings everything that the build and the tests need: Debian packages (tools/packages.txt), then
# DuckDB from npm. May be run at any time; what is there is left alone, and then it needs neither
# the network nor root.
set -euo pipefail
cd "$(dirname "$0")/.."

state=.cache/setup
mkdir -p $state

say() { printf 'setup: %s\n' "$*"; }
fail() { printf 'setup: %s\n' "$1" >&2; [ $# -lt 2 ] || printf '%s\n' "${@:2}" >&2; exit 1; }

section() { # required | optional
    sed -e 's/#.*//' tools/packages.txt | awk -v want="[$1]" \
        '/^\[/ { inside = ($1 == want); next } inside && NF { print $1 }'
}

missing() { # of the packages named, those that are not installed
    [ $# -gt 0 ] || return 0
    comm -23 <(printf '%s\n' "$@" | sort -u) \
             <(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' | awk '$1 == "ii" { print $2 }' | sort -u)
}

as_root=()
find_root() { # $@: the packages, for the message
    [ "$(id -u)" -eq 0 ] && return
    command -v sudo >/dev/null && as_root=(sudo) && return
    fail "packages are missing, and this needs root (there is no sudo). As root, run:" \
         "apt-get update && apt-get install -y --no-install-recommends $*"
}

apt_install() {
    local quiet=(-qq -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300)
    local get=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get)
    if compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null &&
        "${get[@]}" install -y --no-install-recommends "${quiet[@]}" "$@" >$state/apt.log 2>&1; then
        return 0
    fi
    # No package lists yet, or lists that name what the mirror no longer has.
    "${get[@]}" update -qq >$state/apt.log 2>&1 &&
        "${get[@]}" install -y --no-install-recommends "${quiet[@]}" "$@" >>$state/apt.log 2>&1
}

debian_packages() {
    if ! command -v dpkg-query >/dev/null; then
        say "not a Debian system: install what tools/packages.txt lists by hand"
        return
    fi
    local need want
    mapfile -t need < <(missing $(section required))
    # Debian's npm conflicts with a nodejs from elsewhere: what is there is used.
    command -v npm >/dev/null && command -v node >/dev/null || need+=(nodejs npm)
    if [ ${#need[@]} -gt 0 ]; then
        find_root "${need[@]}"
        say "installing ${need[*]}"
        if ! apt_install "${need[@]}"; then
            tail -n 20 $state/apt.log >&2
            fail "apt-get could not install: ${need[*]}"
        fi
    fi

    # Tried once per list: one that cannot be had must not cost time at every run.
    local list_hash
    list_hash=$(sha256sum <tools/packages.txt)
    [ "$(cat $state/optional 2>/dev/null)" != "$list_hash" ] || return 0
    mapfile -t want < <(missing $(section optional))
    if [ ${#want[@]} -gt 0 ] && { [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null; }; then
        find_root
        local package
        for package in "${want[@]}"; do
            say "installing $package (optional)"
            apt_install "$package" || say "warning: $package cannot be installed; going on without"
        done
    fi
    printf '%s\n' "$list_hash" >$state/optional
}

duckdb() {
    local lock_hash
    lock_hash=$(cat package.json package-lock.json | sha256sum)
    if [ "$(cat $state/npm 2>/dev/null)" = "$lock_hash" ] && [ -f .cache/duckdb/include/duckdb.h ] &&
        [ -f node_modules/@duckdb/node-bindings-linux-x64/libduckdb.so ]; then
        return
    fi
    say "fetching DuckDB"
    npm ci --ignore-scripts --silent || fail "npm ci failed: see the message above"
    python3 tools/fetch_duckdb_header.py .cache/duckdb/include
    printf '%s\n' "$lock_hash" >$state/npm
}

# Once; without it the tests take the older runtime.
newer_libomp() {
    [ ! -f $state/libomp-19 ] || return 0
    tools/fetch_libomp.sh 2>$state/libomp.log || say "LLVM's newer OpenMP runtime cannot be had; going on without"
    touch $state/libomp-19
}

debian_packages
newer_libomp
duckdb
