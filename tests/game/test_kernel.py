"""Compiled kernels are kept on disk, and none outlives a change of what it calls."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from evilpegs_game import kernel as kernel_file

CALLEE = "from {decorator} import {name}\n\n\n@{name}\ndef inner(x):\n    return x + {more}\n"
CALLER = "from {decorator} import {name}\nfrom house.callee import inner\n\n\n@{name}\ndef outer(x):\n    "
CALLER += "return inner(x)\n"
OURS = {"decorator": "house.kernel", "name": "kernel"}
PLAIN = {"decorator": "house.plain", "name": "cached"}


@pytest.fixture
def house(tmp_path):
    """A package with our decorator, numba's own, and a kernel that calls one of another file."""
    folder = tmp_path / "house"
    folder.mkdir()
    (folder / "__init__.py").touch()
    shutil.copy(kernel_file.__file__, folder / "kernel.py")
    (folder / "plain.py").write_text("from numba import njit\n\ncached = njit(cache=True)\n")

    def outer_of_one(more, words):
        (folder / "callee.py").write_text(CALLEE.format(more=more, **words))
        (folder / "caller.py").write_text(CALLER.format(**words))
        return run(tmp_path, "from house.caller import outer; print(outer(1), sum(outer.stats.cache_hits.values()))")

    return outer_of_one


def run(folder, program):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA_")}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"  # it knows a file by its second and size; numba does not
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=True)
    return tuple(map(int, done.stdout.split()))


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="compiles, whatever the rest of the run does")
def test_a_kernel_is_kept_until_something_that_it_calls_changes(house):
    assert house(10, OURS) == (11, 0)
    assert house(10, OURS) == (11, 1)
    assert house(20, OURS) == (21, 0)


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="compiles, whatever the rest of the run does")
def test_numba_alone_would_go_on_with_the_old_one(house):
    assert house(10, PLAIN) == (11, 0)
    assert house(20, PLAIN) == (11, 1)


def test_the_stamp_is_of_files_with_kernels():
    sources = Path(kernel_file.__file__).parent.rglob("*.py")
    files = [source.name for source in sources if b"kernel\ndef" in source.read_bytes()]
    assert {"partition.py", "grow.py", "guess_search.py"} <= set(files)
    assert "rules.py" not in files
    assert len(kernel_file.stamp()) == 64
