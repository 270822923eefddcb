"""comshu run -- mpirun ...: the ranks are preloaded, the launcher never, and nothing is lost on the way."""

import json
import pathlib

from harness import EXAMPLES, LaunchTest, MPIEXEC, main

LAUNCHERS = {"orterun", "orted", "mpiexec.hydra", "hydra_pmi_proxy"}


class AroundLauncher(LaunchTest):
    def test_ranks_are_preloaded_and_the_launcher_is_not(self):
        for mpi, mpiexec in MPIEXEC.items():
            with self.subTest(mpi):
                self.forget_seen()
                result = self.comshu("run", "-p", "mpi", "-o", mpi, "--", mpiexec, "-n", 2, "sleep", "0.01")
                self.check_code(result)
                self.assertEqual(self.programs_seen(), ["sleep", "sleep"])
                for seen in self.seen():
                    self.assertEqual(seen.preload.split(":"), self.object_paths(mpi))
                    self.assertEqual(seen.folder, str(self.work / mpi))
                    self.assertEqual(seen.pass_name, "run")
                    self.assertEqual(seen.job, json.loads((self.work / mpi / "capture.json").read_text())["job"])

    def test_every_context_is_preloaded(self):
        for mpi, mpiexec in MPIEXEC.items():
            with self.subTest(mpi):
                self.forget_seen()
                result = self.comshu("run", "--", mpiexec, "-n", 1, "sleep", "0.01", ":",
                                     "-n", 1, "true")
                self.check_code(result)
                self.assertEqual(self.programs_seen(), ["sleep", "true"])

    def test_real_mpi_program_runs_and_its_exit_code_comes_back(self):
        for mpi, mpiexec in MPIEXEC.items():
            with self.subTest(mpi):
                result = self.comshu("run", "--", mpiexec, "-n", 2, EXAMPLES / mpi / "pingpong", 3, 64)
                self.check_code(result)
                result = self.comshu("run", "--", mpiexec, "-n", 2, "sh", "-c", "sleep 0.05; exit 7")
                self.check_code(result, 7)

    def test_program_decides_which_objects_whatever_the_launcher(self):
        for mpi in MPIEXEC:
            for launcher, mpiexec in MPIEXEC.items():
                with self.subTest(f"{mpi} under {launcher}"):
                    result = self.comshu("run", "--dry-run", "--", mpiexec, "-n", 2,
                                         EXAMPLES / mpi / "pingpong")
                    self.check_code(result)
                    self.assertIn(f"libqmpi-{mpi}.so", result.stdout)
                    self.assertEqual("each process will be a rank 0" in result.stderr, mpi != launcher)

    def test_preload_of_the_user_stays_behind_ours(self):
        user = self.user_object()
        other = self.user_object("libother.so")
        for mpi, mpiexec in MPIEXEC.items():
            own_option = {"openmpi": ["-x", f"LD_PRELOAD={other}"],
                          "mpich": ["-genv", "LD_PRELOAD", other]}[mpi]
            for options, expected in (([], user), (own_option, other)):
                with self.subTest(f"{mpi} {options}"):
                    self.forget_seen()
                    result = self.comshu("run", "--", mpiexec, *options, "-n", 2, "sleep", "0.01",
                                         LD_PRELOAD=user)
                    self.check_code(result)
                    # The launcher has the user's preload alone.
                    self.assertEqual(self.programs_seen(), ["sleep", "sleep"])
                    for seen in self.seen():
                        self.assertEqual(seen.preload.split(":"), self.object_paths(mpi) + [expected])

    def test_variables_of_the_user_still_arrive(self):
        for mpi, mpiexec in MPIEXEC.items():
            option = {"openmpi": ["-x", "MY_SETTING=5"], "mpich": ["-genv", "MY_SETTING", "5"]}[mpi]
            with self.subTest(mpi):
                result = self.comshu("run", "--", mpiexec, *option, "-n", 2, "sh", "-c",
                                     'test "$MY_SETTING" = 5')
                self.check_code(result)
        if "openmpi" in MPIEXEC:
            result = self.comshu("run", "--", MPIEXEC["openmpi"], "-n", 1, "sh", "-c", 'test "$MY_SETTING" = 6',
                                 OMPI_MCA_mca_base_env_list="MY_SETTING=6")
            self.check_code(result)

    def test_wrappers_before_and_behind_the_launcher(self):
        user = self.user_object()
        for mpi, mpiexec in MPIEXEC.items():
            with self.subTest(mpi):
                self.forget_seen()
                result = self.comshu("run", "--", "timeout", 60, "env", "A=1", mpiexec, "-n", 2,
                                     "env", f"LD_PRELOAD={user}", "nice", "sleep", "0.01")
                self.check_code(result)
                last = [seen for seen in self.seen() if seen.program == "sleep"]
                self.assertEqual(len(last), 2)
                for seen in last:
                    self.assertEqual(seen.preload.split(":"), self.object_paths(mpi) + [user])
                self.assertNotIn("timeout", self.programs_seen())

    def test_cleared_environment_still_gets_what_is_ours(self):
        for mpi, mpiexec in MPIEXEC.items():
            with self.subTest(mpi):
                result = self.comshu("run", "-o", f"{mpi}-clear", "--", mpiexec, "-n", 1, "env", "-i",
                                     "/bin/sh", "-c", 'echo "$COMSHU_DIR $LD_PRELOAD"')
                self.check_code(result)
                self.assertIn(f"{self.work / (mpi + '-clear')} {':'.join(self.object_paths(mpi))}", result.stdout)

    def test_launcher_inside_a_script(self):
        for mpi, mpiexec in MPIEXEC.items():
            name = pathlib.Path(mpiexec).name
            for text in (f"{name} -n 2 sleep 0.01", f"APP=sleep; exec timeout 60 {name} -n 2 $APP 0.01"):
                with self.subTest(f"{mpi} {text}"):
                    self.forget_seen()
                    script = self.script("job.sh", f"#!/bin/sh\n{text}\n")
                    result = self.comshu("run", "-o", mpi, "--force", "--", script)
                    self.check_code(result)
                    ranks = [seen for seen in self.seen() if seen.program == "sleep"]
                    self.assertEqual(len(ranks), 2)
                    for seen in ranks:
                        self.assertEqual(seen.preload.split(":"), self.object_paths(mpi))
                        self.assertEqual(seen.folder, str(self.work / mpi))
                    self.assertFalse(LAUNCHERS & set(self.programs_seen()), self.programs_seen())

    def test_launcher_inside_a_script_inside_a_traced_shell(self):
        for mpi, mpiexec in MPIEXEC.items():
            with self.subTest(mpi):
                self.forget_seen()
                script = self.script("job.sh", f"#!/bin/sh\n{EXAMPLES / mpi / 'pingpong'} 1 8\n"
                                               f"{pathlib.Path(mpiexec).name} -n 2 sleep 0.01\nexit 6\n")
                user = self.user_object()
                result = self.comshu("run", "--", script, LD_PRELOAD=user)
                self.check_code(result, 6)
                ranks = [seen for seen in self.seen() if seen.program in ("sleep", "pingpong")]
                self.assertEqual(len(ranks), 3)
                for seen in ranks:
                    self.assertEqual(seen.preload.split(":"), self.object_paths(mpi) + [user])
                # An orted is started by Open MPI itself, inside a program without launcher.
                self.assertFalse((LAUNCHERS - {"orted"}) & set(self.programs_seen()), self.programs_seen())

    def test_command_file_inside_a_script_is_started_untraced(self):
        if "mpich" in MPIEXEC:
            (self.work / "file").write_text("-n 2 sleep 0.01\n")
            script = self.script("job.sh", "#!/bin/sh\nmpiexec.mpich -configfile file\n")
            result = self.comshu("run", "--", script)
            self.check_code(result)
            self.assertIn("untraced", result.stderr)
            self.assertNotIn("sleep", self.programs_seen())

    def test_command_files_are_refused_with_advice(self):
        for mpi, option in (("openmpi", "--app"), ("mpich", "-configfile")):
            if mpi in MPIEXEC:
                result = self.comshu("run", "--", MPIEXEC[mpi], option, "file")
                self.check_code(result, 2)
                self.assertIn("comshu run -o DIR --", result.stderr)
                self.assertFalse((self.work / "comshu-out").exists())

    def test_dry_run_touches_nothing(self):
        for mpi, mpiexec in MPIEXEC.items():
            result = self.comshu("run", "-p", "mpi", "--dry-run", "--", mpiexec, "-n", 2, "touch", "file")
            self.check_code(result)
            self.assertIn("LD_PRELOAD", result.stdout)
            self.assertEqual(list(self.work.iterdir()), [])
        # What is printed can be run as it stands.
        for mpi in MPIEXEC:
            self.run_command("sh", "-c", result.stdout)
            self.assertEqual([file.name for file in self.work.iterdir()], ["file"])


if __name__ == "__main__":
    main()
