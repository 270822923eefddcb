"""Where a capture goes."""

import json
import os
import subprocess

from harness import COMMAND, LaunchTest, MPIEXEC, main


class Folder(LaunchTest):
    def capture(self, *options, **changes):
        return self.comshu("run", "-p", "mpi", "--mpi", "mpich", *options, "--", "true", **changes)

    def test_next_free_name(self):
        for name in ("comshu-out", "comshu-out.2", "comshu-out.3"):
            self.check_code(self.capture())
            self.assertTrue((self.work / name / "capture.json").is_file())
            self.assertTrue((self.work / name / "run").is_dir())

    def test_named_folder_is_made_with_its_parents_and_absolute(self):
        self.check_code(self.capture("-o", "a/b/../c/"))
        self.assertEqual({seen.folder for seen in self.seen()}, {str(self.work / "a" / "c")})

    def test_empty_folder_is_used(self):
        (self.work / "d").mkdir()
        self.check_code(self.capture("-o", "d"))
        self.assertTrue((self.work / "d" / "capture.json").is_file())

    def test_what_a_run_without_records_left_is_in_nobodys_way(self):
        for _ in range(2):
            self.check_code(self.capture("-o", "d"))
            self.assertEqual(sorted(p.name for p in (self.work / "d").iterdir()), ["capture.json", "run"])
        self.assertEqual([p.name for p in self.work.glob("d*")], ["d"])

    def test_capture_of_another_run_is_kept(self):
        def capture(*options):
            self.check_code(self.capture(*options, "-o", "d"))
            (self.work / "d" / "run" / "vm.1.cst").write_text("")

        capture()
        before = (self.work / "d" / "capture.json").read_text()
        result = self.capture("-o", "d")
        self.check_code(result, 2)
        for word in ("d", "another run", "--force"):
            self.assertIn(word, result.stderr)
        self.assertEqual((self.work / "d" / "capture.json").read_text(), before)
        for old in ("d.old", "d.old.2"):
            capture("--force")
            self.assertTrue((self.work / old / "capture.json").is_file())
        self.assertEqual((self.work / "d.old" / "capture.json").read_text(), before)

    def test_other_things_are_not_touched_even_by_force(self):
        (self.work / "d").mkdir()
        (self.work / "d" / "thesis.txt").write_text("x")
        (self.work / "file").write_text("x")
        for name in ("d", "file"):
            for options in ([], ["--force"]):
                result = self.capture(*options, "-o", name)
                self.check_code(result, 2)
                self.assertIn("no capture", result.stderr)
        self.assertEqual((self.work / "d" / "thesis.txt").read_text(), "x")

    def test_folder_that_cannot_be_made_is_named_with_the_reason(self):
        (self.work / "file").write_text("x")
        result = self.capture("-o", "file/d")
        self.check_code(result, 1)
        for word in ("file", "-o DIR"):
            self.assertIn(word, result.stderr)

    def test_description(self):
        self.check_code(self.capture("-o", "d", OMP_NUM_THREADS="3", MY_PASSWORD="secret"))
        text = (self.work / "d" / "capture.json").read_text()
        description = json.loads(text)
        self.assertEqual(description["command"], ["true"])
        self.assertEqual(description["mpi"], "mpich")
        self.assertEqual(description["passes"], [{"name": "run", "providers": ["mpi"]}])
        self.assertEqual(description["environment"]["OMP_NUM_THREADS"], "3")
        self.assertEqual(description["working_directory"], str(self.work))
        self.assertEqual(description["exit_code"], 0)
        self.assertNotIn("signal", description)
        self.assertGreaterEqual(description["finished"], description["started"])
        self.assertNotIn("secret", text)

    def test_many_at_once_join_one_folder(self):
        """Processes of one job, started as a launcher without any mark would."""
        environment = dict(self.environment, PMI_RANK="0", PMI_SIZE="8", MPI_LOCALNRANKS="8")
        command = [COMMAND, "run", "-p", "mpi", "-o", "d", "--force", "--", "sleep", "0.3"]
        for _ in range(3):
            processes = [subprocess.Popen(command, cwd=self.work, env=environment, text=True,
                                          stderr=subprocess.PIPE) for _ in range(8)]
            errors = [process.communicate()[1] for process in processes]
            self.assertEqual([process.returncode for process in processes], [0] * 8, errors)
            self.assertEqual("".join(errors).count("nothing was recorded"), 1, errors)
        # One parent process: one job, so nothing was moved.
        self.assertEqual(sorted(os.listdir(self.work)), ["d"])
        self.assertEqual(len(self.seen()), 24)

    def test_killed_member_does_not_keep_the_others_from_finishing(self):
        environment = dict(self.environment, PMI_RANK="0", PMI_SIZE="2", MPI_LOCALNRANKS="2")
        first = subprocess.Popen([COMMAND, "run", "-p", "mpi", "-o", "d", "--", "sleep", "2"], cwd=self.work,
                                 env=environment, text=True, stderr=subprocess.PIPE)
        second = subprocess.Popen([COMMAND, "run", "-p", "mpi", "-o", "d", "--", "sleep", "0.6"], cwd=self.work,
                                  env=environment, text=True, stderr=subprocess.PIPE)
        while len(self.seen()) < 2:
            self.assertIsNone(second.poll())
        first.kill()
        first.communicate()
        self.assertIn("nothing was recorded", second.communicate()[1])
        self.assertIn("finished", json.loads((self.work / "d" / "capture.json").read_text()))


if __name__ == "__main__":
    main()
