"""Compiled kernels are cached on disk, and none outlives a change of a kernel that it calls."""

import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from evilpegs_game import compiled
from support.patience import PATIENCE

CALLEE = "from {decorator} import {name}\n\n\n@{name}\ndef inner(x):\n    return x + {more}\n"
CALLER = "from {decorator} import {name}\nfrom package.callee import inner\n\n\n@{name}\ndef outer(x):\n    "
CALLER += "return inner(x)\n"
RECORD = (
    "from typing import NamedTuple\nfrom package.kernel import kernel\n\n\nclass {name}(NamedTuple):\n    value: int\n"
)
RECORD += "\n\n@kernel\ndef first(x):\n    return x.value\n"
OURS = {"decorator": "package.kernel", "name": "kernel"}
PLAIN = {"decorator": "package.plain", "name": "cached"}

LAZY = """
import pkgutil, sys
import evilpegs, evilpegs_clients, evilpegs_game, evilpegs_protocol, evilpegs_server
for package in (evilpegs, evilpegs_clients, evilpegs_game, evilpegs_protocol, evilpegs_server):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if not module.name.endswith(("__main__", "kernel_cache", ".env")) and ".versions" not in module.name:
            __import__(module.name)
before = "numba" in sys.modules
from evilpegs_game.bits import popcount
assert popcount(7) == 3
print(before, "numba" in sys.modules)
"""


@pytest.fixture
def package(tmp_path):
    """Write a package with our decorator, with numba's own, and with a kernel that calls one of another file."""
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / "__init__.py").touch()
    copy_machinery(folder)
    (folder / "plain.py").write_text("from numba import njit\n\ncached = njit(cache=True)\n")

    def outer_of_one(more, words):
        (folder / "callee.py").write_text(CALLEE.format(more=more, **words))
        (folder / "caller.py").write_text(CALLER.format(**words))
        return run(tmp_path, "from package.caller import outer; print(outer(1), sum(outer.stats.cache_hits.values()))")

    return outer_of_one


def copy_machinery(folder):
    """Copy the files that compile and cache kernels to a package of another name."""
    for name, copy in (("compiled", "kernel"), ("kernel_cache", "kernel_cache"), ("kernel_folder", "kernel_folder")):
        text = Path(compiled.__file__).with_name(f"{name}.py").read_text()
        (folder / f"{copy}.py").write_text(text.replace("evilpegs_game", "package"))


def run(folder, program, **variables):
    ours = ("NUMBA_", "EVILPEGS_", "XDG_")
    environment = {key: value for key, value in os.environ.items() if not key.startswith(ours)} | variables
    environment["PYTHONDONTWRITEBYTECODE"] = "1"  # Python compares only seconds and sizes of files; numba does not
    command = [sys.executable, "-c", program]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    return tuple(map(int, done.stdout.split()))


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="asks for compiled kernels")
def test_numba_is_imported_with_first_kernel_that_runs():
    done = subprocess.run([sys.executable, "-c", LAZY], capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stdout == "False True\n"


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


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="compiles kernels in a process of its own")
def test_kernel_outlives_change_of_other_file(package, tmp_path):
    assert package(10, OURS) == (11, 0)
    (tmp_path / "package" / "other.py").write_text(CALLEE.format(more=1, **OURS))
    assert package(10, OURS) == (11, 1)


class TestSourceStamp:
    @pytest.fixture
    def stamps(self, tmp_path):
        """Return a function that gives the stamp of each file of a chain of imports and of a file beside it."""
        folder = tmp_path / "package"
        folder.mkdir()
        copy_machinery(folder)
        (folder / "__init__.py").touch()
        (folder / "far.py").write_text("FAR = 1\n")
        (folder / "near.py").write_text("from package.far import (\n    FAR,\n)\n")
        (folder / "user.py").write_text("from package.kernel import kernel\nfrom package import near, beside\n")
        (folder / "beside.py").write_text("import math\n")

        def read():
            names = ("user", "near", "beside")
            program = "from pathlib import Path; from package.kernel_cache import source_stamp; "
            program += f"print(*(int(source_stamp(Path('package', f'{{n}}.py').absolute())[:12], 16) for n in {names}))"
            return dict(zip(names, run(tmp_path, program), strict=True))

        return read

    def test_stamp_follows_imports(self, stamps, tmp_path):
        before = stamps()
        assert stamps() == before
        (tmp_path / "package" / "far.py").write_text("FAR = 2\n")
        after = stamps()
        assert {name for name in before if before[name] != after[name]} == {"user", "near"}

    def test_stamp_follows_compiler_settings(self, stamps, tmp_path):
        before = stamps()
        with (tmp_path / "package" / "kernel.py").open("a") as file:
            file.write("# another option\n")
        after = stamps()
        assert {name for name in before if before[name] != after[name]} == {"user"}
