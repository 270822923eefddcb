#!/usr/bin/python3
"""Writes the assertions of a folder, NAME.sql each, as the table behind `comshu read --section checks`.

    embed_checks.py OUT.cpp FILE.sql...

The first line of a file is a comment that says what must hold, the rest a query for the rows that break it."""

import pathlib
import sys


def literal(text):
    return 'R"SQL(' + text + ')SQL"'


def main(out, files):
    lines = ['#include "checks.h"', "", "namespace comshu::analysis {", "",
             "const std::vector<Check>& Checks() {", "    static const std::vector<Check> checks = {"]
    for path in sorted(map(pathlib.Path, files), key=lambda p: p.stem):
        first, _, query = path.read_text(encoding="utf-8").partition("\n")
        if not first.startswith("-- ") or ";" in query:
            sys.exit(f"{path}: begins with a comment that says what must hold; then one query without a semicolon")
        lines.append(f'        {{"{path.stem}", {literal(first[3:])}, {literal(query.strip())}}},')
    lines += ["    };", "    return checks;", "}", "", "}  // namespace comshu::analysis", ""]
    pathlib.Path(out).write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
