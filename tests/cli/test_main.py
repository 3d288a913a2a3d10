"""The command as a whole: help, version, and how it ends."""

import subprocess
import sys
from pathlib import Path

import pytest

from evilpegs import main as command
from evilpegs.main import COMMANDS, main
from evilpegs_clients.strategies.registry import STRATEGIES

HEAVY = (
    *("alembic", "dask", "distributed", "matplotlib", "numba", "numpy"),
    *("pydantic", "sqlalchemy", "structlog", "websockets"),
)


def test_help_lists_every_command(run):
    result = run("--help")
    assert result.status == 0
    assert all(f" {function.__name__} " in result.out for function in COMMANDS)
    assert result.err == ""


@pytest.mark.parametrize("name", [function.__name__ for function in COMMANDS])
def test_help_of_a_command_describes_every_option(run, name):
    result = run(name, "--help")
    assert result.status == 0
    assert f"evilpegs {name}" in result.out
    options = [line.split("│")[1] for line in result.out.splitlines() if line.startswith("│ --")]
    assert all(len(option.split()) > 2 for option in options)


def test_help_names_every_strategy(run):
    text = " ".join(run("bot", "--help").out.replace("│", " ").split())
    assert all(name in text for name in STRATEGIES)


def test_version(run):
    assert run("--version").out.strip() == "0.1.0"


def test_nothing_to_do_is_help(run):
    assert run().out == run("--help").out


def test_help_imports_nothing_heavy():
    calls = [["--help"], *([function.__name__, "--help"] for function in COMMANDS)]
    script = (
        f"import sys; from evilpegs.main import main; print(*map(main, {calls!r}), file=sys.stderr); "
        f"print(*sorted(sys.modules.keys() & set({HEAVY!r})), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stderr.splitlines() == [" ".join("0" * len(calls)), ""]


def test_an_interrupt_is_quiet(run, monkeypatch):
    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "app", interrupted)
    result = run("ladders")
    assert (result.status, result.out, result.err) == (130, "", "")


def test_nobody_reads():
    script = "import sys; from evilpegs.main import main; sys.stdin.read(); sys.exit(main(['ladders', '--json']))"
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdout.close()
    process.stdin.close()
    with process.stderr as errors:
        assert errors.read() == b""
    assert process.wait(60) == 1


def test_no_space_left():
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "evilpegs", "ladders"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "evilpegs: no space is left where the output goes; make room or send it elsewhere"
    ]


@pytest.mark.parametrize("closed", ["1>&-", "2>&-", "1>&- 2>&-"])
def test_an_output_that_was_closed_before_the_start(closed):
    line = f"{sys.executable} -m evilpegs ladders {closed}"
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_fault_of_the_program_is_not_hidden(monkeypatch):
    def broken(_):
        message = "a bug"
        raise ZeroDivisionError(message)

    monkeypatch.setattr(command, "app", broken)
    with pytest.raises(ZeroDivisionError):
        main(["ladders"])


def test_it_is_said_which_extra_is_missing(run, monkeypatch):
    for name in [name for name in sys.modules if name.startswith("evilpegs_server.") or name == "evilpegs.database"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    result = run("leaderboard")
    assert result.status == 2
    assert "pip install 'evilpegs[server]'" in result.complaint


def test_text_that_the_terminal_lacks_is_replaced():
    done = subprocess.run(
        [sys.executable, "-m", "evilpegs", "duel", "minimax", "--rules", "2x2"],
        env={"PYTHONIOENCODING": "ascii", "PATH": ""},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert "2,0" in done.stdout
