"""Completion in real shells: of commands, options, choices, ladders and strategies."""

import os
import shlex
import shutil
import subprocess
import sys
from contextlib import suppress

import pytest

from evilpegs.commands import COMMANDS
from evilpegs.main import main
from support.patience import PATIENCE
from support.requirements import require
from support.waiting import wait_until

SHELLS = ("bash", "fish", "zsh")
TYPED = {
    "leaderb": ["leaderboard"],
    "players ren": ["rename"],
    "bot --lad": ["--ladder"],
    "serve --registration cl": ["closed"],
    "bot --ladder classic-pe": ["classic-people"],
    "watch monster-b": ["monster-blitz"],
    "duel minim": ["minimax"],
    "compare minimax minib": ["minibot.py"],
}
"""What stands on the line when the tab key is pressed, and all that completes it."""
BASH = """
source ~/.bashrc
COMP_WORDS=({line}) COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)) COMP_LINE="${{COMP_WORDS[*]}}" COMP_POINT=${{#COMP_LINE}}
$(complete -p evilpegs | sed 's/.*-F \\([^ ]*\\).*/\\1/') evilpegs
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture
def home(tmp_path, monkeypatch):
    """An empty home with the command evilpegs and a strategy file, in which the shells begin."""
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "ZDOTDIR", "ZSH_CUSTOM", "ENV"):
        monkeypatch.delenv(name, raising=False)
    command = tmp_path / "bin/evilpegs"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m evilpegs "$@"\n')
    command.chmod(0o755)
    (tmp_path / "minibot.py").touch()
    (tmp_path / "minibot.txt").touch()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", f"{command.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def install(shell):
    assert main(["--install-completion", "--shell", shell]) == 0


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True).stdout


@pytest.mark.parametrize("typed", TYPED)
def test_bash_completes(home, typed):
    install("bash")
    assert output_of("bash", "--norc", "-c", BASH.format(line=f"evilpegs {typed}")).split() == TYPED[typed]


@pytest.mark.full
@pytest.mark.parametrize("typed", TYPED)
def test_fish_completes(home, typed):
    require(shutil.which("fish"), "fish is missing")
    install("fish")
    shown = output_of("fish", "--private", "-c", f"complete -C {shlex.quote(f'evilpegs {typed}')}")
    assert [line.partition("\t")[0] for line in shown.splitlines()] == TYPED[typed]


class Zsh:
    """zsh on a terminal: it completes only there."""

    def __init__(self):
        self._person, program = os.openpty()
        os.set_blocking(self._person, False)
        self._process = subprocess.Popen(
            ["zsh", "-i"], stdin=program, stdout=program, stderr=program, start_new_session=True
        )
        os.close(program)
        self.type("PS1='> '; unsetopt beep; autoload -Uz compinit && compinit -u; print rea''dy\n", "ready\r\n")

    def type(self, keys, awaited):
        """Press the keys, and wait until this is seen."""
        seen = []
        os.write(self._person, keys.encode())
        wait_until(lambda: awaited in self._look(seen))

    def _look(self, seen):
        with suppress(BlockingIOError):
            seen.append(os.read(self._person, 65536).decode())
        return "".join(seen)

    def close(self):
        self._process.kill()
        self._process.wait()
        os.close(self._person)


@pytest.mark.full
def test_zsh_completes(home):
    require(shutil.which("zsh"), "zsh is missing")
    install("zsh")
    zsh = Zsh()
    try:
        for typed, (word,) in TYPED.items():
            begun = " ".join(typed.split()[:-1])
            zsh.type(f"evilpegs {typed}\t", f"{begun} {word} ".lstrip())
            zsh.type("\x15print nex''t\n", "next\r\n")
    finally:
        zsh.close()


@pytest.mark.parametrize("shell", SHELLS)
def test_script_has_every_command_and_asks_for_values(home, shell):
    script = home / "script"
    assert main(["--install-completion", "--shell", shell, "--output", str(script)]) == 0
    text = script.read_text()
    assert all(name in text for name in COMMANDS)
    assert all(text.count(word) for word in ("ladder", "registration", "closed", "__complete"))


@pytest.mark.parametrize("shell", SHELLS)
def test_script_without_an_extra_leaves_its_commands_out(home, shell):
    script = (
        "import sys; sys.modules['sqlalchemy'] = None; from evilpegs.main import main; "
        f"sys.exit(main(['--install-completion', '--shell', {shell!r}, '--output', 'script']))"
    )
    output_of(sys.executable, "-c", script)
    text = (home / "script").read_text()
    assert "certify" in text
    assert "upgrade" not in text
