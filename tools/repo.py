"""What the checks share: the files of the project, and how a finding is reported."""

import argparse
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
SKIP = 77  # the exit code that ctest counts as skipped

CODE = (".c", ".cc", ".cpp", ".h", ".hpp", ".S")


def files(root, suffixes=()):
    """Paths, relative to root, of the files that belong to the project: what git tracks or would
    track. In a folder without git (an unpacked archive): all but what the build makes."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root, capture_output=True) if (root / ".git").exists() else None
    if listed and listed.returncode == 0:
        names = [name for name in listed.stdout.decode().split("\0") if name]
    else:  # no git, or a checkout of another user that git does not trust
        names = []
        for folder, folders, inside in os.walk(root):
            folders[:] = [f for f in folders if f not in (".git", "build", "node_modules", ".cache")]
            names += [os.path.relpath(os.path.join(folder, name), root) for name in inside]
    names = sorted(set(names))
    return [n for n in names if (not suffixes or n.endswith(tuple(suffixes))) and (root / n).is_file()]


def text(root, name):
    return (root / name).read_text(encoding="utf-8", errors="replace")


def is_generated(name):
    return "generated" in pathlib.PurePath(name).name


def is_test(name):
    """Tests and benchmarks beside the code, and what only they use."""
    path = pathlib.PurePath(name)
    stem = path.stem
    return "testing" in path.parts or stem.endswith(("_test", "_benchmark", "_fuzz", "_test_util")) or stem.startswith("test_")


def without_comments(code):
    """C or C++ with comments and the insides of strings blanked; lines stay where they are."""
    token = re.compile(
        r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)

    def blank(match):
        found = match.group(0)
        if found.startswith("/"):
            return re.sub(r"[^\n]", " ", found)
        return found[0] + found[-1]

    return token.sub(blank, code)


def arguments(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="the folder to look at")
    return parser


def report(findings):
    """Prints the findings; the exit code of the check."""
    for finding in findings:
        print(finding)
    return 1 if findings else 0
