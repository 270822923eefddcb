"""The whole of it: comshu run with the real engine and provider, what it leaves and what it says."""

import csv
import io
import json
import pathlib
import re
import shutil

from harness import COMMAND, EXAMPLES, LaunchTest, MPIEXEC, main

END_LINE = re.compile(r"^comshu (?:run|pack): (\S+): (\d+) ranks?, ([\d,]+) calls, [\d.]+ (?:[KM]i)?B, nothing lost; "
                      r"next: comshu read (\S+)$", re.MULTILINE)
# pingpong 3 64: 7 sizes, so per rank 7 x 3 sends and receives, 7 barriers and 4 other calls; on rank 0 two
# calls of MPI_Wtime per size as well.
PINGPONG = (3, 64)
CALLS = 2 * (7 * 3 * 2 + 7 + 4) + 7 * 2


class Capture(LaunchTest):
    def setUp(self):
        super().setUp()
        # The objects of the build, not the stand-in.
        del self.environment["COMSHU_PROVIDER_PATH"]

    def query(self, folder, sql):
        result = self.comshu("sql", folder, sql, "--format", "csv")
        self.check_code(result)
        return list(csv.reader(io.StringIO(result.stdout)))[1:]

    def calls(self, folder):
        return int(self.query(folder, "SELECT count(*) FROM span WHERE layer = 'mpi'")[0][0])

    def check_end(self, result, folder, ranks=2):
        """The line that ends a run: once, with what is there."""
        found = END_LINE.findall(result.stderr)
        self.assertEqual(len(found), 1, result.stderr)
        self.assertEqual(found[0][0], folder)
        self.assertEqual(found[0][3], folder)
        self.assertEqual(int(found[0][1]), ranks)
        self.assertEqual(int(found[0][2].replace(",", "")), CALLS)
        names = sorted(file.name for file in (self.work / folder / "run").iterdir())
        self.assertEqual(len([name for name in names if name.endswith(".cst")]), ranks + 1, names)
        self.assertEqual([name for name in names if not name.endswith(".cst")], [])

    def test_both_forms_give_the_same_capture(self):
        for mpi, mpiexec in MPIEXEC.items():
            with self.subTest(mpi):
                program = [EXAMPLES / mpi / "pingpong", *PINGPONG]
                around = self.comshu("run", "-p", "mpi", "-o", f"{mpi}-around", "--", mpiexec, "-n", 2, *program)
                self.check_code(around)
                self.check_end(around, f"{mpi}-around")
                behind = self.run_command(mpiexec, "-n", 2, COMMAND, "run", "-p", "mpi", "-o", f"{mpi}-behind", "--",
                                          *program)
                self.check_code(behind)
                self.check_end(behind, f"{mpi}-behind")
                by_name = "SELECT rank, name, count(*) FROM span GROUP BY ALL ORDER BY ALL"
                calls = self.query(f"{mpi}-around", by_name)
                self.assertEqual(sum(int(row[2]) for row in calls), CALLS)
                self.assertEqual(self.query(f"{mpi}-behind", by_name), calls)

    def test_source_lines_need_no_binary_afterwards(self):
        for mpi, mpiexec in MPIEXEC.items():
            with self.subTest(mpi):
                program = self.work / "copy"
                shutil.copy(EXAMPLES / mpi / "pingpong", program)
                self.check_code(self.comshu("run", "-o", mpi, "--", mpiexec, "-n", 2, program, *PINGPONG))
                program.unlink()
                shutil.move(self.work / mpi, self.work / f"{mpi}-moved")
                self.check_code(self.comshu("pack", f"{mpi}-moved"))
                places = self.query(f"{mpi}-moved", "SELECT DISTINCT source FROM span WHERE name = 'MPI_Send'")
                source = next(pathlib.Path(folder, "examples", "pingpong.c")
                              for folder in pathlib.Path(__file__).resolve().parents
                              if pathlib.Path(folder, "examples", "pingpong.c").exists())
                lines = source.read_text().splitlines()
                self.assertTrue(places)
                for (place,) in places:
                    name, line = place.rsplit(":", 1)
                    self.assertEqual(pathlib.Path(name).name, "pingpong.c")
                    self.assertIn("MPI_Send", lines[int(line) - 1])

    def test_killed_ranks_leave_their_rings_which_come_home(self):
        away = self.folder / "away"
        away.mkdir()
        for mpi, mpiexec in MPIEXEC.items():
            with self.subTest(mpi):
                self.comshu("run", "-o", mpi, "--", mpiexec, "-n", 2, "timeout", "-s", "KILL", "1",
                            EXAMPLES / mpi / "deadlock", COMSHU_LIVE_DIR=away)
                self.assertEqual(list(away.iterdir()), [])
                states = self.query(mpi, "SELECT rank, state FROM rank ORDER BY rank")
                self.assertEqual(states, [["0", "killed"], ["1", "killed"]])
                # What they hang in is still told.
                waiting = self.query(mpi, "SELECT count(*) FROM span WHERE end_ns IS NULL")
                self.assertEqual(waiting, [["2"]])

    def test_killed_command_is_completed_by_pack(self):
        for mpi, mpiexec in MPIEXEC.items():
            with self.subTest(mpi):
                # As if comshu run had been killed: nobody completes the capture.
                result = self.comshu("run", "-o", mpi, "--dry-run", "--", mpiexec, "-n", 2,
                                     EXAMPLES / mpi / "pingpong", *PINGPONG)
                (self.work / mpi / "run").mkdir(parents=True)
                (self.work / mpi / "capture.json").write_text(json.dumps({"job": "x"}))
                self.check_code(self.run_command("sh", "-c", result.stdout))
                packed = self.comshu("pack", mpi)
                self.check_code(packed)
                self.check_end(packed, mpi)
                again = self.comshu("pack", mpi)
                self.check_code(again)
                self.check_end(again, mpi)
                self.assertEqual(self.calls(mpi), CALLS)

    def test_program_without_a_traced_call_says_so(self):
        for mpi, mpiexec in MPIEXEC.items():
            with self.subTest(mpi):
                result = self.comshu("run", "-o", mpi, "--", mpiexec, "-n", 2, "true")
                self.check_code(result)
                self.assertEqual(result.stderr.count("nothing was recorded"), 1, result.stderr)

    def test_launcher_inside_a_script(self):
        for mpi, mpiexec in MPIEXEC.items():
            with self.subTest(mpi):
                script = self.script("job.sh", f"#!/bin/sh\n{pathlib.Path(mpiexec).name} -n 2 "
                                               f"{EXAMPLES / mpi / 'pingpong'} 3 64\n")
                result = self.comshu("run", "-o", mpi, "--", script)
                self.check_code(result)
                self.check_end(result, mpi)


if __name__ == "__main__":
    main()
