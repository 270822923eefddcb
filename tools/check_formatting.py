#!/usr/bin/python3
"""C and C++ are laid out as .clang-format says (clang-format 14: another version differs). --fix does it."""

import collections
import re
import shutil
import subprocess
import sys

import repo


def formatter():
    for name in ("clang-format-14", "clang-format"):
        path = shutil.which(name)
        if path and " 14." in subprocess.run([path, "--version"], capture_output=True, text=True).stdout:
            return path
    return None


def run(root, names, fix):
    """Exit code and text of clang-format on these files, 50 at a time."""
    code, said = 0, ""
    for i in range(0, len(names), 50):
        action = ["-i"] if fix else ["--dry-run", "-Werror"]
        done = subprocess.run([formatter(), "--style=file", *action, *names[i : i + 50]], cwd=root,
                              capture_output=True, text=True)
        code |= done.returncode
        said += done.stderr
    return code, said


def main():
    parser = repo.arguments(__doc__)
    parser.add_argument("--fix", action="store_true", help="rewrite the files")
    parser.add_argument("--files", nargs="*", help="these alone")
    options = parser.parse_args()
    if not formatter():
        print("clang-format 14 is not there: the layout is not checked (package clang-format-14)")
        return repo.SKIP
    names = [n for n in repo.files(options.root, (".c", ".cc", ".cpp", ".h", ".hpp")) if not repo.is_generated(n)]
    if options.files is not None:
        names = [name for name in names if name in set(options.files)]
    code, said = run(options.root, names, options.fix)
    if code:
        places = collections.Counter(re.findall(r"^(.+?):\d+:\d+: ", said, re.M))
        for name, count in sorted(places.items()):
            print(f"{name}: {count} places")
        print("tools/format.sh --all puts this right" if places else said)
    return 1 if code else 0


if __name__ == "__main__":
    sys.exit(main())
