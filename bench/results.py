"""Measure every built-in strategy on every ladder and write docs/results.md; takes minutes.

The same seed gives the same figures. Run: python bench/results.py [--seed 1] [--jobs 2] [--games N] [--out FILE]
"""

import argparse
import resource
from pathlib import Path

from ladder_results.cells import make_cells, measure_all
from ladder_results.page import write_page

from evilpegs_server.match.ladders import load_ladders

PAGE = Path(__file__).parents[1] / "docs" / "results.md"
SEED = 1


def provenance(seed: int, seconds: float) -> str:
    """Return which command made the page."""
    return (
        f"`make results` made this page with the seed {seed} (`python bench/results.py --seed {seed}`). It took\n"
        f"{seconds / 60:.0f} minutes of processor time, shared by two processes. The same seed gives the same figures."
    )


def processor_seconds() -> float:
    """Return the processor time of this process and of those that it started and that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--games", type=int, help="games per strategy and ladder; the default depends on the rules")
    parser.add_argument("--out", type=Path, default=PAGE)
    options = parser.parse_args()
    ladders = list(load_ladders().values())
    outcomes = measure_all(make_cells(ladders, options.games), options.seed, options.jobs)
    options.out.write_text(write_page(ladders, outcomes, provenance(options.seed, processor_seconds())))
    print(f"wrote {options.out} in {processor_seconds() / 60:.1f} minutes of processor time")


if __name__ == "__main__":
    main()
