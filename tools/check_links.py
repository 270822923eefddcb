#!/usr/bin/python3
"""Links between the documents lead somewhere: the file is in the repo, the heading is in the file."""

import pathlib
import re
import sys

import repo

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def anchors(text):
    """The names that headings get: small letters, no punctuation, spaces as dashes."""
    found = set()
    for heading in re.findall(r"^#+ +(.+)$", text, re.M):
        found.add(re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-"))
    return found


def findings(root):
    found = []
    for name in repo.files(root, (".md",)):
        text = repo.text(root, name)
        for link in LINK.findall(text):
            if re.match(r"\w+:", link):
                continue
            file, _, anchor = link.partition("#")
            target = (root / pathlib.PurePath(name).parent / file) if file else root / name
            if not target.exists():
                found.append(f"{name}: {link}: there is no such file")
            elif anchor and anchor not in anchors(target.read_text()):
                found.append(f"{name}: {link}: there is no such heading")
    return found


if __name__ == "__main__":
    sys.exit(repo.report(findings(repo.arguments(__doc__).parse_args().root)))
