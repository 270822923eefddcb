"""Call stacks (--stacks N): the calls that led to a call, without those of comshu; both MPIs."""

from harness import ControlTest, main

# Below main lies what starts programs.
WAYS = """SELECT tag, functions, count(*) FROM (
    SELECT span_id, string_agg(function, ' < ' ORDER BY level) AS functions FROM stack
    WHERE function NOT LIKE '%start%' GROUP BY span_id)
JOIN span USING (span_id) WHERE name IN ('MPI_Send', 'MPI_Recv') GROUP BY ALL ORDER BY ALL"""


class Stacks(ControlTest):
    def test_three_levels(self):
        for mpi in self.each_mpi():
            self.run_program(mpi, "stacks", options=("--stacks", 3))
            ways, stacks, places = self.answers(
                mpi, WAYS, "SELECT count(DISTINCT stack_id) FROM call_stack JOIN span USING (span_id) "
                "WHERE name IN ('MPI_Send', 'MPI_Recv')",
                "SELECT DISTINCT source LIKE '%/stacks.c:%' FROM stack WHERE level = 0")
            self.assertEqual(ways, [
                ["1", "Receive < main", "1000"], ["1", "Send < Left < main", "1000"],
                ["2", "Receive < main", "1000"], ["2", "Send < Right < main", "1000"],
                ["3", "Receive < main", "1000"], ["3", "Send < Deep < Deep", "1000"]])
            # Each different stack is stored once per process.
            self.assertEqual(stacks, [["4"]])
            self.assertEqual(places, [["true"]])

    def test_all_levels(self):
        for mpi in self.each_mpi():
            self.run_program(mpi, "stacks", options=("--stacks", 64))
            ways = dict((row[1], row[2]) for row in self.query(mpi, WAYS))
            self.assertEqual(ways["Send < " + "Deep < " * 10 + "main"], "1000")

    def test_off_by_default(self):
        for mpi in self.each_mpi():
            self.run_program(mpi, "stacks")
            self.assertEqual(self.answers(mpi, "SELECT * FROM call_stack", "SELECT * FROM stack"), [[], []])

    def test_regions_of_the_program(self):
        for mpi in self.each_mpi():
            self.run_program(mpi, "user", options=("-p", "mpi,user", "--stacks", 2))
            self.assertEqual(self.query(mpi, "SELECT DISTINCT name, function FROM stack JOIN span USING (span_id) "
                                             "WHERE layer = 'user' AND level = 0 ORDER BY ALL"),
                             [["inner", "main"], ["left open inside", "main"], ["outer", "main"]])


if __name__ == "__main__":
    main()
