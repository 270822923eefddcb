#!/usr/bin/python3
"""Takes duckdb.h out of the npm package that package.json names under "duckdbHeader".

The package is fetched and checked, not installed: to install it would bring its 119 dependencies
and a compilation, for one file. Usage: fetch_duckdb_header.py FOLDER
"""

import base64
import hashlib
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def check_integrity(data, integrity):
    """Whether the bytes are those that an npm integrity ("sha512-<base64>") names."""
    method, _, expected = integrity.partition("-")
    return base64.b64encode(hashlib.new(method, data).digest()).decode() == expected


def main():
    folder = pathlib.Path(sys.argv[1])
    header = json.loads((ROOT / "package.json").read_text())["duckdbHeader"]
    name = f"{header['package']}@{header['version']}"
    with tempfile.TemporaryDirectory() as work:
        subprocess.run(
            ["npm", "pack", name, "--silent", "--pack-destination", work],
            check=True, cwd=ROOT, stdout=subprocess.DEVNULL,
        )
        (tarball,) = pathlib.Path(work).glob("*.tgz")
        if not check_integrity(tarball.read_bytes(), header["integrity"]):
            sys.exit(f"{name}: the package that came is not the one package.json pins")
        with tarfile.open(tarball) as archive:
            text = archive.extractfile(header["file"]).read()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "duckdb.h").write_bytes(text)


if __name__ == "__main__":
    main()
