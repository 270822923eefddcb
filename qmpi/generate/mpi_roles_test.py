"""The model and the table of roles, checked against every MPI that is installed."""

import sys
import unittest

from mpi_model import load_mpi, parse_parameter, parse_prototypes, strip_attributes
from mpi_roles import ROLES, load_roles

COMPILERS = sys.argv[1:]


class Parser(unittest.TestCase):
    def test_attributes_with_text_that_looks_like_code(self):
        text = 'int f(void) __attribute__((deprecated("use g(); (not f)"))) ; int MPI_G(int a);'
        self.assertEqual(strip_attributes(text), "int f(void)  ; int MPI_G(int a);")
        self.assertEqual(list(parse_prototypes(text)), ["MPI_G"])

    def test_parameters(self):
        for text, name, c_type in [
            ("const void *buf", "buf", "const void *"), ("int ranges[][3]", "ranges", "int (*)[3]"),
            ("char **argv[]", "argv", "char ***"), ("const int counts[]", "counts", "const int *"),
            ("MPI_Comm", "arg4", "MPI_Comm"), ("const char *", "arg4", "const char *"),
            ("int (*f)(int, void *)", "f", "int (*)(int, void *)"), ("int", "arg4", "int"),
        ]:
            parameter = parse_parameter(text, 4)
            self.assertEqual((parameter.name, parameter.type), (name, c_type), text)

    def test_typedefs_and_variables_are_no_prototypes(self):
        text = "typedef int (MPI_X)(int); extern int MPI_Y; double MPI_Wtime(void);"
        self.assertEqual(list(parse_prototypes(text)), ["MPI_Wtime"])


class Roles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.roles = load_roles()
        cls.mpis = [load_mpi(c) for c in COMPILERS]

    def test_every_function_of_every_mpi_has_roles(self):
        for mpi in self.mpis:
            self.assertGreater(len(mpi.functions), 380)
            for f in mpi.functions:
                for a in self.roles.of(f).arguments:
                    self.assertIn(a.role, ROLES, f.name)

    def test_handles_have_the_role_of_their_type(self):
        for mpi in self.mpis:
            for f in mpi.functions:
                for a in self.roles.of(f).arguments:
                    if a.parameter.type.startswith("MPI_Comm") and "_fn" not in a.name:
                        if "function" not in a.parameter.type:
                            self.assertEqual(a.role, "comm", f.name)

    def test_mpis_agree(self):
        seen = {}
        for mpi in self.mpis:
            for f in mpi.functions:
                s = [(a.name, a.role, a.direction, a.length) for a in self.roles.of(f).arguments]
                self.assertEqual(seen.setdefault(f.name, s), s, f.name)

    def test_what_data_calls_transfer(self):
        expected = {
            "MPI_Send": [("in", "buf", "count", "datatype", None, "dest", "tag")],
            "MPI_Recv": [("out", "buf", "count", "datatype", None, "source", "tag")],
            "MPI_Sendrecv": [
                ("in", "sendbuf", "sendcount", "sendtype", None, "dest", "sendtag"),
                ("out", "recvbuf", "recvcount", "recvtype", None, "source", "recvtag")],
            "MPI_Sendrecv_replace": [
                ("in", "buf", "count", "datatype", None, "dest", "sendtag"),
                ("out", "buf", "count", "datatype", None, "source", "recvtag")],
            "MPI_Alltoallw": [("in", "sendbuf", "sendcounts", "sendtypes", "sdispls", None, None),
                              ("out", "recvbuf", "recvcounts", "recvtypes", "rdispls", None, None)],
            "MPI_Scatterv": [("in", "sendbuf", "sendcounts", "sendtype", "displs", "root", None),
                             ("out", "recvbuf", "recvcount", "recvtype", None, "root", None)],
            "MPI_Bcast": [("inout", "buffer", "count", "datatype", None, "root", None)],
            "MPI_Get": [("out", "origin_addr", "origin_count", "origin_datatype", None,
                         "target_rank", None)],
            "MPI_Barrier": [],
        }
        for mpi in self.mpis:
            for name, transfers in expected.items():
                found = [(t.direction, *(a and a.name for a in (
                    t.buffer, t.count, t.datatype, t.displs, t.peer, t.tag)))
                         for t in self.roles.of(mpi.function(name)).transfers]
                self.assertEqual(found, transfers, name)

    def test_forms(self):
        for mpi in self.mpis:
            for name, form in [("MPI_Send", "blocking"), ("MPI_Isend", "nonblocking"),
                               ("MPI_Send_init", "persistent"), ("MPI_Wait", "blocking"),
                               ("MPI_Start", "blocking"), ("MPI_Ibarrier", "nonblocking")]:
                self.assertEqual(self.roles.of(mpi.function(name)).form, form, name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
