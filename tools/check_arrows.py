#!/usr/bin/python3
"""Includes go only along the arrows of docs/architecture.md."""

import os
import pathlib
import re
import sys

import repo

# Part: the parts whose headers it may include, beside its own. A part is the longest of these names
# that is a folder above the file. "*": everything.
ARROWS = {
    "schema": [],
    "include": [],
    "libcomshu/core": ["schema"],
    "libcomshu/rec": ["libcomshu/core", "schema"],
    "libcomshu": ["libcomshu/core", "libcomshu/rec", "schema"],
    "qmpi": [],
    "fortran/instrument": ["fortran/runtime"],
    "fortran/runtime": [],
    "gpu-backends": ["libcomshu", "libcomshu/core", "libcomshu/rec", "schema"],
    "providers": ["libcomshu", "libcomshu/core", "libcomshu/rec", "schema"],
    "providers/mpi": ["qmpi", "libcomshu", "libcomshu/core", "libcomshu/rec", "schema"],
    "providers/user": ["include", "libcomshu", "libcomshu/core", "libcomshu/rec", "schema"],
    "providers/openmp": ["fortran/runtime", "libcomshu", "libcomshu/core", "libcomshu/rec", "schema"],
    "providers/gpumem": ["gpu-backends", "libcomshu", "libcomshu/core", "libcomshu/rec", "schema"],
    "comshu-read": ["libcomshu/core", "schema"],
    "comshu-read/analysis": ["comshu-read", "libcomshu/core", "schema"],
    "comshu-link": ["comshu-read", "libcomshu/core", "schema"],
    "formats": ["comshu-read", "libcomshu/core", "schema"],
    "comshu-ui": ["comshu-read/analysis", "comshu-read", "libcomshu/core", "schema"],
    "comshu": ["comshu-ui", "comshu-link", "formats", "comshu-read/analysis", "comshu-read", "libcomshu/core", "schema"],
    "agent": [],
    "examples": [],
    "bench": ["*"],
    "tests": ["*"],
    "tools": [],
}
# A test beside the code may make what it checks (a capture) with all that lies below.
TEST_MAY_TOO = ["libcomshu", "libcomshu/core", "libcomshu/rec", "schema"]
# Folders of formats that belong to all of them.
SHARED_BY_FORMATS = ["include", "text", "timeline"]
TESTED_WITHOUT = ["schema", "libcomshu/core", "qmpi", "fortran/runtime", "fortran/instrument"]

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', re.M)


def part_of(name):
    """The part a file belongs to. libcomshu/include/comshu/core/x.h is of libcomshu/core."""
    if name.startswith("include/"):
        return "include"  # What programs include: no part's root.
    path = re.sub(r"/include/(comshu|qmpi)/", "/", "/" + name)[1:]
    path = re.sub(r"^libcomshu/src/", "libcomshu/", path)
    found = [part for part in ARROWS if path.startswith(part + "/")]
    return max(found, key=len) if found else None


def providers_apart(name, target):
    """Two files of different providers (or of different formats)."""
    a, b = pathlib.PurePath(name).parts, pathlib.PurePath(target).parts
    if b[0] == "formats" and (b[1] in SHARED_BY_FORMATS or a[1] == "fuzz"):
        return False
    return a[0] == b[0] and a[0] in ("providers", "formats") and len(a) > 2 and len(b) > 2 and a[1] != b[1]


def resolve(include, name, by_tail):
    """The file of the project that an include means; None for a header from elsewhere."""
    candidates = by_tail.get(pathlib.PurePath(include).name, [])
    for wanted in (str(pathlib.PurePath(name).parent / include), include):
        if wanted in candidates:
            return wanted
    # A part has include roots of its own, so a name may occur in several: the nearest is meant.
    found = [c for c in candidates if c.endswith("/" + include)]
    if found:
        return max(found, key=lambda c: len(os.path.commonpath([c, name])))
    if include.startswith("comshu/schema/"):
        return "schema/" + include  # made by the build
    return None


def findings(root):
    names = repo.files(root, repo.CODE)
    by_tail = {}
    for name in names:
        by_tail.setdefault(pathlib.PurePath(name).name, []).append(name)
    found = []
    for name in names:
        part = part_of(name)
        if part is None:
            continue
        allowed = list(ARROWS[part])
        if repo.is_test(name) and part not in TESTED_WITHOUT:
            allowed += TEST_MAY_TOO
        code = repo.text(root, name)
        for match in INCLUDE.finditer(code):
            include = match.group(1)
            where = f"{name}:{code.count(chr(10), 0, match.start()) + 1}"
            if ".." in pathlib.PurePath(include).parts:
                found.append(f"{where}: includes {include}: climbs folders; include from the part's root")
                continue
            target = resolve(include, name, by_tail)
            if target is None:
                continue
            other = part_of(target)
            if providers_apart(name, target):
                found.append(f"{where}: includes {include}: one of {part} may not know another")
            elif other != part and other not in allowed and "*" not in allowed:
                found.append(f"{where}: includes {include}: {part} may not include from {other}")
    return found


if __name__ == "__main__":
    sys.exit(repo.report(findings(repo.arguments(__doc__).parse_args().root)))
