"""Figures: one row each, as a table of text and as data."""

import json
import os
import re
import subprocess

GROUPS = {
    "event": ("An event", "ns", "A burst of 2,000 records that fits the ring is timed as a whole, what is written between "
              "bursts is not. LTTng-UST in its default set-up gets the same events; a span there is two events."),
    "dbg": ("An OpenMP event of an instrumented program", "ns", "dbg_bench.c: bursts of 2,000 calls that fit the ring, four in a row: "
            "in a loop of one call the loop's own branch adds 0.2 to 0.5 ns to what nobody records, by where the compiler puts "
            "it. An event is the begin or the end of a span; `iteration` has the store of the loop variable that stands before the call in "
            "an instrumented program; `access` is a read of a variable at level 3. Where nobody records, a call ends in the "
            "program itself, so it costs less than one to another library."),
    "call": ("A call of MPI", "ns", "One rank, mpi_call_bench.c: bursts of 1,500 calls that fit the ring, minimum and "
             "median of 200 bursts; `Irecv + Send + Wait` is the time of one of its three calls. LTTng-UST: a PMPI tool "
             "with an event before and behind each call (mpi_lttng.c). EZTrace: `eztrace -t openmpi`. `bound`: to one "
             "core, as Open MPI binds ranks."),
    "stream": ("A call of MPI, without a pause", "ns", "The same calls back to back for millions of calls, until all is "
               "written: the drain is at work all the time."),
    "size": ("Size of a call", "bytes", "Files of a run divided by its calls: as they are when the program has ended, and "
             "as `comshu run` leaves them (packed)."),
    "read": ("Reading", "million records/s", "Calls counted by rank and function over generated captures whose counts are "
             "known, files in the page cache; matching: CPU time of one thread. The highest of three runs (matching: of seven) stands under "
             "`min`, which is the least time."),
    "start": ("Start-up", "ms", "MPI_Init, one call, MPI_Finalize on one rank; wall time from start to end. `comshu run` "
              "includes finishing the capture."),
}


def row(group, case, who, minimum, median=None, cold=None, issued=None, recorded=None, lost=None):
    return {"group": group, "case": case, "who": who, "unit": GROUPS[group][1], "min": minimum, "median": median,
            "cold": cold, "issued": issued, "recorded": recorded, "lost": lost}


def machine():
    model = re.search(r"^model name\s*: (.*)$", open("/proc/cpuinfo").read(), re.M)
    kernel = os.uname().release
    compiler = subprocess.run(["c++", "--version"], capture_output=True, text=True, check=False).stdout.splitlines()
    return {"cpu": model[1] if model else os.uname().machine, "cpus": os.cpu_count(), "kernel": kernel,
            "compiler": compiler[0] if compiler else "", "load_before": round(os.getloadavg()[0], 2)}


def number(value):
    if value is None:
        return "-"
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.2f}" if value < 10 else f"{value:.1f}"


def beside_direct(rows, one):
    """The cost above that of the same case without any tool."""
    direct = [r for r in rows if (r["group"], r["case"], r["who"]) == (one["group"], one["case"], "direct")]
    return one["min"] - direct[0]["min"] if direct and one["who"] != "direct" else None


def text(figures):
    rows = figures["rows"]
    lines = [f"{figures['machine']['cpus']} x {figures['machine']['cpu']}, load {figures['machine']['load_before']} before"
             + (", short mode: results are checked, times mean nothing" if figures["quick"] else "")]
    for group, (title, unit, _) in GROUPS.items():
        own = [r for r in rows if r["group"] == group]
        if not own:
            continue
        lines += ["", f"{title} ({unit})",
                  f"  {'':42} {'':20} {'min':>10} {'median':>10} {'cold':>10} {'added':>10} {'issued':>12} {'lost':>6}"]
        for r in own:
            lines.append(f"  {r['case']:42} {r['who']:20} {number(r['min']):>10} {number(r['median']):>10} "
                         f"{number(r['cold']):>10} {number(beside_direct(rows, r)):>10} "
                         f"{'-' if r['issued'] is None else format(r['issued'], ',d'):>12} "
                         f"{'-' if r['lost'] is None else r['lost']:>6}")
    return "\n".join(lines) + "\n"


def problems(figures):
    """What is wrong with results, whatever the times are."""
    rows = figures["rows"]
    for r in rows:
        name = f"{r['group']}: {r['case']}, {r['who']}"
        if not r["min"] or r["min"] <= 0:
            yield f"{name}: no figure"
        if r["who"].startswith("comshu") and r["lost"] not in (0, None):
            yield f"{name}: {r['lost']} lost"
        if r["who"].startswith("comshu") and r["issued"] is not None and r["recorded"] != r["issued"]:
            yield f"{name}: {r['recorded']} recorded of {r['issued']}"
    for group in GROUPS:
        if not any(r["group"] == group and r["who"].startswith("comshu") for r in rows):
            yield f"{group}: nothing measured"


def write(figures, path):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(figures, file, indent=1)
        file.write("\n")


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)
