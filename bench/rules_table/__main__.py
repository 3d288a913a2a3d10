"""Compute the table of rules and write docs/table.csv, docs/table.md and docs/table.svg.

The smallest rules come first. Each row that is finished is kept as a line of JSON, so the same command goes on after an
interruption. Open figures of a row are searched again if the budget is larger now, and take new certificates in any
case: trees of both kinds that the package and docs/bounds have, or --proofs. The budget counts feedback evaluations and
no time, so a row does not depend on the machine. Needs the extra `plot`.
"""

import argparse
from pathlib import Path

from bench.command import ROOT
from bench.rules_table.computation import compute, read_rows
from bench.rules_table.page import write_all, write_page
from bench.rules_table.rules import MOST_CODES

BUDGET = 10**10
DOCS = ROOT / "docs"


def main():
    parser = argparse.ArgumentParser(
        prog="python -m bench.rules_table", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--codes", type=int, default=MOST_CODES, help="the most codes of rules to compute")
    parser.add_argument("--budget", type=int, default=BUDGET, help="feedback evaluations of each search of a row")
    parser.add_argument("--rows", type=Path, default=ROOT / "table.jsonl", help="the file of finished rows")
    parser.add_argument(
        "--proofs",
        type=Path,
        help="a folder with RULES.journal, .tree and .adversary of evilpegs solve",
    )
    parser.add_argument("--write", action="store_true", help="compute nothing, write the rows that are finished")
    parser.add_argument("--page", action="store_true", help="compute nothing, write page and chart from docs/table.csv")
    options = parser.parse_args()
    if options.page:
        write_page(DOCS)
        return
    if not options.write:
        compute(options.rows, options.codes, options.budget, options.proofs)
    write_all(read_rows(options.rows), DOCS)


if __name__ == "__main__":
    main()
