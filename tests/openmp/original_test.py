"""Programs as the original DVM instrumentor leaves them (original/): its include files (.h there, .inc here), names,
order of calls and widths of arguments. They link and record.

perf.f: implemented form, level -dperf. data.f: the form of the document (scalars for handles, DATA of the thread id in
the main program), with data."""

import pathlib

from harness import COMMAND, OpenmpTest, main

SOURCES = pathlib.Path(__file__).resolve().parent / "original"


class Original(OpenmpTest):
    def link(self, name, old="", new=""):
        """`old` in an include file becomes `new`."""
        for include in SOURCES.glob("*.inc"):
            text = include.read_text()
            (self.work / f"{include.stem}.h").write_text(text.replace(old, new) if old else text)
        library = COMMAND.parent.parent / "lib" / "comshu"
        # The same entry is called with arguments of several types, as Fortran 77 allowed.
        self.execute("gfortran", "-std=legacy", "-w", "-fopenmp", f"-I{self.work}", SOURCES / f"{name}.f", f"-L{library}",
                     "-lcomshu_dbg", f"-Wl,-rpath,{library}", "-o", name)
        return self.work / name

    def test_strings_that_are_wrong(self):
        """A note says where; a string whose length alone is wrong is read, another is shown as it is."""
        self.record(self.link("perf", "'44*type=flush", "'999*type=flush"), "c")
        self.assertEqual(self.query("c", "SELECT kind, text FROM note"), [("openmp_context", "a context string of the "
            "program is wrong at character 1 (its length is not the one in front): 999*type=flush*file=perf.fdv*line1=27*"
            "name1=s**")])
        self.assertEqual(self.query("c", "SELECT DISTINCT source FROM span WHERE name = 'flush'"), [("perf.fdv:27",)])

    def test_performance_level(self):
        program = self.link("perf")
        self.assertEqual(self.execute(program).stdout.split(), ["822", "3"])
        self.assertEqual(self.record(program, "c").stdout.split(), ["822", "3"])
        self.assertEqual(self.query("c", "SELECT name, category, count(*) FROM span GROUP BY ALL ORDER BY ALL"), [
            ("barrier", "wait", "2"), ("call show", "function", "1"), ("critical", "critical", "2"),
            ("critical", "wait", "2"), ("flush", "other", "2"), ("implicit barrier", "wait", "6"),
            ("implicit task", "region", "2"), ("interval", "other", "1"), ("io", "io", "1"), ("loop", "loop", "2"),
            ("master", "master", "1"), ("parallel", "region", "1"), ("section", "sections", "2"),
            ("sections", "sections", "2"), ("show", "function", "1"), ("single", "single", "2"),
            ("single body", "single", "1")])
        self.assertEqual(self.query("c", "SELECT requested, condition, team_size FROM omp_region"), [("2", "1", "2")])
        self.assertEqual(self.query("c", "SELECT DISTINCT first, last, step, chunk FROM omp_loop"),
                         [("1", "40", "1", "1")])
        self.assertEqual(self.query("c", "SELECT DISTINCT source FROM span WHERE name = 'loop'"), [("perf.fdv:9",)])
        self.assertEqual(self.query("c", "SELECT index FROM omp_interval"), [("1",)])
        self.assertEqual(self.number("c", "SELECT count(*) FROM span WHERE unwound OR end_ns IS NULL"), 0)
        self.assertEqual(self.query("c", "SELECT id, begin_line, calls_count, used_threads FROM dbg_interval"),
                         [("1", "8", "1", "2"), ("0", "0", "1", "2")])

    def test_data(self):
        program = self.link("data")
        self.assertEqual(self.execute(program).stdout.split(), ["22.500000000000000"])
        self.record(program, "c")
        self.assertEqual(self.query("c", "SELECT index, count(*) FROM omp_iteration GROUP BY ALL ORDER BY ALL"),
                         [("1", "3"), ("2", "3"), ("3", "2"), ("4", "2"), ("5", "2")])
        self.assertEqual(self.query("c", "SELECT name, kind, bytes, count(*) FROM dbg_access GROUP BY ALL ORDER BY ALL"),
                         [("a", "read", "4", "10"), ("a", "write begin", "4", "10"), ("a", "write end", "4", "10"),
                          ("d", "write begin", "8", "10"), ("d", "write end", "8", "10"), ("i", "read", "4", "10")])
        self.assertEqual(self.query("c", "SELECT kind, real_value, count(*) FROM dbg_access WHERE name = 'a' AND "
                                         "kind <> 'write begin' GROUP BY ALL ORDER BY ALL"),
                         [(kind, value, "5") for kind in ("read", "write end") for value in ("1.5", "3")])
        # Column order: the elements of one row are two apart.
        self.assertEqual(self.query("c", "SELECT real_value, (max(address) - min(address)) FROM dbg_access WHERE "
                                         "name = 'a' AND kind = 'write end' GROUP BY ALL ORDER BY ALL"),
                         [("1.5", "32"), ("3", "32")])
        self.assertEqual(self.query("c", "SELECT lower, upper FROM omp_bound"), [("1", "2"), ("1", "5")])
        self.assertEqual(self.query("c", "SELECT context FROM omp_construct WHERE kind = 1"),
                         [("79*type=parallel*file=data.fdv*line1=8*default=SHARED*num_threads=1*\\2*line2=12**",)])


if __name__ == "__main__":
    main()
