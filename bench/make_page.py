#!/usr/bin/python3
"""docs/performance.md, made from bench/figures.json: make_page.py [FIGURES.json]

With an argument these figures (of `make bench`: build/release/bench/figures.json) become the ones that the
repository keeps, and the page is made anew.
"""

import pathlib
import sys

import figures

ROOT = pathlib.Path(__file__).resolve().parent.parent
KEPT = ROOT / "bench/figures.json"
PAGE = ROOT / "docs/performance.md"

HEAD = """# Performance

Made by `bench/make_page.py` from `bench/figures.json`, which `make bench` measures anew; do not edit. Every figure of
comshu was taken with nothing lost, as counted by the capture itself.

{machine}

`min` is the least of all runs, and on a machine that does other things as well the only one that means much; `median` is
the middle one; `cold` the first. `added` is what a call costs above the same call without any tool. `-`: not measured, or not
known.
"""


def cell(value):
    return figures.number(value)


def page(kept):
    machine = kept["machine"]
    text = HEAD.format(machine=f"{machine['cpus']} CPUs, {machine['cpu']}; Linux {machine['kernel']}; {machine['compiler']}; "
                       f"load {machine['load_before']} before the start.")
    if machine["load_before"] > 0.5 * machine["cpus"]:
        text += "\n**The machine was busy with other work while these were taken: read `min`, and expect less.**\n"
    rows = kept["rows"]
    for group, (title, unit, method) in figures.GROUPS.items():
        own = [r for r in rows if r["group"] == group]
        if not own:
            continue
        added = any(figures.beside_direct(rows, r) is not None for r in own)
        columns = ["", "", f"min, {unit}", "median", "cold"] + (["added"] if added else []) + ["lost"]
        text += f"\n## {title}\n\n{method}\n\n| {' | '.join(columns)} |\n|{'---|' * 2}{'--:|' * (len(columns) - 2)}\n"
        last = None
        for r in own:
            cells = [r["case"] if r["case"] != last else "", r["who"], cell(r["min"]), cell(r["median"]), cell(r["cold"])]
            cells += [cell(figures.beside_direct(rows, r))] if added else []
            cells.append("-" if r["lost"] is None else str(r["lost"]))
            text += f"| {' | '.join(cells)} |\n"
            last = r["case"]
    return text


def findings():
    """For tools/check_generated.py; no figures were kept yet: nothing to say."""
    if not KEPT.exists() and not PAGE.exists():
        return []
    if not KEPT.exists() or not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page(figures.read(KEPT)):
        return ["docs/performance.md is not what bench/make_page.py makes of bench/figures.json: run it"]
    return []


def main():
    if len(sys.argv) > 1:
        measured = figures.read(sys.argv[1])
        wrong = list(figures.problems(measured)) + (["short mode"] if measured["quick"] else [])
        if wrong:
            sys.exit("these figures do not count:\n" + "\n".join(wrong))
        figures.write(measured, KEPT)
    PAGE.write_text(page(figures.read(KEPT)), encoding="utf-8")


if __name__ == "__main__":
    main()
