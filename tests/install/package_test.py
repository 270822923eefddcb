"""The Debian package: its fields, its files, the licence as LICENSE has it; and it runs from where it is unpacked."""

import re
import shutil
import unittest

from harness import BUILD, InstallTest, MPIEXEC, OBJECTS, SOURCE, main, run


@unittest.skipUnless(shutil.which("dpkg-deb") and shutil.which("dpkg-shlibdeps"), "no dpkg-dev")
class Package(InstallTest):
    def test_package(self):
        # Of this generator no target is made first: all is built, and looking at all of it again takes long.
        run("cpack", "-G", "DEB", "-B", self.work / "out", "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=none",
            "-D", "CPACK_CMAKE_GENERATOR=Ninja", "--config", BUILD / "CPackConfig.cmake", cwd=self.work)
        package, = (self.work / "out").glob("*.deb")
        fields = dict(re.findall(r"^ (\S+): (.*)$", run("dpkg-deb", "--info", package).stdout, re.M))
        self.assertEqual(fields["Package"], "comshu")
        self.assertRegex(package.name, rf"^comshu_{re.escape(fields['Version'])}_{fields['Architecture']}\.deb$")
        self.assertRegex(fields["Depends"], r"\blibc6\b")
        # What it traces is the user's choice.
        self.assertNotRegex(fields["Depends"], r"mpich|openmpi|ucx")

        run("dpkg-deb", "-x", package, self.work / "root")
        usr = self.work / "root/usr"
        for name in [f"lib/comshu/{name}" for name in OBJECTS] + [
                "bin/comshu", "share/man/man1/comshu-run.1", "share/bash-completion/completions/comshu",
                "share/zsh/vendor-completions/_comshu", "lib/cmake/comshu/comshuConfig.cmake",
                "lib/pkgconfig/comshu.pc", "include/comshu/provider/provider.h"]:
            self.assertTrue((usr / name).is_file(), name)
        licence = re.match(r"License: *(.+)", (SOURCE / "LICENSE").read_text())[1]
        copyright_file = (usr / "share/doc/comshu/copyright").read_text()
        self.assertIn(f"\nLicense: {licence}\n", copyright_file)
        # Text of a field goes on in lines that begin with a blank.
        self.assertRegex(copyright_file.split(f"License: {licence}\n")[1], r"\A( [^\n]+\n)+\Z")

        mpi, mpiexec = next(iter(MPIEXEC.items()))
        program = [mpiexec, "-n", 2, BUILD / "examples" / mpi / "pingpong", 3, 64]
        done = run(usr / "bin/comshu", "run", "-p", "mpi", "-o", "out-of-package", "--", *program, cwd=self.work)
        self.assertIn("nothing lost", done.stderr)


if __name__ == "__main__":
    main()
