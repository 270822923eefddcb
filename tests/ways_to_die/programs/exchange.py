"""exchange.py WAY: ten exchanges between two ranks through mpi4py, then an end."""

import os
import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD
other = 1 - comm.rank
for number in range(10):
    buffer = bytearray(8)
    comm.Sendrecv([bytes(8), MPI.BYTE], other, number, [buffer, MPI.BYTE], other, number)
way = sys.argv[1]
comm.Barrier()
if way == "sys-exit":
    sys.exit(4)
if way == "os-exit":
    os._exit(5)
if way == "raise":
    raise ValueError("nobody catches this")
if way == "abort":
    os.abort()
