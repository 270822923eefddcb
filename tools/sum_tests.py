#!/usr/bin/python3
"""Adds up the JUnit files of several ctest runs into one closing line. Fails if none ran a test."""

import sys
import xml.etree.ElementTree as ElementTree


def main():
    total = failed = skipped = 0
    for name in sys.argv[1:]:
        suite = ElementTree.parse(name).getroot()
        total += int(suite.get("tests", 0))
        failed += int(suite.get("failures", 0))
        skipped += int(suite.get("skipped", 0)) + int(suite.get("disabled", 0))
    print(f"{total - failed - skipped} passed, {failed} failed, {skipped} skipped")
    return 0 if total and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
