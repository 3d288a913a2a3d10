"""`evilpegs kernels`."""

import json
import os
import subprocess
import sys
from functools import partial

import pytest

import evilpegs.commands.kernels as kernels
from evilpegs_game.kernels import announce, kernel_folder
from support.patience import PATIENCE

NOT_COMPILED = """
import importlib, json, os, pkgutil, sys
os.sched_getaffinity = lambda _: {0}  # all in this process
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
    monkeypatch.setattr(kernels, "kernel_folder", lambda: None)
    assert "NUMBA_CACHE_DIR" in run("kernels").complaint


@pytest.fixture
def two_processors(monkeypatch):
    """Two processors, and no kernels to compile but those that count."""
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})
    monkeypatch.setattr(kernels, "_call_others", lambda: None)
    return monkeypatch


def test_second_processor_counts(two_processors):
    two_processors.setattr(kernels, "_count", os.getpid)
    assert kernels.compile_kernels() not in {os.getpid(), 0.0}


def test_one_processor_needs_no_process(two_processors):
    two_processors.setattr("os.sched_getaffinity", lambda _: {0})
    two_processors.setattr(kernels, "_count", os.getpid)
    assert kernels.compile_kernels() == os.getpid()


@pytest.mark.parametrize("error", [OSError(38, "no semaphores"), NotImplementedError(), RuntimeError("no thread")])
def test_without_a_second_process_all_is_compiled_here(two_processors, error):
    def refuse(*_, **__):
        raise error

    two_processors.setattr(kernels, "open_workers", refuse)
    two_processors.setattr(kernels, "_count", os.getpid)
    assert kernels.compile_kernels() == os.getpid()


def test_lost_process_is_one_line(run, two_processors):
    two_processors.setattr(kernels, "_count", partial(os._exit, 1))
    assert "lost" in run("kernels").complaint


def test_wait_for_the_second_process_is_announced(two_processors, caplog):
    two_processors.setattr(kernels, "_SILENT_SECONDS", 0)
    two_processors.setattr(kernels, "_count", os.getpid)
    announce.cache_clear()
    kernels.compile_kernels()
    assert "compiling" in caplog.text


@pytest.mark.full
def test_every_kernel_is_compiled_once():
    """By two processes, where there are two processors; a third then compiles nothing and has every kernel.

    In the folder of all tests, for which `make` compiles the kernels: in an empty one, it would take minutes again.
    """

    def start(*arguments):
        return subprocess.run(
            [sys.executable, *arguments], capture_output=True, text=True, timeout=10 * PATIENCE, check=True
        )

    assert str(kernel_folder()) in start("-m", "evilpegs", "kernels").stdout
    (result,) = start("-c", NOT_COMPILED).stderr.splitlines()
    status, kernels, left, seconds = json.loads(result)
    assert (status, left, seconds) == (0, [], 0)
    assert kernels > 100
