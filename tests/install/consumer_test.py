"""What others build against an installed comshu: with CMake, with pkg-config, or with its tree inside theirs."""

import re
import shutil
import subprocess
import sys

from harness import CMAKE, InstallTest, SOURCE, SYNCS, TEMPLATE, main, run

# Of the calls of SYNCS: function, file number known or not, result.
FOUND = ["fdatasync,-1,1", "fdatasync,0,1", "fsync,0,2"]
COUNTS = "select f.name, s.result, count(*) from file_sync s join enum_value f on f.enum = 'FileFunction' " \
         "and f.value = s.function group by all order by all"


class Consumer(InstallTest):
    def check_provider(self, folder):
        """A provider built elsewhere is listed, records, and its records read, raw and packed."""
        extra = {"COMSHU_PROVIDER_PATH": str(folder)}
        self.assertIn("waiting for files to reach the disk", self.comshu("list", extra=extra).stdout)
        done = self.comshu("run", "-p", "template", "-o", "out", "--", sys.executable, "-c", SYNCS, self.work / "file",
                           extra=extra)
        self.assertIn("4 calls", done.stderr)
        # Reading asks nothing of the provider: the streams say what the records are.
        self.assertEqual(self.query("out", COUNTS), FOUND)
        self.assertEqual(self.query("out", "select layer, name, count(*) from span group by all order by all"),
                         ["file,fdatasync,2", "file,fsync,2"])

    def build(self, source, *options):
        run(CMAKE, "-S", source, "-B", self.work / "build", "-DCMAKE_BUILD_TYPE=Release", *options)
        run(CMAKE, "--build", self.work / "build", "--target", *self.targets)

    def test_find_package(self):
        shutil.copytree(self.prefix / "share/comshu/template", self.work / "mine")
        self.targets = ["all"]
        self.build(self.work / "mine", f"-Dcomshu_ROOT={self.prefix}")
        self.check_provider(self.work / "build")
        cache = (self.work / "build/CMakeCache.txt").read_text()
        self.assertIn(f"comshu_DIR:PATH={self.prefix}/lib/cmake/comshu", cache)
        run(CMAKE, "--install", self.work / "build", "--prefix", self.work / "site")
        self.assertTrue((self.work / "site/lib/comshu/libcomshu_template.so").is_file())

    def test_version_is_asked_for(self):
        project = self.work / "project"
        project.mkdir()
        for version, code in (("0.1", 0), ("9.0", 1)):
            (project / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES NONE)\n"
                                                    f"find_package(comshu {version} REQUIRED)\n")
            run(CMAKE, "-S", project, "-B", self.work / version, f"-Dcomshu_ROOT={self.prefix}", code=code)

    def test_add_subdirectory(self):
        project = self.work / "project"
        project.mkdir()
        shutil.copytree(SOURCE / "providers/template", project / "template")
        (project / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(mine LANGUAGES C CXX ASM)\n"
            f"add_subdirectory({SOURCE} comshu EXCLUDE_FROM_ALL)\nadd_subdirectory(template)\n")
        self.targets = ["comshu_provider_template"]
        self.build(project, "-DCOMSHU_FORTRAN_INSTRUMENT=OFF")
        self.check_provider(self.work / "build/template")

    def test_pkg_config(self):
        """With a compiler and flatc alone, as the .pc file says where things are."""
        environment = {"PKG_CONFIG_PATH": str(self.prefix / "lib/pkgconfig")}
        script = """set -e
            schemas=$(pkg-config --variable=schemadir comshu)
            flatc --cpp --scoped-enums --gen-mutable --include-prefix comshu/schema -I "$schemas" template.fbs
            flatc --schema -b --bfbs-comments -I "$schemas" template.fbs
            python3 "$schemas/generate_provider_records.py" template_records.h template.fbs template.bfbs
            g++ -std=c++20 -O2 -fPIC -shared -fvisibility=hidden -fno-exceptions -fno-rtti $(pkg-config --cflags comshu) -I. \
                -static-libgcc -static-libstdc++ -Wl,--exclude-libs,ALL -Wl,-z,nodelete template.cpp -o libcomshu_template.so
        """
        shutil.copytree(self.prefix / "share/comshu/template", self.work / "mine")
        run("sh", "-c", script, cwd=self.work / "mine", extra=environment)
        self.check_provider(self.work / "mine")
        command = run("pkg-config", "--variable=command", "comshu", extra=environment).stdout.strip()
        self.assertIn("0.1", run(command, "--version").stdout)

    def test_program_with_regions_of_its_own(self):
        """By find_package and by pkg-config; it links nothing of comshu and runs without it."""
        project = self.work / "project"
        project.mkdir()
        (project / "app.c").write_text('#include <comshu/comshu.h>\nint main(void) {\n'
                                       '    for (int i = 0; i < 7; ++i) {\n        comshu_region_begin("step");\n'
                                       '        comshu_region_end("step");\n    }\n    return 0;\n}\n')
        (project / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(app LANGUAGES C CXX)\nfind_package(comshu REQUIRED)\n"
            "add_executable(app app.c)\ntarget_link_libraries(app PRIVATE comshu::comshu)\n")
        self.targets = ["app"]
        self.build(project, f"-Dcomshu_ROOT={self.prefix}")
        run("sh", "-c", "cc $(pkg-config --cflags comshu) app.c -o app $(pkg-config --libs comshu)", cwd=project,
            extra={"PKG_CONFIG_PATH": str(self.prefix / "lib/pkgconfig")})
        for program in (self.work / "build/app", project / "app"):
            run(program)
            out = f"out-{program.parent.name}"
            self.comshu("run", "-p", "user", "-o", out, "--", program)
            self.assertEqual(self.query(out, "select layer, name, count(*) from span group by all"), ["user,step,7"])

    def test_template_of_the_tree(self):
        self.check_provider(TEMPLATE.parent)

    def test_provider_of_another_engine_is_refused_with_both_versions(self):
        other = self.copy_of_tree("other")
        engine = other / "include/comshu/rec/engine.h"
        text = engine.read_text()
        version = int(re.search(r"#define COMSHU_ENGINE_VERSION (\d+)u", text)[1])
        engine.unlink()
        engine.write_text(text.replace(f"COMSHU_ENGINE_VERSION {version}u", f"COMSHU_ENGINE_VERSION {version + 6}u"))
        self.targets = ["all"]
        self.build(other / "share/comshu/template", f"-Dcomshu_ROOT={other}")
        # The program must not notice: it writes, waits and ends as without comshu.
        program = "import os; f = os.open('x', os.O_CREAT | os.O_WRONLY); os.write(f, b'abc'); os.fsync(f); print('done')"
        done = self.comshu("run", "-p", "template", "-o", "out", "--", sys.executable, "-c", program,
                           extra={"COMSHU_PROVIDER_PATH": str(self.work / "build")})
        self.assertEqual(done.stdout, "done\n")
        self.assertEqual((self.work / "x").read_text(), "abc")
        for words in ("Provider template records nothing", f"version {version + 6} ", f"version {version}."):
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    main()
