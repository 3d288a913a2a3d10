"""What surrounds a command: Ctrl-C while it imports, the umask, and a file for TLS secrets that cannot be opened."""

import os
import subprocess
import sys

import pytest

from evilpegs.starting import INTERRUPTED_STATUS
from support.certificates import make_certificate
from support.patience import PATIENCE

# SIGINT arrives as the import of MODULE begins, in a library that takes any exception for a missing module
INTERRUPTED = """
import os, signal, sys
class Interrupting:
    def find_spec(self, name, *_):
        if name == MODULE:
            try:
                os.kill(os.getpid(), signal.SIGINT)
            except BaseException:
                raise ImportError(name)
signal.signal(signal.SIGINT, HANDLER)
sys.meta_path.insert(0, Interrupting())
sys.argv[:] = ["evilpegs", "partition", "--rules", "2x2", "11", "--json"]
from evilpegs.starting import run
run()
"""


def interrupted_at(module, handler="signal.default_int_handler"):
    text = INTERRUPTED.replace("MODULE", repr(module)).replace("HANDLER", handler)
    return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=PATIENCE, check=False)


@pytest.mark.parametrize("module", ["cyclopts", "evilpegs.commands.partition", "numpy"])
def test_interrupt_during_imports_is_silent(module):
    ended = interrupted_at(module)
    assert (ended.returncode, ended.stdout, ended.stderr) == (INTERRUPTED_STATUS, "", "")


def test_ignored_interrupt_stays_ignored():
    ended = interrupted_at("numpy", "signal.SIG_IGN")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith("{")


def test_command_raises_keyboard_interrupt():
    """Once it runs, the command itself decides what Ctrl-C does."""
    text = "import signal, sys; from evilpegs import main, starting\n"
    text += "main.report_kernels = lambda: print(signal.getsignal(2) is signal.default_int_handler)\n"
    text += "sys.argv[1:] = ['partition', '--rules', '2x2', '11']; starting.run()"
    ended = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert ended.stdout.startswith("True\n")


@pytest.mark.parametrize(("umask", "mode"), [(0o777, 0o600), (0o277, 0o600), (0o022, 0o644)])
def test_files_can_be_read_by_their_owner_whatever_the_umask(tmp_path, umask, mode):
    command = [sys.executable, "-m", "evilpegs", "tree", "minimax", "--rules", "2x2", "--out", "2x2.tree"]
    subprocess.run(command, cwd=tmp_path, umask=umask, capture_output=True, timeout=PATIENCE, check=True)
    assert (tmp_path / "2x2.tree").stat().st_mode & 0o777 == mode


@pytest.mark.parametrize("command", ["ladders", "leaderboard"])
def test_key_log_that_cannot_be_opened_is_one_line(run, server, monkeypatch, tmp_path, command):
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "nowhere" / "keys"))
    assert "SSLKEYLOGFILE" in run(command, "--server", "wss://127.0.0.1:1/v1").complaint
    if command == "leaderboard":  # whose reader has a TLS context for any site
        assert "SSLKEYLOGFILE" in run(command, "--server", server.url).complaint


@pytest.mark.parametrize(
    "words", [["ladders", "--server", "wss://127.0.0.1:1/v1"], ["feed", "--mqtt", "mqtts://127.0.0.1:1"]]
)
def test_key_log_that_is_a_pipe_is_one_line(run, monkeypatch, tmp_path, words):
    os.mkfifo(tmp_path / "keys")
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "keys"))
    complaint = run(*words).complaint
    assert all(fact in complaint for fact in ("SSLKEYLOGFILE", str(tmp_path)[:40], "pipe"))
    assert run("partition", "--rules", "2x2", "11").status == 0  # which has no use for it


@pytest.mark.parametrize("is_pipe", [False, True])
def test_key_log_of_server_is_one_line(run, monkeypatch, tmp_path, is_pipe):
    cert, key = make_certificate(tmp_path)
    if is_pipe:
        os.mkfifo(tmp_path / "keys")
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "keys" if is_pipe else tmp_path))
    database = f"sqlite:///{tmp_path}/x.sqlite3"
    result = run("serve", "--port", "0", "--no-site", "--tls-cert", cert, "--tls-key", key, "--database", database)
    assert str(tmp_path) in result.complaint
    assert "SSLKEYLOGFILE" in result.complaint
