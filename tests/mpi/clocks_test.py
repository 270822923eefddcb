"""Clocks of hosts that two ranks of one machine play (COMSHU_TEST_HOSTS): what is known of them is found again,
the program sees nothing of it, and whoever does not come holds nobody up (clocks.c)."""

import json
import os
import subprocess
import tempfile
import time

from harness import Case, check, fail, finish

MESSAGES = 500
SHIFT_NS = 100_000_000_000  # Longer than the run: by its own clock every message of rank 1 runs backwards.
DRIFT_PPB = 200_000
HOSTS = f"1:{SHIFT_NS}:{DRIFT_PPB}"

case = Case.from_arguments()


def sql(folder, query, *options):
    done = subprocess.run([case.options.libraries + "/../../bin/comshu", "sql", folder, query, "--format", "json",
                           *options], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        fail(done.stderr)
    return [tuple(row.values()) for row in json.loads(done.stdout)]


BACKWARD = "select count(*), max(send_begin_ns - recv_end_ns) from message where recv_end_ns < send_begin_ns"


def look(folder):
    (_, _, method0, *_), (_, _, method1, offset, drift, bound) = sql(
        folder, "select clock_id, host, method, offset_ns, drift_ppb, bound_ns from clock order by method desc")
    check((method0, method1), ("reference", "linear"), "methods")
    syncs = sql(folder, "select moment, begin_ns, end_ns - begin_ns, rounds, rank, peer "
                        "from mpi_clock_sync order by begin_ns")
    check([(row[0], row[3], row[4], row[5]) for row in syncs], [(0, 32, 1, 0), (1, 32, 1, 0)], "comparisons")
    (fit, start), = sql(folder, "select clock_error_ns, start_realtime_ns from capture")
    # Half a round trip, and how far both clocks are from the lines fitted to them.
    may_be_off = bound + 2 * fit + 1000
    check(abs(bound - max(row[2] for row in syncs) / 2) <= 1 + bound / 1000, True, "the bound is half a round trip")
    # What the played clock is ahead grows from the boot of the machine on.
    uptime = start + syncs[0][1] - (time.time_ns() - time.clock_gettime_ns(time.CLOCK_MONOTONIC))
    check(abs(offset - SHIFT_NS - DRIFT_PPB * uptime / 1e9) <= may_be_off, True,
          f"offset {offset} found again, within {may_be_off}")
    between = syncs[1][1] - syncs[0][1]
    check(abs(drift - DRIFT_PPB) * between / 1e9 <= 2 * may_be_off, True, f"drift {drift} found again")

    check(sql(folder, "select count(*) from message"), [(2 * MESSAGES,)], "messages")
    check(sql(folder, BACKWARD, "--clock", "host")[0][0], MESSAGES, "backward by the hosts' clocks")
    wrong, early = sql(folder, BACKWARD)[0]
    check(wrong == 0 or early <= bound + 2, True, f"{wrong} messages backward by up to {early}")
    check(sql(folder, BACKWARD, "--clock", "logical")[0][0], 0, "backward by the logical clock")
    # Nothing of comparing is seen.
    check(sql(folder, "select distinct name from span where name not in ('MPI_Init', 'MPI_Comm_rank', 'MPI_Send', "
                      "'MPI_Recv', 'MPI_Finalize')"), [], "other calls")
    check(sql(folder, "select count(distinct comm) from mpi_comm"), [(3,)], "communicators")
    check(sql(folder, "select count(*) from unmatched"), [(0,)], "unmatched messages")


PLAYED = {"COMSHU_TEST_HOSTS": HOSTS, "COMSHU_MPI_CLOCKS": "on", "COMSHU_TEST_CLOCKS_MS": "60000"}

case.record(arguments=["messages", str(MESSAGES)], look=look, environment=PLAYED)


def look_at_one_host(folder):
    check(sql(folder, "select method from clock"), [("reference",)], "one clock")
    check(sql(folder, "select count(*) from mpi_clock_sync"), [(0,)], "comparisons")


case.record(arguments=["messages", "5"], look=look_at_one_host, compare=False,
            environment={"COMSHU_MPI_CLOCKS": "on"})

# When a rank vanishes MPICH's launcher kills the others (9, SIGKILL), and says the code of the one that it sees gone first.
for way, expected, limit in (("abort", {5}, "500"), ("vanish", {6, 9}, "500"), ("alone", {0}, "300")):
    with tempfile.TemporaryDirectory(prefix="comshu-mpi-") as folder:
        os.mkdir(os.path.join(folder, "run"))
        environment = {"LD_PRELOAD": case.preload(), "COMSHU_DIR": folder, **PLAYED, "COMSHU_TEST_CLOCKS_MS": limit}
        code = case.launch(2, [way, "20"], environment)[0]
        check(code in expected, True, f"exit code {code} of {way} is one of {expected}")
        if way == "alone":
            check(sql(folder, "select rank, kind from note"), [(0, "clocks")], "notes")
            check(sql(folder, "select count(*) from message"), [(40,)], "messages of a rank that was not answered")
finish()
