"""Programs into which nothing can be loaded, and programs with libraries of their own: each runs as without
comshu, and where nothing is recorded it is said why.

    python3 foreign_test.py [WORD...]     only the cases with one of these words in their name
"""

import os
import shutil
import subprocess

from harness import MPIEXEC, SOURCES, Scene, Skip, check, equal, launch_words, program, run_table, same


def compile_here(scene, name, words):
    done = subprocess.run(["cc", *[str(word) for word in words], "-o", name], cwd=scene.work, check=False,
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise Skip(f"it cannot be built here: {done.stderr.strip().splitlines()[-1]}")


def not_recorded(scene, mpi, command, why):
    for words in (command, [*launch_words(mpi, 2), *command]):
        plain = scene.plain(words)
        result = scene.traced(words, "--mpi", mpi, folder=f"capture{len(words)}")
        # What a launcher says of a program that is no rank is not the matter.
        same(plain, result, errors=words is command)
        check(any(why in line for line in result.said), f"it is not said why: {result.said}")
        equal(len([line for line in result.said if "nothing was recorded" in line]), 1, f"last lines {result.said}")


def thirty_two(mpi):
    with Scene() as scene:
        library = next((file for file in ("/usr/lib32/libc.so.6", "/lib/i386-linux-gnu/libc.so.6")
                        if os.path.exists(file)), None)
        if library is None:
            raise Skip("there is no C library of 32 bits (Debian: libc6-i386)")
        compile_here(scene, "small", ["-m32", "-O1", "-nostdlib", "-nostartfiles", "-fno-pic", "-no-pie",
                                      "-fno-stack-protector", SOURCES / "thirty_two.c", library,
                                      "-Wl,-dynamic-linker,/lib/ld-linux.so.2"])
        try:
            code = subprocess.run([scene.work / "small"], check=False, capture_output=True).returncode
        except OSError as error:
            raise Skip(f"the kernel runs no programs of 32 bits: {error.strerror}") from error
        if code != 4:
            raise Skip("programs of 32 bits do not run here")
        not_recorded(scene, mpi, ["./small"], "32-bit")


def static(mpi):
    with Scene() as scene:
        file = scene.work / "source.c"
        file.write_text('#include <stdio.h>\nint main(void) { puts("program: static"); return 4; }\n')
        compile_here(scene, "static", ["-static", file])
        not_recorded(scene, mpi, ["./static"], "statically")


def set_uid(mpi):
    if os.geteuid() != 0:
        raise Skip("needs root to make a program of another user")
    with Scene() as scene:
        if os.statvfs(scene.work).f_flag & os.ST_NOSUID:
            raise Skip("set-uid programs are not allowed on this file system")
        file = scene.work / "source.c"
        file.write_text('#include <stdio.h>\n#include <unistd.h>\n'
                        'int main(void) { printf("program: user %d\\n", (int)geteuid()); return 4; }\n')
        compile_here(scene, "privileged", [file])
        for folder in (scene.folder, scene.work):
            folder.chmod(0o755)
        os.chown(scene.work / "privileged", 65534, 65534)
        (scene.work / "privileged").chmod(0o4755)
        not_recorded(scene, mpi, ["./privileged"], "set-uid")


def own_standard_library(mpi):
    with Scene() as scene:
        command = [program(mpi, "own_library")]
        plain = scene.plain(command)
        if plain.code != 0:
            raise Skip(f"this MPI needs the real one: {plain.errors[-1:]}")
        result = scene.traced(command)
        same(plain, result)
        equal(result.out, "program: version 42\n", "standard output")
        equal(scene.value("SELECT count(*) FROM span WHERE name = 'MPI_Finalize'"), 1, "calls")


def built_in_standard_library(mpi):
    """Exceptions of a program that carries its own copy, through wrappers that carry theirs."""
    with Scene() as scene:
        command = [program(mpi, "leave-static")]
        same(scene.plain(command), scene.traced(command))
        equal(scene.value("SELECT count(*) FROM span WHERE name = 'MPI_Send'"), 10, "calls that were left")


def tools(mpi):
    """Programs that have nothing to do with MPI: not a word more, not a file."""
    with Scene() as scene:
        (scene.work / "text").write_text("three\none\ntwo\n")
        for command in (["sort", "text"], ["sh", "-c", "cat text | wc -l; exit 9"], ["ls", "-a", "/proc/self/fd"],
                        ["/usr/bin/python3", "-c", "import os; print(sorted(os.listdir('.')))"],
                        ["cc", "-xc", "-c", "-o", "/dev/null", "/dev/null"]):
            plain = scene.plain(command)
            folder = scene.fresh("elsewhere") / "capture"
            result = scene.traced(command, "--mpi", mpi, folder=str(folder))
            same(plain, result)
            equal(list((folder / "run").iterdir()), [], f"streams of {command[0]}")
            shutil.rmtree(folder)


def table():
    cases = []
    for mpi in MPIEXEC:
        for name, function in (("32 bits", thirty_two), ("static", static), ("set-uid", set_uid),
                               ("a libstdc++ of its own", own_standard_library),
                               ("libstdc++ built in", built_in_standard_library), ("no MPI at all", tools)):
            cases.append((f"{mpi} {name}", lambda mpi=mpi, function=function: function(mpi)))
    return cases


if __name__ == "__main__":
    run_table("foreign programs", table(), sample=6)
