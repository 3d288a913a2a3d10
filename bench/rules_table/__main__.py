"""Compute the table of rules and write docs/table.csv, docs/table.md and docs/table.svg.

The smallest rules come first. Each row that is finished is kept as a line of JSON, so the same command goes on after an
interruption; a row with an open interval is computed again if the budget is larger now. The budget counts feedback
evaluations and no time, so a row does not depend on the machine. Needs the extra `plot`.
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path

import evilpegs
from bench.command import ROOT
from bench.rules_table.page import write_all, write_page
from bench.rules_table.row import make_row
from bench.rules_table.rules import MOST_CODES, rules_up_to
from evilpegs_game.optimal.proof_log import ProofLog

BUDGET = 10**10
DOCS = ROOT / "docs"


def read_rows(path):
    """Return the stored rows by rules; a last line that was cut off is removed."""
    data = path.read_bytes() if path.exists() else b""
    if not data.endswith(b"\n") and data:
        os.truncate(path, data.rfind(b"\n") + 1)
    stored = [json.loads(line) for line in data[: data.rfind(b"\n") + 1].splitlines()]
    return {row["rules"]: row for row in stored}


def is_finished(row, budget):
    exact = all(lower == upper for figures in row["figures"].values() for lower, upper, _ in figures.values())
    return exact or row["budget"] >= budget


def read_proofs(folder, rules):
    """Return what `evilpegs solve --journal` proved about the rules, if it is there."""
    path = folder / f"{rules}.journal" if folder else None
    return ProofLog.from_bytes(path.read_bytes()) if path and path.exists() else None


def compute(path, most_codes, budget, proofs):
    rows = read_rows(path)
    for rules in rules_up_to(most_codes):
        if str(rules) in rows and is_finished(rows[str(rules)], budget):
            continue
        start = time.process_time()
        figures = make_row(rules, budget, read_proofs(proofs, rules))
        row = {"rules": str(rules), "version": evilpegs.__version__, "budget": budget, "figures": figures}
        with path.open("a") as file:
            file.write(json.dumps(row) + "\n")
        print(f"{rules}: {figures['optimal']} in {time.process_time() - start:.1f} s", flush=True)


def main():
    parser = argparse.ArgumentParser(
        prog="python -m bench.rules_table", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--codes", type=int, default=MOST_CODES, help="the most codes of rules to compute")
    parser.add_argument("--budget", type=int, default=BUDGET, help="feedback evaluations of each search of a row")
    parser.add_argument("--rows", type=Path, default=ROOT / "table.jsonl", help="the file of finished rows")
    parser.add_argument("--proofs", type=Path, help="a folder with RULES.journal files of evilpegs solve")
    parser.add_argument("--write", action="store_true", help="compute nothing, write the rows that are finished")
    parser.add_argument("--page", action="store_true", help="compute nothing, write page and chart from docs/table.csv")
    options = parser.parse_args()
    if options.page:
        return write_page(DOCS)
    if not options.write:
        compute(options.rows, options.codes, options.budget, options.proofs)
    return write_all(read_rows(options.rows), DOCS)


if __name__ == "__main__":
    sys.exit(main())
