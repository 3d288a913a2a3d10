"""`evilpegs kernels`."""

import json
import subprocess
import sys

import pytest

from support.patience import PATIENCE

NOT_COMPILED = """
import importlib, json, pkgutil, sys
import evilpegs_game
from evilpegs.main import main
from evilpegs_game import kernels
status = main(["kernels"])
own = {
    value: name
    for module in pkgutil.walk_packages(evilpegs_game.__path__, "evilpegs_game.")
    for name, value in vars(importlib.import_module(module.name)).items()
    if isinstance(value, kernels._Kernel)
}
left, found = set(own), [value for value in own if value.signatures]
while found:
    value = found.pop()
    if value in left:
        left.remove(value)
        function = value.__wrapped__
        named = [function.__globals__.get(name) for name in function.__code__.co_names]
        found += [each for each in named if isinstance(each, kernels._Kernel)]
print(json.dumps([status, len(own), sorted(map(own.get, left)), kernels.compile_seconds()]), file=sys.stderr)
"""
"""Which kernels the command neither called nor called from another kernel."""


@pytest.fixture
def directories(monkeypatch, tmp_path):
    """The two directories of kernels, with those of a version in each."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "named"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    both = [tmp_path / "named", tmp_path / "cache" / "evilpegs"]
    for directory in both:
        (directory / "evilpegs_game-0123").mkdir(parents=True)
        (directory / "evilpegs_game-0123" / "kernel").touch()
        (directory / "other").touch()
    return both


def test_clear_empties_the_directories(run, directories):
    result = run("kernels", "--clear")
    assert result.status == 0
    assert all(str(directory) in result.out for directory in directories)
    assert [[left.name for left in directory.iterdir()] for directory in directories] == [["other"]] * 2
    assert "0" in run("kernels", "--clear").out


def test_directory_that_keeps_nothing_is_refused(run, monkeypatch):
    monkeypatch.setattr("evilpegs.commands.kernels.kernel_folder", lambda: None)
    assert "NUMBA_CACHE_DIR" in run("kernels").complaint


@pytest.mark.full
def test_every_kernel_is_compiled_once():
    """In the directory of all tests, which has most of them already: compiling all takes two minutes."""

    def run_command():
        done = subprocess.run(
            [sys.executable, "-c", NOT_COMPILED], capture_output=True, text=True, timeout=10 * PATIENCE, check=True
        )
        *said, result = done.stderr.splitlines()
        return said, *json.loads(result)

    _, status, kernels, left, _ = run_command()
    assert (status, left) == (0, [])
    assert kernels > 100
    assert run_command() == ([], 0, kernels, [], 0)
