"""A strategy that stops in the middle of its work until a gate opens, so that a test can kill the process meanwhile."""

import os
import select
from pathlib import Path

from support.patience import PATIENCE

STRATEGY = '''"""Minimax that writes its process id and waits at one point of the tree."""

import os

from evilpegs_game.guessing.criteria import MINIMAX
from evilpegs_game.guessing.selection import best_guess

FOLDER = {folder!r}


def choose(position, rng):
    guesses = " ".join(str(given) for _, given in position.history)
    with open(os.path.join(FOLDER, "choices"), "a") as file:
        print(guesses, file=file)
    if guesses == "0,0" and not os.path.exists(os.path.join(FOLDER, "open")):
        with open(os.path.join(FOLDER, "who"), "w") as who:
            print(os.getpid(), file=who)
        os.read(os.open(os.path.join(FOLDER, "gate"), os.O_RDONLY), 1)
    return best_guess(position, MINIMAX)
'''


class Gate:
    """A gate in the way of ``strategy``, a .py file in ``folder``, which waits there until the gate is open.

    Both ends of the pipes stay open in this process, so a process that arrives late never waits for one that has gone.
    """

    def __init__(self, folder):
        self.folder = Path(folder)
        self.strategy = self.folder / "gated.py"
        self.strategy.write_text(STRATEGY.format(folder=str(folder)))
        os.mkfifo(self.folder / "who")
        os.mkfifo(self.folder / "gate")
        self._who, self._gate = (os.open(self.folder / name, os.O_RDWR) for name in ("who", "gate"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self._who)
        os.close(self._gate)

    def arrival(self):
        """Wait until a process arrives at the gate, and return the id of the process."""
        assert select.select([self._who], [], [], PATIENCE)[0], "no process arrived"
        return int(os.read(self._who, 100).split()[0])

    def open(self):
        """Let every process through from now on."""
        (self.folder / "open").write_text("")
        os.write(self._gate, b"." * 100)

    @property
    def choices(self):
        """The feedbacks before each choice of the strategy so far, as one line of text per choice."""
        return (self.folder / "choices").read_text().splitlines()
