#!/usr/bin/python3
"""Packs an OTF2 archive as an input of otf2_archive_fuzz.

    pack_archive.py FOLDER OUT      (FOLDER as `comshu export DIR --otf2 FOLDER` makes it, locations 0 to 2)
"""
import pathlib
import sys

NAMES = [".otf2", ".def", "0.evt", "0.def", "1.evt", "1.def", "2.evt", "2.def"]


def main():
    folder = pathlib.Path(sys.argv[1])
    anchor = next(folder.glob("*.otf2"))
    packed = b""
    for number, name in enumerate(NAMES):
        path = folder / anchor.stem / name if name[0].isdigit() else anchor.with_suffix(name)
        if path.exists():
            data = path.read_bytes()
            packed += bytes([number]) + len(data).to_bytes(2, "little") + data
    pathlib.Path(sys.argv[2]).write_bytes(packed)


if __name__ == "__main__":
    main()
