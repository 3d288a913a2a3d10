"""`evilpegs kernels`."""

import json
import os
import subprocess
import sys

import pytest

from support.patience import PATIENCE

UNCOMPILED = """
import importlib, json, pkgutil, sys
import evilpegs_game
from evilpegs.main import main
from evilpegs_game import kernels
status = main(["kernels"])
own = {
    name: value
    for module in pkgutil.walk_packages(evilpegs_game.__path__, "evilpegs_game.")
    for name, value in vars(importlib.import_module(module.name)).items()
    if isinstance(value, kernels._Kernel)
}
uncompiled = [name for name, value in own.items() if not value.signatures]
print(json.dumps([status, len(own), uncompiled, kernels.compile_seconds()]), file=sys.stderr)
"""


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
def test_every_kernel_is_compiled_once(tmp_path):
    def uncompiled():
        environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, "-c", UNCOMPILED],
            env=environment,
            capture_output=True,
            text=True,
            timeout=10 * PATIENCE,
            check=True,
        )
        assert str(tmp_path) in done.stdout
        return done.stderr.splitlines()

    *said, result = uncompiled()
    status, kernels, left, seconds = json.loads(result)
    assert (status, left) == (0, [])
    assert kernels > 100
    assert seconds > 2
    assert len(said) == 1
    *said, result = uncompiled()
    assert said == []
    assert json.loads(result)[3] == 0
