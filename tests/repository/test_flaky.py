"""What failed runs once more, alone: a race fails no run and is not hidden, and a fault fails it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RACE = """
from pathlib import Path

def test_race():
    again = Path("again").exists()
    Path("again").touch()
    assert again, "lost the race"
"""
FAULT = """
def test_fault():
    assert 1 + 1 == 3
"""
RIGHT = """
def test_right():
    pass
"""


@pytest.fixture
def run(tmp_path):
    """A function that runs the tool on test files in a folder of their own, and returns status and output."""

    def run(**files):
        (tmp_path / "pytest.ini").write_text("[pytest]\n")
        for name, text in files.items():
            (tmp_path / f"test_{name}.py").write_text(text)
        command = [sys.executable, "-m", "tools.flaky", "-q", "-n", "2", "-p", "no:cacheprovider"]
        # the other plugins of this environment take five times as long to import as these tests to run
        plugins = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": "-p xdist"}
        surroundings = os.environ | plugins | {"PYTHONPATH": str(ROOT)}
        done = subprocess.run(command, cwd=tmp_path, env=surroundings, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    return run


def test_race_is_shown_last_with_its_first_failure(run):
    status, printed = run(race=RACE, right=RIGHT)
    assert status == 0
    shown = printed[printed.rindex("\nflaky: ") :]
    assert "test_race.py::test_race" in shown
    assert "lost the race" in shown
    assert "1 flaky, 0 failed twice" in shown


def test_fault_fails_the_run(run):
    status, printed = run(race=RACE, fault=FAULT)
    assert status == 1
    assert "1 flaky, 1 failed twice" in printed
    assert printed.endswith("test_fault.py::test_fault\n")


def test_module_that_cannot_be_imported_fails_the_run_beside_a_race(run):
    status, printed = run(race=RACE, broken="import nothing_of_this_name")
    assert status == 1
    assert "1 flaky, 1 failed twice" in printed
    assert printed.endswith("test_broken.py\n")


@pytest.mark.parametrize(("files", "expected"), [({"right": RIGHT}, 0), ({}, 5)])
def test_nothing_else_is_tried_again(run, files, expected):
    status, printed = run(**files)
    assert status == expected
    assert "once more" not in printed
