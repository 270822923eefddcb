"""Programs without a launcher, and what is said before one starts that cannot be traced."""

import os
import shutil
import subprocess
import unittest

from harness import COMMAND, EXAMPLES, LaunchTest, MPIEXEC, main


class Program(LaunchTest):
    def compile(self, name, *flags, source="int main(void) { return 4; }"):
        file = self.work / name
        subprocess.run(["cc", *flags, "-o", file, "-x", "c", "-"], input=source, text=True, check=True)
        return f"./{name}"

    def test_mpi_program_without_launcher(self):
        for mpi in MPIEXEC:
            with self.subTest(mpi):
                self.forget_seen()
                self.comshu("run", "-o", mpi, "--", EXAMPLES / mpi / "pingpong", 1, 8)
                self.assertEqual([seen.preload.split(":") for seen in self.seen() if seen.program == "pingpong"],
                                 [self.object_paths(mpi)])

    def test_script_tells_its_mpi(self):
        for mpi in MPIEXEC:
            script = self.script(f"{mpi}.sh", f"#!/bin/sh\ncd /\nexec {EXAMPLES / mpi / 'pingpong'} 1 8\n")
            for command in ([script], ["sh", script], ["timeout", 60, script]):
                with self.subTest(f"{mpi} {command}"):
                    result = self.comshu("run", "--dry-run", "--", *command)
                    self.check_code(result)
                    self.assertIn(f"libqmpi-{mpi}.so", result.stdout)

    def test_without_a_hint_it_stops_and_lists_the_providers(self):
        result = self.comshu("run", "--", "true")
        self.check_code(result, 2)
        for word in ("-p NAME", "mpi", "ucx", "ibverbs"):
            self.assertIn(word, result.stderr)
        self.assertEqual(os.listdir(self.work), [])

    def test_usage_errors(self):
        for arguments, word in ((["run"], "--"), (["run", "--", ], "--"), (["run", "--bad", "--", "true"], "--bad"),
                                (["run", "-p", "nonsense", "--", "true"], "comshu list"),
                                (["run", "--mpi", "lam", "--", "true"], "mpich"),
                                (["nonsense"], "--help")):
            with self.subTest(arguments):
                result = self.comshu(*arguments)
                self.check_code(result, 2)
                self.assertIn(word, result.stderr)

    def test_words_of_the_command_are_left_alone(self):
        for separator in (["--"], []):
            result = self.comshu("run", "-p", "mpi", "--mpi=mpich", *separator, "printf", "%s|", "-p", "--", "a b", "")
            self.check_code(result)
            self.assertEqual(result.stdout, "-p|--|a b||")

    def test_exit_code_comes_back(self):
        for code in (0, 1, 2, 77, 255):
            result = self.comshu("run", "-p", "mpi", "--mpi", "mpich", "--", "sh", "-c", f"exit {code}")
            self.check_code(result, code)

    def test_program_that_is_not_there(self):
        result = self.comshu("run", "-p", "mpi", "--mpi", "mpich", "--", "./not-there")
        self.check_code(result, 127)
        self.assertIn("./not-there", result.stderr)
        (self.work / "text").write_text("x")
        result = self.comshu("run", "-p", "mpi", "--mpi", "mpich", "--", "./text")
        self.check_code(result, 126)
        # Before any question of what to trace, and nothing is left behind.
        for command in (["./not-there"], ["not-there"], ["-p", "mpi", "./not-there"]):
            result = self.comshu("run", *command)
            self.check_code(result, 127)
            self.assertIn("not-there': No such file", result.stderr)
        self.check_code(self.comshu("run", "--", "./text"), 126)
        self.assertEqual(os.listdir(self.work), ["text"])

    def test_static_program_is_named(self):
        program = self.compile("static", "-static")
        result = self.comshu("run", "-p", "mpi", "--mpi", "mpich", "--", program)
        self.check_code(result, 4)
        self.assertIn("statically", result.stderr)

    @unittest.skipUnless(os.geteuid() == 0, "needs root to make a set-uid program of another user")
    def test_set_uid_program_is_named(self):
        program = self.compile("privileged")
        os.chown(self.work / "privileged", 65534, 65534)
        (self.work / "privileged").chmod(0o4755)
        result = self.comshu("run", "-p", "mpi", "--mpi", "mpich", "--", program)
        self.check_code(result, 4)
        self.assertIn("set-uid", result.stderr)

    def command_elsewhere(self):
        """A copy of the command that does not find the build's own objects beside itself."""
        command = self.folder / "bin" / "comshu"
        command.parent.mkdir()
        shutil.copy(COMMAND, command)
        return command

    def test_missing_object_is_named(self):
        (self.objects / "libcomshu_mpi-mpich.so").unlink()
        result = self.run_command(self.command_elsewhere(), "run", "-p", "mpi", "--mpi", "mpich", "--", "true")
        self.check_code(result, 1)
        for word in ("libcomshu_mpi-mpich.so", str(self.objects), "comshu list"):
            self.assertIn(word, result.stderr)
        self.assertEqual(os.listdir(self.work), [])

    def test_path_that_cannot_be_preloaded_is_named(self):
        folder = self.folder / "with blank"
        shutil.copytree(self.objects, folder)
        result = self.comshu("run", "-p", "mpi", "--mpi", "mpich", "--", "true", COMSHU_PROVIDER_PATH=str(folder))
        self.check_code(result, 2)
        self.assertIn("with blank", result.stderr)

    def test_sanitizer_runtime_comes_first(self):
        program = self.compile("sanitized", "-fsanitize=address")
        result = self.comshu("run", "-p", "mpi", "--mpi", "mpich", "--", program)
        self.check_code(result, 4)
        self.assertRegex(self.seen()[0].preload, r"^[^:]*/libasan\.so[^:]*:.*libqmpi")

    def test_environment_and_files_reach_the_program(self):
        result = subprocess.run([COMMAND, "run", "-p", "mpi", "--mpi", "mpich", "--", "sh", "-c", "cat; echo $MINE"],
                                cwd=self.work, env=dict(self.environment, MINE="7"), input="in\n", text=True,
                                capture_output=True, check=True, timeout=60)
        self.assertEqual(result.stdout, "in\n7\n")

    def test_list(self):
        command = self.command_elsewhere()
        result = self.run_command(command, "list")
        self.check_code(result)
        for word in ("mpi", "ib net", "p2p nvlink snoopie", "mpich", "openmpi"):
            self.assertIn(word, result.stdout)
        (self.objects / "libqmpi-mpich.so").unlink()
        self.assertIn("(for openmpi)", self.run_command(command, "list").stdout)
        (self.objects / "libcomshu_engine.so").unlink()
        self.assertNotIn("yes", self.run_command(command, "list").stdout)

    def test_verbs_and_help(self):
        result = self.comshu()
        self.check_code(result)
        for verb in ("run", "list"):
            self.assertIn(f"comshu {verb}", result.stdout)
            shown = self.comshu(verb, "--help")
            self.check_code(shown)
            self.assertIn(f"Example:\n  comshu {verb}", shown.stdout)
        self.assertRegex(self.comshu("--version").stdout, r"^comshu \d+\.\d+\.\d+\n$")


if __name__ == "__main__":
    main()
