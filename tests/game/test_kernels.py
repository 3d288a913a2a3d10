"""Compiled kernels are kept on disk where the user can write, and none outlives a change of a kernel that it calls."""

import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from evilpegs_game import kernels
from support.patience import PATIENCE

CALLEE = "from {decorator} import {name}\n\n\n@{name}\ndef inner(x):\n    return x + {more}\n"
CALLER = "from {decorator} import {name}\nfrom package.callee import inner\n\n\n@{name}\ndef outer(x):\n    "
CALLER += "return inner(x)\n"
RECORD = (
    "from typing import NamedTuple\nfrom package.kernels import kernel\n\n\nclass {name}(NamedTuple):\n    value: int\n"
)
RECORD += "\n\n@kernel\ndef first(x):\n    return x.value\n"
OURS = {"decorator": "package.kernels", "name": "kernel"}
PLAIN = {"decorator": "package.plain", "name": "cached"}
USER = "from package.kernels import kernel\n\n\n@kernel\ndef double(x):\n    return inner(x)\n\n\n"
USER += "@kernel\ndef inner(x):\n    return 2 * x\n"
PROGRAM = "from package.user import double; print(double(2), double.stats.cache_path)"
IMPOSSIBLE = "/dev/null/below-a-file"
"""A directory that nobody can create, not even root."""

LAZY = """
import pkgutil, sys
import evilpegs, evilpegs_clients, evilpegs_game, evilpegs_protocol, evilpegs_server
for package in (evilpegs, evilpegs_clients, evilpegs_game, evilpegs_protocol, evilpegs_server):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if not module.name.endswith(("__main__", ".env")) and ".versions" not in module.name:
            __import__(module.name)
before = "numba" in sys.modules
from evilpegs_game.kernels import popcount
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
    """Copy the module that compiles kernels to a package of another name, where no compilation takes long."""
    text = Path(kernels.__file__).read_text()
    assert "SILENT_SECONDS: Final = 2.0" in text
    (folder / "kernels.py").write_text(text.replace("SILENT_SECONDS: Final = 2.0", "SILENT_SECONDS: Final = 9e9"))


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
class TestFolder:
    """Of a package whose directory for caches is a file, and a home below a file: root cannot write there either."""

    @pytest.fixture
    def call(self, tmp_path):
        """Return a function that calls a kernel in a process; the result has the folder and lines of errors."""
        package = tmp_path / "package"
        package.mkdir()
        copy_machinery(package)
        (package / "user.py").write_text(USER)
        (package / "__pycache__").touch()

        def call(program=PROGRAM, **variables):
            others = {"HOME": IMPOSSIBLE, "PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
            done = subprocess.run(
                [sys.executable, "-c", program],
                cwd=tmp_path,
                env=others | variables,
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                check=True,
            )
            result, _, cache = done.stdout.strip().partition(" ")
            assert result == "4"
            return cache, done.stderr.splitlines()

        return call

    def test_checkout_keeps_kernels(self, call, tmp_path):
        (tmp_path / "package" / "__pycache__").unlink()
        (tmp_path / "pyproject.toml").touch()
        cache, err = call()
        assert Path(cache).parent.parent == tmp_path / "package" / "__pycache__"
        assert list(Path(cache).glob("user.double-*.nbc"))
        assert err == []

    def test_installation_stays_as_it_was_installed(self, call, tmp_path):
        (tmp_path / "package" / "__pycache__").unlink()
        before = sorted((tmp_path / "package").rglob("*"))
        call(HOME=str(tmp_path))
        assert sorted((tmp_path / "package").rglob("*")) == before

    def test_kernels_that_others_compiled_are_copied(self, call, tmp_path):
        """An image or a class: only the user who compiled can write to the directory."""
        shared = {"NUMBA_CACHE_DIR": str(tmp_path / "shared")}
        call(**shared)
        program = "import os; access = os.access; os.access = lambda path, how: 'shared' not in str(path); "
        program += "from package.user import double; print(double(2), sum(double.stats.cache_hits.values()))"
        hits, err = call(program, HOME=str(tmp_path), **shared)
        assert (hits, err) == ("1", [])

    def test_clear_removes_kernels_of_every_version(self, call, tmp_path):
        variables = {"NUMBA_CACHE_DIR": str(tmp_path / "named"), "HOME": str(tmp_path)}
        call(**variables)
        (tmp_path / "package" / "other.py").write_text("NUMBER = 1\n")
        call(**variables)
        program = "from package.kernels import clear_kernels; print(4, len(clear_kernels()))"
        assert [call(program, **variables)[0] for _ in range(2)] == ["2", "0"]
        assert list((tmp_path / "named").iterdir()) == []

    @pytest.mark.parametrize("variables", [{}, {"NUMBA_CACHE_DIR": IMPOSSIBLE}])
    def test_home_keeps_kernels_of_read_only_install(self, call, tmp_path, variables):
        cache, err = call(HOME=str(tmp_path), **variables)
        assert Path(cache).is_relative_to(tmp_path / ".cache" / "evilpegs")
        assert err == []

    def test_named_directory_keeps_kernels(self, call, tmp_path):
        cache, err = call(NUMBA_CACHE_DIR=str(tmp_path / "named"))
        assert Path(cache).parent.parent == tmp_path / "named"
        assert err == []

    def test_kernel_works_without_any_folder(self, call):
        cache, err = call()
        assert cache == "None"
        (line,) = err
        assert "NUMBA_CACHE_DIR" in line

    def test_other_kernels_stay_where_they_were(self, call, tmp_path):
        (tmp_path / "theirs.py").write_text("from numba import njit\n\n\n@njit(cache=True)\ndef one():\n    return 1\n")
        program = "from package.user import double; print(double(2), end=' '); "
        program += "from theirs import one; one(); print(one.stats.cache_path)"
        assert call(program, HOME=str(tmp_path)) == (str(tmp_path / "__pycache__"), [])

    @pytest.mark.parametrize(("silent", "announced"), [(0.0, True), (600.0, False)])
    def test_long_compilation_is_announced_once(self, call, tmp_path, silent, announced):
        program = f"import package.kernels as kernels; kernels.SILENT_SECONDS = {silent}; "
        program += "from package.user import *; print(double(2) + inner(0))"
        variables = {"NUMBA_CACHE_DIR": str(tmp_path / "named")}
        assert [len(call(program, **variables)[1]) for _ in range(2)] == [announced, 0]

    def test_time_stands_still_while_kernels_are_compiled(self, call, tmp_path):
        program = "import time, package.kernels as kernels; from package.user import double; "
        program += "start, working = time.monotonic(), kernels.working_time(); print(double(2), end=' '); "
        program += "worked, spent = kernels.working_time() - working, time.monotonic() - start; "
        program += "print(0 < kernels.compile_seconds() <= spent, 0 <= worked <= spent - kernels.compile_seconds())"
        assert call(program, NUMBA_CACHE_DIR=str(tmp_path)) == ("True True", [])

    def test_earlier_processes_are_known_to_have_compiled(self, call, tmp_path):
        program = "from package.kernels import is_compiled; from package.user import double, inner; "
        program += "before = is_compiled(double), is_compiled(inner); print(double(2), *before, is_compiled(double))"
        variables = {"NUMBA_CACHE_DIR": str(tmp_path / "named")}
        assert [call(program, **variables)[0] for _ in range(2)] == ["False False True", "True False True"]
        assert call(program)[0] == "False False True"  # nothing is kept

    def test_garbage_is_collected_again_after_a_compilation(self, call):
        program = "import gc; from package.user import double; print(double(2), gc.isenabled())"
        assert call(program, HOME=IMPOSSIBLE)[0] == "True"

    @pytest.mark.parametrize("damaged", ["double", "inner"])
    def test_half_written_files_are_replaced(self, call, tmp_path, damaged):
        before = call(NUMBA_CACHE_DIR=str(tmp_path))
        folder = Path(before[0])
        for written in folder.glob(f"user.{damaged}-*"):
            written.write_bytes(written.read_bytes()[:10])
        if damaged == "inner":  # whose code is also in that of its caller
            for written in folder.glob("user.double-*"):
                written.unlink()
        assert call(NUMBA_CACHE_DIR=str(tmp_path)) == before
        written = list(folder.glob("user.*"))
        assert len(written) == 4
        assert all(file.stat().st_size > 10 for file in written)

    def test_few_folders_are_kept(self, call, tmp_path):
        folders = []
        for number in range(6):
            (tmp_path / "package" / "other.py").write_text(f"NUMBER = {number}\n")
            folders.append(Path(call(NUMBA_CACHE_DIR=str(tmp_path / "named"))[0]).parent)
            os.utime(folders[-1], (number, number))
        assert {folder for folder in folders if folder.exists()} == set(folders[2:])
