#!/usr/bin/python3
"""Files of a size that can be read: the median under 180 lines, none over 600 unless it is generated or
a table."""

import statistics
import sys

import repo

MEDIAN = 180
LARGEST = 600
SOURCE = repo.CODE + (".py", ".f90", ".fbs", ".sql", ".sh", ".cmake", "CMakeLists.txt")
# One line each of something that is that long.
TABLES = {"schema/mpi_function.fbs"}


def findings(root):
    lines = {n: repo.text(root, n).count("\n") for n in repo.files(root, SOURCE)
             if not repo.is_generated(n) and n not in TABLES}
    found = [f"{name}: {count} lines: split it by responsibility (at most {LARGEST})"
             for name, count in lines.items() if count > LARGEST]
    if lines and statistics.median(lines.values()) >= MEDIAN:
        found.append(f"the median of all files is {statistics.median(lines.values())} lines, not under {MEDIAN}")
    return found


if __name__ == "__main__":
    sys.exit(repo.report(findings(repo.arguments(__doc__).parse_args().root)))
