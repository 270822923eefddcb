"""Help, manual pages and completion are made from one table: what one has the others have."""

import os
import pty
import re
import select
import shutil
import subprocess
import unittest

from harness import COMMAND, CommandTest, SHELL_FILES, in_pipe, main, options, verbs

ZSH = """
autoload -Uz compinit && compinit -u -d {folder}/dump
source {script}
comshu() {{ {command} "$@"; }}
# What would be offered, one a line, instead of a menu.
compadd() {{
    local -a matches
    builtin compadd -O matches "$@"
    if (( ! $@[(I)-[OAD]] )); then print -rl -- $matches >> {folder}/offered; fi
    builtin compadd "$@"
}}
PS1='ready> '
"""


def bash(*words):
    """What bash offers for the last word."""
    line = f'source "{SHELL_FILES}/comshu"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _comshu; ' \
           'printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "--norc", "-c", line, "bash", COMMAND, *words], capture_output=True, text=True,
                          check=True)
    return [word for word in done.stdout.splitlines() if word]


class Help(CommandTest):
    def test_each_verb_has_help_with_an_example_and_the_word_help(self):
        self.assertGreaterEqual(set(verbs()), {"run", "list", "read", "sql", "export", "dump", "types", "pack"})
        for verb in verbs():
            text = in_pipe(COMMAND, verb, "--help").stdout
            self.assertIn(f"Usage: comshu {verb}", text)
            self.assertIn("Example:", text)
            self.assertIn("--help", options(verb))


class Verbs(CommandTest):
    def test_a_word_that_is_no_verb(self):
        self.assertEqual(in_pipe(COMMAND, "raed", code=2).stderr,
                         "comshu: there is no verb 'raed'; did you mean 'comshu read'? See 'comshu --help'\n")
        told = in_pipe(COMMAND, "foo", "--help", code=2).stderr
        self.assertRegex(told, r"^comshu: there is no verb 'foo'; there are [a-z, ]+\. See 'comshu --help'\n$")
        for verb in verbs():
            self.assertIn(f" {verb}", told)


class ManPages(CommandTest):
    def test_same_options_as_help(self):
        overview = (SHELL_FILES / "comshu.1").read_text()
        for verb in verbs():
            self.assertIn(f"comshu {verb}", overview)
            text = (SHELL_FILES / f"comshu-{verb}.1").read_text().replace("\\-", "-")
            for option in options(verb):
                self.assertIn(option, text)

    @unittest.skipUnless(shutil.which("groff"), "no groff")
    def test_formats_without_a_warning(self):
        for page in SHELL_FILES.glob("*.1"):
            done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", str(page)], capture_output=True, text=True,
                                  check=True)
            self.assertEqual(done.stderr, "")
            self.assertIn("NAME", re.sub(".\b", "", done.stdout))


class Bash(CommandTest):
    def test_verbs(self):
        self.assertEqual(set(bash("")) - {"--help", "--version"}, set(verbs()))
        self.assertEqual(bash("exp"), ["export"])

    def test_options_of_each_verb(self):
        for verb in verbs():
            self.assertEqual(set(bash(verb, "-")), set(options(verb)), verb)

    def test_values(self):
        (self.folder / "captures").mkdir()
        (self.folder / "file").touch()
        self.assertEqual(bash("run", "--mpi", ""), ["mpich", "openmpi"])
        self.assertEqual(bash("sql", "--format", "c"), ["csv"])
        self.assertIn("mpi", bash("run", "-p", ""))
        self.assertEqual(bash("run", "-p", "mpi,gpu"), ["mpi,gpumem"])
        self.assertEqual(bash("read", f"{self.folder}/"), [f"{self.folder}/captures"], "folders alone")
        self.assertEqual(bash("run", "-o", f"{self.folder}/c"), [f"{self.folder}/captures"])
        self.assertEqual(bash("completion", ""), ["bash", "zsh"])

    def test_the_command_that_is_run(self):
        program = self.folder / "program"
        program.touch()
        for words in (["--"], ["-p", "mpi", "--"], ["-o", "x", "--force"], []):
            self.assertIn(str(program), bash("run", *words, f"{self.folder}/pro"), words)
        # Its own options are not comshu's.
        self.assertEqual(bash("run", "--", str(program), "--dry"), [])

    def test_installed_script_is_what_the_verb_prints(self):
        self.assertEqual((SHELL_FILES / "comshu").read_text(), in_pipe(COMMAND, "completion", "bash").stdout)
        self.assertEqual((SHELL_FILES / "_comshu").read_text(), in_pipe(COMMAND, "completion", "zsh").stdout)


@unittest.skipUnless(shutil.which("zsh"), "no zsh")
class Zsh(CommandTest):
    def offered(self, line):
        """What zsh offers when Tab is pressed behind the line, in a zsh of its own on a terminal."""
        offered = self.folder / "offered"
        offered.unlink(missing_ok=True)
        (self.folder / ".zshrc").write_text(
            ZSH.format(folder=self.folder, script=SHELL_FILES / "_comshu", command=COMMAND))
        own, other = pty.openpty()
        shell = subprocess.Popen(["zsh", "-i"], stdin=other, stdout=other, stderr=other, start_new_session=True,
                                 env=dict(os.environ, HOME=str(self.folder), ZDOTDIR=str(self.folder), TERM="dumb"))
        os.close(other)

        def read_until(mark):
            text = ""
            while mark not in text:
                if not select.select([own], [], [], 60)[0]:
                    self.fail(f"no {mark} in: {text}")
                text += os.read(own, 4096).decode(errors="replace")

        read_until("ready>")
        # Tab, then away with the line, and a word that comes when all that is done.
        os.write(own, (line + "\t\x15echo com''pleted\n").encode())
        read_until("completed")
        shell.kill()
        shell.wait()
        os.close(own)
        return set(offered.read_text().split()) if offered.exists() else set()

    def test_syntax(self):
        subprocess.run(["zsh", "-n", SHELL_FILES / "_comshu"], check=True)

    def test_verbs_options_and_values(self):
        self.assertGreaterEqual(self.offered("comshu "), set(verbs()))
        self.assertGreaterEqual(self.offered("comshu export --"), {"--parquet", "--csv", "--table"})
        self.assertEqual(self.offered("comshu run --mpi "), {"mpich", "openmpi"})
        self.assertIn("mpi", self.offered("comshu run -p "))


if __name__ == "__main__":
    main()
