#!/usr/bin/python3
"""tools/format.sh, tools/install_hooks.sh and the hook, in a repository of their own."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import check_formatting
import repo

UGLY = "int  f( ){return 1;}\n"
NEAT = "int f() {\n    return 1;\n}\n"


@unittest.skipUnless(check_formatting.formatter() and shutil.which("git"), "no clang-format 14 or git")
class Hooks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="comshu-hooks-")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        shutil.copytree(repo.ROOT / "tools", self.root / "tools", ignore=shutil.ignore_patterns("__pycache__"))
        # One check is enough here; it refuses a file that is called wrong.cpp.
        for check in (self.root / "tools").glob("check_*.py"):
            if check.name != "check_formatting.py":
                check.unlink()
        (self.root / "tools/check_names.py").write_text(
            "import pathlib, sys\nsys.exit('wrong.cpp is wrong' if pathlib.Path('wrong.cpp').exists() else 0)\n")
        shutil.copy(repo.ROOT / ".clang-format", self.root)
        self.git("init", "-q")
        self.git("config", "user.name", "test")
        self.git("config", "user.email", "test@localhost")

    def git(self, *arguments, code=0):
        done = subprocess.run(["git", *arguments], cwd=self.root, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def tool(self, name, *arguments, code=0):
        done = subprocess.run([self.root / "tools" / name, *arguments], cwd="/", capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def commit(self, code=0):
        self.git("add", "-A")
        return self.git("commit", "-q", "-m", "x", code=code)

    def write(self, name, text):
        (self.root / name).write_text(text)

    def test_format_of_what_changed_and_of_all(self):
        self.write("old.cpp", UGLY)
        self.commit()
        self.write("new.cpp", UGLY)
        self.assertIn("new.cpp", self.tool("format.sh", "--check", code=1))
        self.assertIn("old.cpp", self.tool("format.sh", "--check", "--all", code=1))
        self.tool("format.sh")
        self.assertEqual((self.root / "new.cpp").read_text(), NEAT)
        self.assertEqual((self.root / "old.cpp").read_text(), UGLY)
        self.tool("format.sh", "--check")
        self.tool("format.sh", "--all")
        self.tool("format.sh", "--check", "--all")
        self.assertEqual((self.root / "old.cpp").read_text(), NEAT)
        self.tool("format.sh", "--nonsense", code=2)

    def test_hook_keeps_commits_laid_out_once_the_tree_is(self):
        self.tool("install_hooks.sh")
        self.write("old.cpp", UGLY)
        self.assertIn("not laid out yet", self.commit())
        self.write("new.cpp", UGLY)
        self.commit()
        self.tool("format.sh", "--all")
        self.commit()
        self.write("new.cpp", UGLY)
        self.assertIn("new.cpp", self.commit(code=1))
        self.tool("format.sh")
        self.write("wrong.cpp", NEAT)
        self.assertIn("wrong.cpp is wrong", self.commit(code=1))

    def test_other_hooks_are_left_alone(self):
        self.tool("install_hooks.sh")
        self.tool("install_hooks.sh")
        hook = self.root / ".git/hooks/pre-commit"
        self.assertTrue(hook.exists())
        self.tool("install_hooks.sh", "--remove")
        self.assertFalse(hook.exists())
        hook.write_text("#!/bin/sh\n")
        self.assertIn("not ours", self.tool("install_hooks.sh", code=1))
        self.assertEqual(hook.read_text(), "#!/bin/sh\n")


if __name__ == "__main__":
    unittest.main()
