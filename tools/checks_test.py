#!/usr/bin/python3
"""Each check finds what it is there for: a small tree with one thing wrong, and one with nothing."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import check_arrows
import check_file_sizes
import check_formatting
import check_links
import check_machine_paths
import check_preloaded
import check_record_ids
import check_vendor_free
import fetch_duckdb_header
import gen_records_doc

CORE = '''// Layer core: what every capture holds. Record ids 1-99.
/// A thing.
enum Kind : ubyte { one, two }
/// Seen.
struct Seen (type_id: "1", archetype: "event") {
    /// When.
    tick: ulong (unit: "ticks");
    kind: Kind;
}
'''


class CheckTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def assert_one(self, found, *parts):
        self.assertEqual(len(found), 1, found)
        for part in parts:
            self.assertIn(part, found[0])


class Arrows(CheckTest):
    def setUp(self):
        super().setUp()
        self.write("libcomshu/include/comshu/core/block.h", "")
        self.write("libcomshu/include/comshu/rec/ring.h", "")
        self.write("providers/mpi/comms.h", "")
        self.write("comshu-read/include/comshu/read/capture.h", "")

    def test_along_the_arrows(self):
        self.write("libcomshu/rec/ring.cpp", '#include "comshu/core/block.h"\n#include "comshu/rec/ring.h"\n')
        self.write("comshu-read/capture.cpp", '#include "comshu/core/block.h"\n#include <vector>\n')
        self.write("comshu-read/capture_test.cpp", '#include "comshu/rec/ring.h"\n')
        self.write("bench/record.cpp", '#include "comshu/rec/ring.h"\n#include "comshu/read/capture.h"\n')
        self.assertEqual(check_arrows.findings(self.root), [])

    def test_names_that_occur_twice(self):
        for part in ("comshu-read", "libcomshu/rec"):
            self.write(part + "/process.h", "")
        self.write("libcomshu/rec/testing/recording.h", '#include "process.h"\n')
        self.write("comshu-read/matching/matcher.cpp", '#include "process.h"\n')
        self.assertEqual(check_arrows.findings(self.root), [])

    def test_upwards(self):
        self.write("libcomshu/core/block.cpp", '\n#include "comshu/rec/ring.h"\n')
        self.assert_one(check_arrows.findings(self.root), "libcomshu/core/block.cpp:2", "from libcomshu/rec")

    def test_reader_on_recorder(self):
        self.write("comshu-read/capture.cpp", '#include "comshu/rec/ring.h"\n')
        self.assert_one(check_arrows.findings(self.root), "comshu-read may not include from libcomshu/rec")

    def test_provider_on_provider(self):
        self.write("providers/ucx/ucx.cpp", '#include "../mpi/comms.h"\n')
        self.assert_one(check_arrows.findings(self.root), "climbs folders")
        self.write("providers/ucx/ucx.cpp", '#include "mpi/comms.h"\n')
        self.assert_one(check_arrows.findings(self.root), "may not know another")

    def test_schema_headers_are_for_all_but_qmpi(self):
        self.write("comshu-read/a.cpp", '#include "comshu/schema/core_generated.h"\n')
        self.assertEqual(check_arrows.findings(self.root), [])
        self.write("qmpi/a.c", '#include "comshu/schema/core_generated.h"\n')
        self.assert_one(check_arrows.findings(self.root), "qmpi may not include from schema")


class VendorFree(CheckTest):
    def findings(self, text, name="libcomshu/rec/a.cpp"):
        self.write(name, text)
        return check_vendor_free.findings(self.root)

    def test_names_in_text(self):
        self.assertEqual(self.findings('// MPI_Send\n/* ucp_ep_h\n */\nconst char* a = "MPI_Send";\nint accumulate;\n'), [])
        self.assertEqual(self.findings("auto f = schema::MpiFunction::MPI_Send;\n"), [])

    def test_types_and_headers(self):
        self.assert_one(self.findings("\nMPI_Comm comm;\n"), "a.cpp:2", "MPI_Comm")
        self.assert_one(self.findings("#include <mpi.h>\n"), "mpi.h")
        self.assert_one(self.findings("#include <infiniband/verbs.h>\n"), "verbs")
        self.assert_one(self.findings("cudaStream_t s;\n"), "CUDA")
        self.assert_one(self.findings("ucp_ep_h ep;\n"), "UCX")

    def test_qmpi_knows_mpi_alone(self):
        self.assertEqual(self.findings("#include <mpi.h>\nMPI_Comm comm;\n", "qmpi/a.c"), [])
        self.assert_one(self.findings("ibv_qp* qp;\n", "qmpi/a.c"), "verbs")


class RecordIds(CheckTest):
    def findings(self, core):
        self.write("schema/core.fbs", core)
        return check_record_ids.findings(self.root)

    def test_sound(self):
        self.assertEqual(self.findings(CORE), [])

    def test_nothing(self):
        self.assert_one(self.findings(""), "declare no record")

    def test_outside_of_its_range(self):
        self.assert_one(self.findings(CORE.replace('"1"', '"100"')), "outside of core's 1-99")

    def test_twice(self):
        found = self.findings(CORE + CORE[CORE.index("/// Seen") :].replace("Seen", "Again"))
        self.assert_one(found, "type_id 1", "Seen too")

    def test_archetype(self):
        self.assert_one(self.findings(CORE.replace('"event"', '"evnt"')), "archetype")

    def test_no_comment(self):
        self.assert_one(self.findings(CORE.replace("/// Seen.\n", "")), "comment")

    def test_not_a_scalar(self):
        self.assert_one(self.findings(CORE.replace("kind: Kind", "kind: string")), "not a scalar")

    def test_unknown_attribute(self):
        self.assert_one(self.findings(CORE.replace("unit:", "units:")), "unknown attribute units")

    def test_what_the_parser_cannot_read(self):
        self.assert_one(self.findings(CORE.replace("kind: Kind", "kind: [Kind:4]")), "tools/fbs.py")


class Preloaded(CheckTest):
    SOUND = """ 0x01 (NEEDED)  Shared library: [libc.so.6]
 0x01 (NEEDED)  Shared library: [ld-linux-x86-64.so.2]
 0x6ffffffb (FLAGS_1)  Flags: NOW NODELETE
"""
    SCRIPT = "V1 { global: comshu_begin; MPI_*; local: *; };"

    def test_dynamic_section(self):
        found = lambda text: list(check_preloaded.of_dynamic(text))
        self.assertEqual(found(self.SOUND), [])
        self.assert_one(found(self.SOUND.replace("libc.so.6", "libstdc++.so.6")), "needs libstdc++.so.6")
        self.assert_one(found(self.SOUND.replace("NODELETE", "")), "unloaded")
        self.assert_one(found(self.SOUND + "(RUNPATH) Library runpath: [/opt]"), "run path")

    def test_exports(self):
        found = lambda symbols: list(check_preloaded.of_exports(symbols, self.SCRIPT))
        self.assertEqual(found("0 T comshu_begin@@V1\n0 T MPI_Send\n0 A V1\n"), [])
        self.assert_one(found("0 T comshu_begin\n0 W _ZSt4swap\n"), "exports _ZSt4swap")
        self.assert_one(found("0 T MPI_Send\n"), "does not export comshu_begin")

    def test_object(self):
        self.write("a.cpp", "#include <string>\nextern \"C\" int comshu_begin() { return std::stoi(\"1\"); }\n")
        self.write("a.map", self.SCRIPT)
        library = self.root / "a.so"
        subprocess.run(["c++", "-shared", "-fPIC", "-o", library, self.root / "a.cpp"], check=True)
        found = "\n".join(check_preloaded.findings(str(library), str(self.root / "a.map")))
        self.assertIn("needs libstdc++.so.6", found)
        self.assertIn("unloaded", found)


class Files(CheckTest):
    def test_sizes(self):
        self.write("a.cpp", "\n" * 600)
        self.write("b.cpp", "\n")
        self.write("c_generated.h", "\n" * 5000)
        self.write("d.cpp", "\n")
        self.assertEqual(check_file_sizes.findings(self.root), [])
        self.write("a.cpp", "\n" * 601)
        self.assert_one(check_file_sizes.findings(self.root), "a.cpp: 601 lines")
        self.write("a.cpp", "\n" * 200)
        self.write("b.cpp", "\n" * 200)
        self.write("d.cpp", "\n" * 200)
        self.assert_one(check_file_sizes.findings(self.root), "median")

    def test_links(self):
        self.write("docs/a.md", "# What it is\n[b](../README.md#how-to-run-it) [c](#what-it-is)\n")
        self.write("README.md", "## How to run it?\n[a](docs/a.md) [web](https://example.org/)\n")
        self.assertEqual(check_links.findings(self.root), [])
        self.write("README.md", "[a](docs/b.md)\n")
        self.assertEqual(len(check_links.findings(self.root)), 2)

    def test_machine_paths(self):
        self.write("a.sh", "cd build/work/x\nls /usr/bin\n")
        self.assertEqual(check_machine_paths.findings(self.root), [])
        self.write("a.sh", "ls\ncd /ho" + "me/someone/comshu\n")
        self.assert_one(check_machine_paths.findings(self.root), "a.sh:2")
        self.write("a.sh", '"https://registry.npm' + 'js.org/x"\n')
        self.assert_one(check_machine_paths.findings(self.root), "a.sh:1")

    def test_formatting(self):
        if not check_formatting.formatter():
            self.skipTest("no clang-format 14")
        self.write(".clang-format", "BasedOnStyle: Google\n")
        self.write("a.cpp", "int a;\n")
        self.assertEqual(check_formatting.run(self.root, ["a.cpp"], False)[0], 0)
        self.write("a.cpp", "int   a ;\n")
        self.assertNotEqual(check_formatting.run(self.root, ["a.cpp"], False)[0], 0)
        check_formatting.run(self.root, ["a.cpp"], True)
        self.assertEqual((self.root / "a.cpp").read_text(), "int a;\n")

    def test_generated_documents(self):
        self.write("schema/core.fbs", CORE)
        self.assertEqual(len(gen_records_doc.findings(self.root)), 2)
        for path, text in gen_records_doc.outputs(self.root).items():
            self.write(path.relative_to(self.root), text)
        self.assertEqual(gen_records_doc.findings(self.root), [])
        self.assertIn("| 1 | [Seen](#seen) | event | `seen` | Seen. |", (self.root / "docs/records.md").read_text())
        self.assertIn("1 Seen", (self.root / "docs/records.svg").read_text())
        self.write("schema/core.fbs", CORE.replace("/// When.", "/// When it was seen."))
        self.assert_one(gen_records_doc.findings(self.root), "docs/records.md")

    def test_integrity(self):
        good = "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=="
        self.assertTrue(fetch_duckdb_header.check_integrity(b"", good))
        self.assertFalse(fetch_duckdb_header.check_integrity(b"x", good))


if __name__ == "__main__":
    sys.exit(unittest.main())
