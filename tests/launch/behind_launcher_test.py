"""mpirun comshu run -- ./app: one folder for all ranks of a job, made once, reported once."""

import json

from harness import COMMAND, EXAMPLES, LaunchTest, MPIEXEC, main


class BehindLauncher(LaunchTest):
    def behind(self, mpi, *arguments, ranks=2, **changes):
        return self.run_command(MPIEXEC[mpi], "-n", ranks, COMMAND, "run", *arguments, **changes)

    def test_ranks_share_the_folder_and_report_once(self):
        for mpi in MPIEXEC:
            with self.subTest(mpi):
                self.forget_seen()
                result = self.behind(mpi, "-p", "mpi", "-o", mpi, "--", "sleep", "0.1")
                self.check_code(result)
                self.assertEqual(self.programs_seen(), ["sleep", "sleep"])
                for seen in self.seen():
                    self.assertEqual(seen.preload.split(":"), self.object_paths(mpi))
                    self.assertEqual(seen.folder, str(self.work / mpi))
                self.assertEqual(result.stderr.count("comshu run:"), 1, result.stderr)
                self.assertEqual(list((self.work / mpi / "run").iterdir()), [])
                self.assertIn("finished", json.loads((self.work / mpi / "capture.json").read_text()))

    def test_reported_once_when_ranks_end_far_apart(self):
        for mpi in MPIEXEC:
            with self.subTest(mpi):
                result = self.behind(mpi, "-o", mpi, "--", "sh", "-c",
                                     "sleep 0.$((${PMI_RANK:-$OMPI_COMM_WORLD_RANK} * 5))")
                self.check_code(result)
                self.assertEqual(result.stderr.count("comshu run:"), 1, result.stderr)

    def test_without_a_name_the_ranks_agree_on_the_next_free_one(self):
        for mpi in MPIEXEC:
            (self.work / "comshu-out").mkdir(exist_ok=True)
            (self.work / "comshu-out" / "other").touch()
            for _ in range(2):
                self.check_code(self.behind(mpi, "--", "sleep", "0.05"))
        made = {folder.name for folder in self.work.iterdir()}
        expected = {"comshu-out"} | {f"comshu-out.{n}" for n in range(2, 2 + 2 * len(MPIEXEC))}
        self.assertEqual(made, expected)

    def test_second_job_is_refused_and_force_moves_the_first(self):
        for mpi in MPIEXEC:
            with self.subTest(mpi):
                self.check_code(self.behind(mpi, "-o", mpi, "--", "sleep", "0.05"))
                (self.work / mpi / "run" / "vm.1.cst").touch()  # else there is no capture to keep
                first = json.loads((self.work / mpi / "capture.json").read_text())["job"]
                result = self.behind(mpi, "-o", mpi, "--", "sleep", "0.05")
                self.check_code(result, 2)
                self.assertIn("--force", result.stderr)
                self.check_code(self.behind(mpi, "--force", "-o", mpi, "--", "sleep", "0.05"))
                old = json.loads((self.work / f"{mpi}.old" / "capture.json").read_text())["job"]
                new = json.loads((self.work / mpi / "capture.json").read_text())["job"]
                self.assertEqual(old, first)
                self.assertNotEqual(new, first)
                self.assertFalse((self.work / f"{mpi}.old.2").exists())

    def test_program_finds_its_launcher_and_exit_codes_come_back(self):
        for mpi in MPIEXEC:
            with self.subTest(mpi):
                result = self.behind(mpi, "--", EXAMPLES / mpi / "pingpong", 3, 64)
                self.check_code(result)
                self.check_code(self.behind(mpi, "--", "sh", "-c", "sleep 0.05; exit 9"), 9)

    def test_mark_of_the_launcher_tells_the_mpi(self):
        for mpi in MPIEXEC:
            with self.subTest(mpi):
                result = self.behind(mpi, "--dry-run", "--", "sleep", "1", ranks=1)
                self.check_code(result)
                self.assertIn(f"libqmpi-{mpi}.so", result.stdout)

    def test_inside_a_traced_run_it_only_starts_the_program(self):
        for mpi, mpiexec in MPIEXEC.items():
            with self.subTest(mpi):
                result = self.comshu("run", "-o", "outer", "--force", "--", mpiexec, "-n", 2,
                                     COMMAND, "run", "-o", "inner", "--", "sleep", "0.01")
                self.check_code(result)
                self.assertFalse((self.work / "inner").exists())
                self.assertEqual({seen.folder for seen in self.seen()}, {str(self.work / "outer")})


if __name__ == "__main__":
    main()
