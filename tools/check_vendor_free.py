#!/usr/bin/python3
"""libcomshu knows no vendor, and qmpi none but MPI: no header, type or call of theirs. A symbol may be
named in a string."""

import re
import sys

import repo

VENDORS = {
    "MPI": (r"P?MPIX?_\w+|QMPI_\w+", r"mpi(-ext|f-.*)?\.h|qmpi/.*"),
    "CUDA": (r"cuda[A-Z]\w*|cu[A-Z]\w*|CU(?:device|stream|context|function|module|event|result|pti\w*)\b|nccl\w+|nvtx\w+",
             r"cu(da|pti|rand|blas).*|nccl.*|nvtx.*|nvbit.*|sanitizer.*\.h"),
    "HIP": (r"hip[A-Z]\w*|hsa_\w+|roctracer_\w+", r"hip/.*|hsa/.*|roctracer/.*|rocprofiler.*"),
    "verbs": (r"ibv_\w+|rdma_\w+|mlx[45]dv_\w+", r"infiniband/.*|rdma/.*"),
    "UCX": (r"uc[pst]_\w+", r"uc[pstm]/.*"),
    "OpenMP tools": (r"ompt_\w+|omp_[a-z]\w*", r"omp(-tools)?\.h"),
    "libfabric": (r"fi_(?:send|recv|read|write|getinfo|fabric|domain|endpoint)\w*", r"rdma/fi_.*"),
}
FOLDERS = {"libcomshu": [], "qmpi": ["MPI"]}


def findings(root):
    found = []
    for name in repo.files(root, repo.CODE):
        folder = name.split("/")[0]
        if folder not in FOLDERS:
            continue
        code = repo.text(root, name)
        bare = repo.without_comments(code).split("\n")
        for number, (line, raw) in enumerate(zip(bare, code.split("\n")), 1):
            include = re.match(r'\s*#\s*include\s*["<]([^">]+)[">]', raw)
            for vendor, (names, headers) in VENDORS.items():
                if vendor in FOLDERS[folder]:
                    continue
                if include:
                    hit = re.fullmatch(headers, include.group(1)) and include.group(1)
                else:
                    match = re.search(rf"(?<!MpiFunction::)\b(?:{names})", line)  # schema's own enum
                    hit = match and match.group(0)
                if hit:
                    found.append(f"{name}:{number}: {hit}: {folder} may not know {vendor}")
    return found


if __name__ == "__main__":
    sys.exit(repo.report(findings(repo.arguments(__doc__).parse_args().root)))
