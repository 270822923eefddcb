#!/usr/bin/python3
"""Files that are made from others and kept in the repo are current."""

import sys

import gen_records_doc
import repo

sys.path.insert(0, str(repo.ROOT / "bench"))
import make_page  # noqa: E402

if __name__ == "__main__":
    root = repo.arguments(__doc__).parse_args().root
    sys.exit(repo.report(gen_records_doc.findings(root) + make_page.findings()))
