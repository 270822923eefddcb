"""Windows, files and datatypes of objects.c."""

import os
import tempfile

from harness import Case, check, fields, finish

case = Case.from_arguments()
folder = tempfile.mkdtemp(prefix="comshu-file-")
ranks = case.record(arguments=[os.path.join(folder, "data")])
os.rmdir(folder)

for me, rank in enumerate(ranks):
    other = 1 - me
    windows = rank.definitions("MpiWindow")
    check([fields(w, "comm", "bytes", "displacement_unit", "function") for w in windows],
          [(rank.world, 64, 4, "MPI_Win_allocate"), (rank.world, 16, 1, "MPI_Win_create")], "windows")
    window = windows[0]["window"]
    check([r["window"] for r in rank.definitions("MpiWindowClose")], [w["window"] for w in windows],
          "closed windows")
    check([(r["object"], r["name"]) for r in rank.definitions("MpiName")],
          [(window, "halo"), (rank.definitions("MpiDatatype")[0]["datatype"], "column")], "names")
    rma = [fields(r, "function", "bytes", "target", "world_target", "target_displacement", "operation")
           for r in rank.of("MpiRma") if r["window"] == window and "fence" not in r["function"]]
    check(rma, [
        ("MPI_Win_allocate", 64, None, None, None, "none"),
        ("MPI_Win_set_name", None, None, None, None, "none"),
        ("MPI_Put", 16, other, other, 2, "none"),
        ("MPI_Get", 12, other, other, 0, "none"),
        ("MPI_Accumulate", 8, other, other, 8, "sum"),
        ("MPI_Win_lock", None, other, other, None, "none"),
        ("MPI_Fetch_and_op", 4, other, other, 12, "sum"),
        ("MPI_Win_flush", None, other, other, None, "none"),
        ("MPI_Compare_and_swap", 4, other, other, 13, "none"),
        ("MPI_Win_flush", None, other, other, None, "none"),
        ("MPI_Rput", 8, other, other, 14, "none"),
        ("MPI_Win_unlock", None, other, other, None, "none"),
        ("MPI_Win_free", None, None, None, None, "none"),
    ], "one-sided calls")
    check(rank.completion_of(rank.calls("MPI_Rput")[0]["request"])["kind"], "rma", "completion of MPI_Rput")

    opened = rank.definitions("MpiFile")
    check(len(opened), 1, "files")
    check(opened[0]["path"].endswith("/data"), True, "path")
    check([r["file"] for r in rank.definitions("MpiFileClose")], [opened[0]["file"]], "closed files")
    io = [fields(r, "function", "bytes", "offset") for r in rank.of("MpiIo")]
    check(io, [
        ("MPI_File_open", None, None),
        ("MPI_File_write_at", 32, 32 * me),
        ("MPI_File_sync", None, None),
        ("MPI_File_read_at", 32, 32 * other),
        ("MPI_File_read_at", 16, 48),
        ("MPI_File_iread_at", 8, 0),
        ("MPI_File_seek", None, 8 * me),
        ("MPI_File_read_all", 8, None),
        ("MPI_File_close", None, None),
    ], "MPI-IO calls")
    check({r["file"] for r in rank.of("MpiIo")}, {opened[0]["file"]}, "files of MPI-IO calls")
    iread = rank.calls("MPI_File_iread_at")[0]
    check(fields(rank.completion_of(iread["request"]), "kind", "bytes"), ("io", 8),
          "completion of MPI_File_iread_at")

    types = rank.definitions("MpiDatatype")
    check([fields(t, "bytes", "extent", "function") for t in types],
          [(80, 728, "MPI_Type_vector"), (12, 16, "MPI_Type_create_struct")], "datatypes")
    check([r["datatype"] for r in rank.definitions("MpiDatatypeClose")],
          [t["datatype"] for t in types], "freed datatypes")
    check([fields(r, "bytes", "receive_bytes") for r in rank.calls("MPI_Sendrecv")],
          [(240, 240), (36, 36)], "messages of derived datatypes")
check(ranks[0].definitions("MpiWindow")[0]["window"], ranks[1].definitions("MpiWindow")[0]["window"],
      "number of a window on both ranks")
check(ranks[0].definitions("MpiFile")[0]["file"], ranks[1].definitions("MpiFile")[0]["file"],
      "number of a file on both ranks")
finish()
