#!/usr/bin/python3
"""Files that are made from others and kept in the repo are current."""

import sys

import gen_records_doc
import repo

if __name__ == "__main__":
    sys.exit(repo.report(gen_records_doc.findings(repo.arguments(__doc__).parse_args().root)))
