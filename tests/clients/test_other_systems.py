"""What players use loads where the modules and signals of Unix are missing.

That is not all that a run on another system needs; docs/contest.md promises no more.
"""

import subprocess
import sys

from support.patience import PATIENCE

MISSING = ("fcntl", "grp", "pwd", "resource", "termios", "tty")
WITHOUT_UNIX = f"""
import asyncio, enum, importlib, os, pkgutil, signal, sys  # asyncio needs `sysconf` on this system

for module in {MISSING!r}:
    sys.modules[module] = None
for name in ("fork", "killpg", "setsid", "sysconf"):
    delattr(os, name)
members = {{each.name: each.value for each in signal.Signals if each.name != "SIGHUP"}}
del signal.SIGHUP
signal.Signals = enum.IntEnum("Signals", members)


def modules(*packages):
    for package in map(importlib.import_module, packages):
        yield package.__name__
        for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            yield found.name


def load(name):
    try:
        importlib.import_module(name)
    except ImportError as error:
        print(name, error)
"""
COMMANDS = (
    *("assist", "bot", "certify", "compare", "duel", "evaluate", "feed", "ladders", "partition", "play"),
    *("solve", "tournament", "tree", "verify", "watch"),
)
"""Those that need no server of their own."""


def without_unix(program):
    command = [sys.executable, "-W", "ignore", "-c", WITHOUT_UNIX + program]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_packages_of_players_load():
    packages = "evilpegs_game", "evilpegs_protocol", "evilpegs_clients"
    assert without_unix(f"for name in modules(*{packages!r}): load(name)") == ""


def test_public_names_and_commands_of_players_load():
    names = f"import evilpegs\nfor name in evilpegs.__all__: getattr(evilpegs, name)\nfor name in {COMMANDS!r}: "
    assert without_unix(names + "load('evilpegs.commands.' + name)\nload('evilpegs.main')") == ""


def test_server_is_for_unix():
    """The control: what is missing is missed."""
    assert "fcntl" in without_unix("load('evilpegs.commands.serve')")
