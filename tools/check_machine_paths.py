#!/usr/bin/python3
"""No file names a folder of one machine, or a host that packages were fetched from."""

import re
import sys

import repo

# In pieces, so that this file passes its own check.
PATHS = re.compile(r"(?<![\w.$}/*-])/(?:" + "|".join(["wo" + "rk", "ro" + "ot", "ho" + r"me/\w+"]) + r")/[\w.]")
HOSTS = re.compile("|".join([
    r"registry\.npm" + r"js", r"npm" + r"js\.(?:org|com)", r"deb\.deb" + r"ian", r"py" + r"pi\.org",
    r"files\.python" + r"hosted", r"crates" + r"\.io"]))
BINARY = (".cst", ".live", ".png", ".parquet", ".bin", ".pdf", ".gz", ".zst")


def findings(root):
    found = []
    for name in repo.files(root):
        if name.endswith(BINARY):
            continue
        for number, line in enumerate(repo.text(root, name).split("\n"), 1):
            match = PATHS.search(line) or HOSTS.search(line)
            if match:
                found.append(f"{name}:{number}: {match.group(0)}")
    return found


if __name__ == "__main__":
    sys.exit(repo.report(findings(repo.arguments(__doc__).parse_args().root)))
