"""Run benches, and print one table of what they measured and what is wanted.

Each bench runs in a process of its own, so that none changes the memory or the caches of another, and prints its
details as it goes. A figure that falls short is marked and changes nothing else: machines are noisy. The exit status
is 1 if a bench itself fails, or could not measure one of its figures.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.command import QUICK, ROOT, STRICT
from bench.figures import Figure, read_figures, table

GROUPS = {
    "counting": ("bench.counting",),
    "codemakers": ("bench.codemakers",),
    "solving": ("bench.solving",),
    "evaluation": ("bench.evaluation",),
    "environment": ("bench.environment",),
    "server": (
        "bench.server.throughput",
        "bench.server.nodes",
        "bench.server.evil_matches",
        "bench.server.show",
        "bench.server.costs",
        "bench.server.finished_match",
        "bench.server.match_lists",
        "bench.server.leaderboards",
    ),
    "fairness": ("bench.fairness.players", "bench.fairness.stalls"),
    "page": ("bench.page",),
}
"""The modules of each group."""


def run_bench(module: str, quick: bool) -> list[Figure] | None:
    """Run one bench in the root of the project and return its figures, or None if it failed."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "figures.json"
        command = [sys.executable, "-m", module, "--figures", str(path), *["--quick"] * quick]
        is_measured = subprocess.run(command, cwd=ROOT, check=False).returncode == 0 and path.exists()
        return read_figures(path) if is_measured else None


def parse_options(arguments: Sequence[str] | None, groups: Mapping[str, Sequence[str]]) -> argparse.Namespace:
    """Return the options, with ``names`` that are known."""
    parser = argparse.ArgumentParser(
        prog="python -m bench",
        description=__doc__,
        epilog="A bench alone has options of its own: python -m bench.server.show --help",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    listed = "".join(f"\n  {name}: {', '.join(modules)}" for name, modules in groups.items())
    parser.add_argument("names", nargs="*", metavar="GROUP", help=f"all by default, or some of: {', '.join(groups)}")
    parser.add_argument("--quick", action="store_true", help=QUICK)
    parser.add_argument("--strict", action="store_true", help=STRICT)
    options = parser.parse_args(arguments)
    if unknown := [name for name in options.names if name not in groups]:
        parser.error(f"there is no group {unknown[0]!r}. These are the groups and their benches:{listed}")
    return options


def main(arguments: Sequence[str] | None = None, groups: Mapping[str, Sequence[str]] = GROUPS) -> int:
    """Run the named groups, print the table, and return the exit status."""
    options = parse_options(arguments, groups)
    figures: list[Figure] = []
    failed = []
    for module in (module for name in options.names or groups for module in groups[name]):
        print(f"\n== python -m {module}", flush=True)
        measured = run_bench(module, options.quick)
        figures += measured or []
        failed += [module] * (measured is None)
    print(f"\n{table(figures)}")
    short = sum(figure.is_short for figure in figures)
    print(f"{short} of {len(figures)} figures fall short" + ", which says nothing after --quick" * options.quick)
    for module in failed:
        print(f"{module} failed; its message is above")
    return 1 if failed or (options.strict and short) else 0


if __name__ == "__main__":
    sys.exit(main())
