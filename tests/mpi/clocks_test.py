"""Clocks of hosts that two ranks of one machine play (COMSHU_TEST_HOSTS): what is known of them is found again,
the program sees nothing of it, and whoever does not come holds nobody up (clocks.c)."""

import json
import subprocess

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
    syncs = sql(folder, "select moment, sent_ns, received_ns - sent_ns, rounds, s.rank, begin_ns, peer "
                        "from mpi_clock_sync s join rank using (rank) order by sent_ns")
    check([(row[0], row[3], row[4], row[6]) for row in syncs], [(0, 32, 1, 0), (1, 32, 1, 0)], "comparisons")
    (fit,), = sql(folder, "select clock_error_ns from capture")
    # Half a round trip, and how far both clocks are from the lines fitted to them.
    may_be_off = bound + 2 * fit + 1000
    check(bound, max(row[2] for row in syncs) / 2, "the bound is half a round trip")
    until_first = syncs[0][1] - syncs[0][5]
    check(abs(offset - SHIFT_NS - DRIFT_PPB * until_first / 1e9) <= may_be_off, True,
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


case.record(arguments=["messages", str(MESSAGES)], look=look,
            environment={"COMSHU_TEST_HOSTS": HOSTS, "COMSHU_MPI_CLOCKS": "on"})


def look_at_one_host(folder):
    check(sql(folder, "select method from clock"), [("reference",)], "one clock")
    check(sql(folder, "select count(*) from mpi_clock_sync"), [(0,)], "comparisons")


case.record(arguments=["messages", "5"], look=look_at_one_host, environment={"COMSHU_MPI_CLOCKS": "on"})
case.record(arguments=["messages", "5"], environment={"COMSHU_TEST_HOSTS": HOSTS, "COMSHU_MPI_CLOCKS": "off"})
for way in ("abort", "vanish"):
    own = {"LD_PRELOAD": case.preload(), "COMSHU_DIR": "/nowhere"}
    plain = case.launch(2, [way], {})[0]
    check(case.launch(2, [way], {**own, "COMSHU_TEST_HOSTS": HOSTS, "COMSHU_MPI_CLOCKS": "on"})[0], plain,
          f"exit code of {way}")
finish()
