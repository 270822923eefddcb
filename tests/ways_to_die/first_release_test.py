"""Captures of the first release read, and say what they said then.

    python3 first_release_test.py            asks
    python3 first_release_test.py --print    prints what they answer, in the form of expected.json
"""

import json
import pathlib
import sys
import tarfile

from harness import Scene, check, equal, run_table

KEPT = pathlib.Path(__file__).resolve().parent / "first_release"
QUESTIONS = {
    "processes": "SELECT rank, state, exit_code, lost, begin_ns < end_ns AS lasted FROM process ORDER BY rank",
    "calls": """SELECT rank, name, category, count(*) AS calls, count(end_ns) AS ended, sum(bytes)::BIGINT AS bytes
                FROM span GROUP BY ALL ORDER BY ALL""",
    "times": "SELECT rank, sum(duration_ns)::BIGINT AS ns FROM span GROUP BY ALL ORDER BY ALL",
    "messages": """SELECT send_rank, recv_rank, tag, count(*) AS messages, sum(bytes)::BIGINT AS bytes
                   FROM message GROUP BY ALL ORDER BY ALL""",
    "collectives": "SELECT name, rank, count(*) AS calls FROM collective GROUP BY ALL ORDER BY ALL",
    "sources": "SELECT DISTINCT source IS NOT NULL AS known, count(*) AS spans FROM span GROUP BY ALL ORDER BY ALL",
    "open": "SELECT rank, name, peer, tag FROM open_span ORDER BY ALL",
    "problems": "SELECT text FROM problem",
}


def answers_of(scene, name):
    """By one start of the command. Rows are in order already."""
    sql = " UNION ALL ".join(f"SELECT '{question}' AS question, row_number() OVER () AS number, to_json(t)::VARCHAR AS row "
                             f"FROM ({sql}) t" for question, sql in QUESTIONS.items())
    answers = {question: [] for question in QUESTIONS}
    for row in sorted(scene.rows(sql, name), key=lambda row: row["number"]):
        answers[row["question"]].append(json.loads(row["row"]))
    return answers


def ask(name):
    with Scene() as scene:
        with tarfile.open(KEPT / f"{name}.tar.gz") as archive:
            archive.extractall(scene.work)
        answers = answers_of(scene, name)
        exported = scene.comshu("export", name, "--parquet", "tables")
        equal(exported.code, 0, f"comshu export ({exported.all_errors})")
        equal(scene.comshu("read", name).code, 0, "comshu read")
        # Streams of processes that did not end are for their own host to pack.
        equal(scene.comshu("pack", name).code, 0 if name == "finished" else 1, "comshu pack")
        equal(answers_of(scene, name), answers, "answers after comshu pack")
        return answers


def compare(name):
    expected = json.loads((KEPT / "expected.json").read_text())[name]
    answers = ask(name)
    for question in QUESTIONS:
        if question == "times":
            # Putting clocks together may become more exact.
            for now, then in zip(answers[question], expected[question], strict=True):
                check(abs(now["ns"] - then["ns"]) <= then["ns"] / 100, f"times: {now}, expected {then}")
        else:
            equal(answers[question], expected[question], question)


NAMES = sorted(file.name.split(".")[0] for file in KEPT.glob("*.tar.gz"))

if __name__ == "__main__":
    if sys.argv[1:] == ["--print"]:
        print(json.dumps({name: ask(name) for name in NAMES}, indent=1))
    else:
        run_table("captures of the first release", [(name, lambda name=name: compare(name)) for name in NAMES])
