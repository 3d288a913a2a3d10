"""Compiled kernels are cached on disk, and none outlives a change of a kernel that it calls."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from evilpegs_game import compiled

CALLEE = "from {decorator} import {name}\n\n\n@{name}\ndef inner(x):\n    return x + {more}\n"
CALLER = "from {decorator} import {name}\nfrom package.callee import inner\n\n\n@{name}\ndef outer(x):\n    "
CALLER += "return inner(x)\n"
RECORD = (
    "from typing import NamedTuple\nfrom package.kernel import kernel\n\n\nclass {name}(NamedTuple):\n    value: int\n"
)
RECORD += "\n\n@kernel\ndef first(x):\n    return x.value\n"
OURS = {"decorator": "package.kernel", "name": "kernel"}
PLAIN = {"decorator": "package.plain", "name": "cached"}


@pytest.fixture
def package(tmp_path):
    """Write a package with our decorator, with numba's own, and with a kernel that calls one of another file."""
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / "__init__.py").touch()
    shutil.copy(compiled.__file__, folder / "kernel.py")
    (folder / "plain.py").write_text("from numba import njit\n\ncached = njit(cache=True)\n")

    def outer_of_one(more, words):
        (folder / "callee.py").write_text(CALLEE.format(more=more, **words))
        (folder / "caller.py").write_text(CALLER.format(**words))
        return run(tmp_path, "from package.caller import outer; print(outer(1), sum(outer.stats.cache_hits.values()))")

    return outer_of_one


def run(folder, program):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA_")}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"  # Python compares only seconds and sizes of files; numba does not
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=True)
    return tuple(map(int, done.stdout.split()))


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="compiles kernels in a process of its own")
def test_kernel_is_cached_until_callee_changes(package):
    assert package(10, OURS) == (11, 0)
    assert package(10, OURS) == (11, 1)
    assert package(20, OURS) == (21, 0)


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="compiles kernels in a process of its own")
def test_kernel_ignores_cache_with_renamed_type(package, tmp_path):
    for name in ("Old", "New"):
        (tmp_path / "package" / "record.py").write_text(RECORD.format(name=name))
        program = f"from package.record import *; print(first({name}(1)), sum(first.stats.cache_hits.values()))"
        assert run(tmp_path, program) == (1, 0)


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="compiles kernels in a process of its own")
def test_numba_cache_misses_change_of_callee(package):
    assert package(10, PLAIN) == (11, 0)
    assert package(20, PLAIN) == (11, 1)


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="compiles a kernel")
def test_kernel_works_where_nothing_can_be_written(monkeypatch):
    """The conditions are those of a read-only install, for a user without a home."""
    for locator in (compiled.ConfiguredLocator, compiled.SourceLocator, compiled.UserLocator):
        monkeypatch.setattr(locator, "from_function", lambda *_: None)
    assert compiled.kernel(plus_one)(1) == 2


def plus_one(x):
    return x + 1


def test_kernel_stamp_covers_files_with_kernels():
    sources = Path(compiled.__file__).parent.rglob("*.py")
    files = [source.name for source in sources if b"kernel\ndef" in source.read_bytes()]
    assert {"partition.py", "extend.py", "search.py"} <= set(files)
    assert "rules.py" not in files
    assert len(compiled.stamp()) == 64
