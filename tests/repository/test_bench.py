"""The entry point of the benches: one table of figures and what is wanted, marks, and the exit status."""

import math
import re
from importlib import import_module
from pathlib import Path

import pytest

from bench.__main__ import GROUPS, run_bench

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^(?P<name>\S.*?)  +(?P<value>[-\d.,]+|nan)(?: \S.*?)?  +(?P<wanted>at (?:most|least) [\d.,]+).*?$")
INVENTED = """
from bench.command import Option, run_alone
from bench.figures import Figure

def measure(options):
    print("rounds", options.rounds)
    return [
        Figure("slow reply", 21.5, "ms", 20.0),
        Figure("quick reply", 20.0, "ms", 20.0),
        Figure("high rate", 0.3, "", 0.3, "at least"),
        Figure("low rate", 0.29, "", 0.3, "at least"),
    ]

run_alone(measure, "A bench with known figures.", [Option("rounds", 7, quick=1)])
"""
FAILING = "raise RuntimeError('no such server')"
MISSING = """
from bench.command import MissingProgramError, run_alone

def measure(options):
    raise MissingProgramError("this needs chromium")

run_alone(measure, "A bench whose program is missing.", [])
"""

UNMEASURED = """
from bench.command import run_alone
from bench.figures import Figure

run_alone(lambda options: [Figure("no reply came", float("nan"), "ms", 20.0)], "A bench on a machine too slow.", [])
"""


@pytest.fixture
def bench():
    """A function that returns a module of the benches."""
    return lambda name: import_module(f"bench.{name}")


@pytest.fixture
def run(bench, monkeypatch, tmp_path, capfd):
    """A function that runs the entry point with invented groups, and returns its status and what it printed."""
    for name, text in {"invented": INVENTED, "failing": FAILING, "missing": MISSING, "unmeasured": UNMEASURED}.items():
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    groups = {name: (name,) for name in ("failing", "invented", "missing", "unmeasured")}

    def run(*arguments):
        status = bench("__main__").main(arguments, groups)
        return status, capfd.readouterr().out

    return run


def rows(printed):
    """Return the lines of the last table by the names of their figures."""
    table = printed[printed.rindex("\nfigure ") :]
    return {match["name"]: line for line in table.splitlines() if (match := ROW.match(line))}


def is_marked(line):
    return line.endswith("short")


@pytest.mark.parametrize("module", [module for modules in GROUPS.values() for module in modules])
def test_every_bench_measures_its_figures(module):
    """A short run: the figures say nothing, but each is there."""
    figures = run_bench(module, quick=True)
    assert figures
    for figure in figures:
        assert math.isfinite(figure.value)
        assert math.isfinite(figure.wanted)
        assert figure.comparison in {"at most", "at least"}


def test_two_groups_print_one_table(run):
    status, printed = run("invented", "invented")
    assert (status, printed.count("\nfigure ")) == (0, 1)
    assert f"of {2 * len(rows(printed))} figures" in printed


def test_figures_that_fall_short_are_marked(run):
    status, printed = run("invented")
    assert status == 0
    assert {name: is_marked(line) for name, line in rows(printed).items()} == {
        "slow reply": True,
        "quick reply": False,
        "high rate": False,
        "low rate": True,
    }


def test_value_that_is_no_number_falls_short(bench):
    figures = bench("figures")
    assert all(figures.Figure("x", math.nan, "ms", 1.0, comparison).is_short for comparison in ("at most", "at least"))


def test_strict_run_with_short_figure_fails(run):
    status, _ = run("invented", "--strict")
    assert status == 1


@pytest.mark.parametrize("name", ["failing", "missing", "unmeasured"])
def test_failing_bench_fails_run_after_all_others(run, name):
    status, printed = run(name, "invented")
    assert status == 1
    assert f"{name} failed" in printed
    assert len(rows(printed)) == 4


def test_quick_changes_defaults_only(run):
    assert "rounds 7" in run("invented")[1]
    assert "rounds 1" in run("invented", "--quick")[1]


def test_given_option_overrides_quick(bench):
    command = bench("command")
    options = [command.Option("rounds", 7, quick=1), command.Option("seconds", 5.0, quick=0.2)]
    given = command.parse_options(["--quick", "--rounds", "3"], "", options)
    assert (given.rounds, given.seconds) == (3, 0.2)


def test_unknown_group_is_refused_with_all_names(bench, capsys):
    entry = bench("__main__")
    with pytest.raises(SystemExit) as stopped:
        entry.main(["bench_server"])
    assert stopped.value.code == 2
    message = capsys.readouterr().err
    assert "'bench_server'" in message
    assert all(name in message for name in entry.GROUPS)


def test_every_bench_is_in_a_group(bench):
    listed = {module for modules in bench("__main__").GROUPS.values() for module in modules}
    paths = [
        path.relative_to(ROOT) for path in (ROOT / "bench").rglob("*.py") if "\n    run_alone(" in path.read_text()
    ]
    assert {".".join(path.with_suffix("").parts) for path in paths} == listed
