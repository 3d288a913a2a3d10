"""Kernels are kept where only this user can write, on a read-only install without a home too."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numba
import pytest

from evilpegs_game import compiled, kernel_folder
from evilpegs_game.kernel_folder import private_folder
from support.patience import PATIENCE

NAMED = kernel_folder.FOLDER_VARIABLE
TEMPORARY = f"evilpegs-kernels-{os.geteuid()}"
IMPOSSIBLE = "/dev/null/below-a-file"
"""A directory that nobody can create, not even root."""
PROGRAM = "from package.user import double; print(double(2)); print(double.stats.cache_path)"


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """Use an empty directory for temporary files."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.delenv(NAMED, raising=False)
    return folder


class TestPrivateFolder:
    def test_named_folder_comes_first(self, temporary, tmp_path, monkeypatch):
        monkeypatch.setenv(NAMED, str(tmp_path / "kernels"))
        assert private_folder() == tmp_path / "kernels"
        assert (tmp_path / "kernels").stat().st_mode & 0o777 == 0o700

    def test_temporary_folder_is_second(self, temporary, monkeypatch):
        monkeypatch.setenv(NAMED, IMPOSSIBLE)
        assert private_folder() == temporary / TEMPORARY

    def test_folder_is_used_again(self, temporary):
        assert private_folder() == private_folder() == temporary / TEMPORARY

    @pytest.mark.parametrize("mode", [0o720, 0o702, 0o777])
    def test_folder_of_others_is_refused(self, temporary, mode):
        (temporary / TEMPORARY).mkdir()
        (temporary / TEMPORARY).chmod(mode)
        assert private_folder() is None

    def test_link_is_refused(self, temporary, tmp_path):
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        (temporary / TEMPORARY).symlink_to(tmp_path / "elsewhere")
        assert private_folder() is None

    def test_folder_of_another_user_is_refused(self, temporary, monkeypatch):
        user = os.geteuid()
        (temporary / f"evilpegs-kernels-{user + 1}").mkdir(mode=0o700)
        monkeypatch.setattr(os, "geteuid", lambda: user + 1)
        assert private_folder() is None

    def test_nothing_is_used_without_temporary_directory(self, temporary, monkeypatch):
        def fail():
            raise FileNotFoundError

        monkeypatch.setattr(tempfile, "gettempdir", fail)
        assert private_folder() is None


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="compiles kernels in a process of its own")
class TestReadOnlyInstall:
    """A package whose directory for caches is a file, and a home below a file: root cannot write there either."""

    @pytest.fixture
    def run(self, tmp_path):
        """Return a function that calls a kernel in a process, and returns what it prints and where its cache is."""
        package = tmp_path / "package"
        package.mkdir()
        (tmp_path / "temporary").mkdir()
        for source in Path(compiled.__file__).parent.glob("*.py"):
            (package / source.name).write_text(source.read_text().replace("evilpegs_game", "package"))
        user = "from package.compiled import kernel\n\n\n@kernel\ndef double(x):\n    return 2 * x\n"
        (package / "user.py").write_text(user)
        (package / "__pycache__").touch()

        def call(**variables):
            others = {"HOME": IMPOSSIBLE, "TMPDIR": str(tmp_path / "temporary"), "PATH": os.environ["PATH"]}
            command = [sys.executable, "-c", PROGRAM]
            done = subprocess.run(
                command,
                cwd=tmp_path,
                env=others | variables,
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                check=True,
            )
            result, cache = done.stdout.split()
            assert result == "4"
            return cache, done.stderr.splitlines()

        return call

    def test_writable_install_keeps_kernels(self, run, tmp_path):
        """The control: beside the source is the usual place."""
        (tmp_path / "package" / "__pycache__").unlink()
        assert run() == (str(tmp_path / "package" / "__pycache__"), [])

    def test_writable_home_keeps_kernels(self, run, tmp_path):
        cache, err = run(HOME=str(tmp_path))
        assert Path(cache).is_relative_to(tmp_path / ".cache")
        assert err == []

    def test_named_folder_keeps_kernels(self, run, tmp_path):
        cache, err = run(**{NAMED: str(tmp_path / "kernels")})
        assert Path(cache).parent == tmp_path / "kernels"
        assert list(Path(cache).glob("user.double-*.nbc"))
        assert err == []

    @pytest.mark.parametrize("variables", [{}, {NAMED: IMPOSSIBLE}, {"NUMBA_CACHE_DIR": IMPOSSIBLE}])
    def test_temporary_folder_keeps_kernels(self, run, tmp_path, variables):
        cache, err = run(**variables)
        assert Path(cache).parent == tmp_path / "temporary" / TEMPORARY
        assert err == []

    def test_kernel_works_without_any_folder(self, run, tmp_path):
        (tmp_path / "temporary" / TEMPORARY).touch()
        cache, err = run()
        assert cache == "None"
        (line,) = err
        assert "NUMBA_CACHE_DIR" in line
