"""Measure every built-in strategy on every ladder and write docs/results.md; takes hours.

After Ctrl-C the same command goes on where it was. The journal that it goes on from is removed at the end, unless
--journal names it; of a strategy that has changed, remove the lines. The same seed gives the same figures.

Run: python bench/results.py [--seed 1] [--jobs 2] [--games N] [--journal FILE] [--out FILE]
"""

import argparse
from pathlib import Path

from ladder_results.cells import make_cells, measure_all
from ladder_results.journal import Journal
from ladder_results.page import write_page

from evilpegs_server.match.ladders import load_ladders

PAGE = Path(__file__).parents[1] / "docs" / "results.md"
JOURNAL = Path(__file__).with_name("results.jsonl")
SEED = 1


def provenance(options: argparse.Namespace, seconds: float) -> str:
    """Return which command made the page."""
    games = f" --games {options.games}" if options.games else ""
    return (
        f"`make results` made this page (`python bench/results.py --seed {options.seed}{games}`). It took\n"
        f"{seconds / 60:.0f} minutes of processor time. The same seed gives the same figures."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--games", type=int, help="games per strategy and ladder; the default depends on the rules")
    parser.add_argument("--journal", type=Path, help="finished pieces; kept at the end")
    parser.add_argument("--out", type=Path, default=PAGE)
    options = parser.parse_args()
    ladders = list(load_ladders().values())
    path = options.journal or JOURNAL
    outcomes = measure_all(make_cells(ladders, options.games), options.seed, options.jobs, path)
    seconds = Journal(path).seconds
    options.out.write_text(write_page(ladders, outcomes, provenance(options, seconds)))
    print(f"wrote {options.out}; its figures took {seconds / 60:.1f} minutes of processor time")
    if path == JOURNAL:
        path.unlink()


if __name__ == "__main__":
    main()
