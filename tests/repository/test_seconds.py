"""The plugin that prints the seconds of files and fixtures."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
FIXTURES = """
import pytest

@pytest.fixture(scope="module")
def outer(inner):
    return inner

@pytest.fixture(scope="session")
def inner():
    return 7
"""
TESTS = """
import pytest

@pytest.mark.parametrize("number", range(3))
def test_seven(outer, number):
    assert outer == 7
"""


def test_files_and_fixtures_are_listed_with_their_numbers(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"test_{name}.py").write_text(TESTS)
    (tmp_path / "conftest.py").write_text(FIXTURES)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, "-m", "pytest", "-q", "-n", "1", "-p", "no:cacheprovider", "-p", "tools.seconds"]
    surroundings = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=surroundings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    files, fixtures = done.stdout.split("  file\n")[1].split("\n seconds  number  fixture\n")
    assert {tuple(line.split()[1:]) for line in files.splitlines() if line} == {("3", "test_a.py"), ("3", "test_b.py")}
    listed = {line.split()[2]: line.split()[1] for line in fixtures.splitlines() if len(line.split()) == 3}
    assert (listed["outer"], listed["inner"]) == ("2", "1")
