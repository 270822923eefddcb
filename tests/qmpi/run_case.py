"""Runs cases of the QMPI layer's whole-system tests; see CASES.

    run_case.py CASE ... --mpi mpich --other openmpi --build DIR --mpiexec MPIEXEC

DIR/lib/comshu holds the layer, DIR/test/qmpi/<mpi> the programs. Exit status 77: all were
skipped.
"""

import argparse
import os
import re
import subprocess
import sys

import defect_cases
import layer_cases
import life_cases
import real_cases
import tool_cases
from harness import Bench, Failed

CASES = {
    "ten_c": lambda b: layer_cases.ten(b, "c"), "ten_mpif": lambda b: layer_cases.ten(b, "mpif"),
    "ten_mpi": lambda b: layer_cases.ten(b, "mpi"), "ten_f08": lambda b: layer_cases.ten(b, "f08"),
    "many_mpi": lambda b: layer_cases.many(b, "mpi"),
    "sentinels_mpif": lambda b: layer_cases.sentinels(b, "mpif"),
    "sentinels_mpi": lambda b: layer_cases.sentinels(b, "mpi"),
    "sentinels_f08": lambda b: layer_cases.sentinels(b, "f08"),
    "many_f08": lambda b: layer_cases.many(b, "f08"),
}
for module, names in (
        (layer_cases, """forwarding process_without_mpi other_mpi dlopen_local threads early_and_late
                      throwing pmpi_tool_behind refusals what_it_needs several_programs"""),
        (tool_cases, """comshu_run installed order members eztrace stack linked describe
                     examples supertool late_tool pmpi_tool_in_front bad_lists"""),
        (defect_cases, """defect_listed_but_never_registered defect_registration_refused_in_silence
                       defect_numbers_out_of_range defect_calling_address defect_after_the_end
                       defect_pcontrol_without_arguments defect_files_and_conversions
                       fortran_is_seen_like_c"""),
        (life_cases, """sessions abort callbacks spawn lives
                      tools_that_cannot_be_loaded"""),
        (real_cases, """real_scalapack real_netpipe real_mpi4py real_hpcc""")):
    CASES.update((name, getattr(module, name)) for name in names.split())


def run(case, options):
    """False if it was skipped. A failure ends the program."""
    if re.match("(ten|many|sentinels)_(mpif|mpi|f08)$", case) and not options.fortran:
        print(f"{case}: skipped: this MPI has no Fortran compiler")
        return False
    bench = Bench(options)
    try:
        CASES[case](bench)
    except (Failed, subprocess.TimeoutExpired) as error:
        sys.exit(f"{case} on {options.mpi}: {error}")
    except SystemExit as end:
        if end.code == 77:
            return False
        raise
    finally:
        bench.folder.cleanup()
    print(f"{case}: passed")
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="+", choices=CASES)
    parser.add_argument("--mpi", required=True)
    parser.add_argument("--mpiexec", required=True)
    parser.add_argument("--cc", default="", help="the MPI's compiler")
    parser.add_argument("--cxx", default="")
    parser.add_argument("--other", default="")
    parser.add_argument("--other-mpiexec", default="")
    parser.add_argument("--fortran", action="store_true", help="Fortran programs were built")
    parser.add_argument("--build", required=True)
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    skipped = [run(case, options) for case in options.cases].count(False)
    sys.exit(77 if skipped == len(options.cases) else 0)


if __name__ == "__main__":
    main()
