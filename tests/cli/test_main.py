"""The command as a whole: help, version, and its exit."""

import inspect
import io
import subprocess
import sys
from pathlib import Path

import pytest

from evilpegs.main import COMMANDS, app, main
from evilpegs_clients.strategies.registry import STRATEGIES

HEAVY = (
    *("alembic", "dask", "distributed", "matplotlib", "numba", "numpy"),
    *("pydantic", "sqlalchemy", "structlog", "websockets"),
)


def test_help_lists_every_command(run):
    result = run("--help")
    assert result.status == 0
    assert all(f" {name} " in result.out for name in COMMANDS)
    assert result.err == ""


@pytest.mark.parametrize("name", COMMANDS)
def test_help_describes_every_option(run, name):
    result = run(name, "--help")
    assert result.status == 0
    assert f"evilpegs {name}" in result.out
    options = [line.split("│")[1] for line in result.out.splitlines() if line.startswith("│ --")]
    assert all(len(option.split()) > 2 for option in options)


def test_help_names_every_strategy(run):
    text = " ".join(run("bot", "--help").out.replace("│", " ").split())
    assert all(name in text for name in STRATEGIES)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_text_is_docstring_of_command(name):
    assert app[name].help == inspect.getdoc(app[name].default_command)


def test_version_is_printed(run):
    assert run("--version").out.strip() == "0.1.0"


def test_command_without_arguments_shows_help(run):
    assert run().out == run("--help").out


def test_help_imports_nothing_heavy():
    calls = [["--help"], ["-h"], [], ["--version"], ["srve"]]
    script = (
        f"import sys; from evilpegs.main import main; print(*map(main, {calls!r}), file=sys.stderr); "
        f"print(*sorted(sys.modules.keys() & set({HEAVY!r})), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stderr.splitlines()[1:] == ["0 0 0 0 2", ""]


class FailingOutput(io.StringIO):
    """An output whose use raises an error."""

    def __init__(self, error):
        super().__init__()
        self.error = error

    def write(self, text):
        raise self.error


def test_interrupt_is_quiet(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdout", FailingOutput(KeyboardInterrupt()))
    assert main(["ladders"]) == 130
    assert capsys.readouterr() == ("", "")


def test_closed_pipe_is_quiet():
    script = "import sys; from evilpegs.main import main; sys.stdin.read(); sys.exit(main(['ladders', '--json']))"
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdout.close()
    process.stdin.close()
    with process.stderr as errors:
        assert errors.read() == b""
    assert process.wait(60) == 1


def test_full_output_device_is_reported():
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "evilpegs", "ladders"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("evilpegs: ")


@pytest.mark.parametrize("closed", ["1>&-", "2>&-", "1>&- 2>&-"])
def test_output_closed_before_start_is_ignored(closed):
    line = f"{sys.executable} -m evilpegs ladders {closed}"
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_fault_of_program_is_not_hidden(monkeypatch):
    monkeypatch.setattr(sys, "stdout", FailingOutput(ZeroDivisionError()))
    with pytest.raises(ZeroDivisionError):
        main(["ladders"])


def test_missing_extra_is_named():
    script = "import sys; sys.modules['sqlalchemy'] = None; from evilpegs.main import main; sys.exit(main())"
    command = [sys.executable, "-c", script, "leaderboard"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    (line,) = done.stderr.splitlines()
    assert done.returncode == 2
    assert "'evilpegs[server]'" in line


def test_text_beyond_terminal_encoding_is_replaced():
    done = subprocess.run(
        [sys.executable, "-m", "evilpegs", "duel", "minimax", "--rules", "2x2"],
        env={"PYTHONIOENCODING": "ascii", "PATH": ""},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert "2,0" in done.stdout
