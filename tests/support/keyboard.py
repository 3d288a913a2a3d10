"""A person at a real terminal: the keys that they press, and the lines that they see."""

import fcntl
import os
import re
import struct
import termios

from prompt_toolkit.input.vt100 import Vt100Input
from prompt_toolkit.output.vt100 import Vt100_Output
from rich.console import Console

from evilpegs_clients.terminal.prompt import EditedPrompt
from support.waiting import until

PIECES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\r|\n|\x08|.")
WIDTH, HEIGHT = 80, 24


class SeenLines:
    """The lines that a person sees on a terminal, computed from the text and the control sequences written to it."""

    def __init__(self):
        self.lines = [""]
        self._row = self._column = 0

    def write(self, text):
        for piece in PIECES.findall(text):
            self._write(piece)

    def _write(self, piece):
        number = int(piece[2:-1]) if piece[2:-1].isdigit() else 1
        match piece[-1] if piece[0] == "\x1b" or not piece.isprintable() else "":
            case "\r":
                self._column = 0
            case "\n":
                self._move(1, 0)
            case "\x08" | "D":
                self._move(0, -number)
            case "A":
                self._move(-number, 0)
            case "B":
                self._move(number, 0)
            case "C":
                self._move(0, number)
            case "J" | "K" as area:
                self.lines[self._row] = self.lines[self._row][: self._column]
                del self.lines[self._row + 1 if area == "J" else len(self.lines) :]
            case "":
                line = self.lines[self._row].ljust(self._column)
                self.lines[self._row] = line[: self._column] + piece + line[self._column + 1 :]
                self._column += 1

    def _move(self, rows, columns):
        self._row, self._column = max(0, self._row + rows), max(0, self._column + columns)
        self.lines += [""] * (self._row + 1 - len(self.lines))


class Keyboard:
    """A terminal with a person: the keys that they press, and the lines that they see.

    ``program`` is the file descriptor of the terminal for the program.
    """

    def __init__(self):
        self._person, self.program = os.openpty()
        fcntl.ioctl(self.program, termios.TIOCSWINSZ, struct.pack("HHHH", HEIGHT, WIDTH, 0, 0))
        os.set_blocking(self._person, False)
        self.written = ""
        self._seen = SeenLines()
        self._files = []

    def open_prompt(self, words=()):
        """Return a prompt with an editor on this terminal, which runs in this process."""
        keys, output = os.fdopen(os.dup(self.program)), os.fdopen(os.dup(self.program), "w")
        self._files = [keys, output]
        console = Console(file=output, force_terminal=True, color_system=None, width=WIDTH)
        display = Vt100_Output.from_pty(output, term="xterm")
        display.enable_cpr = False
        return EditedPrompt(console, Vt100Input(keys), display, words)

    def type(self, text):
        os.write(self._person, text.encode())

    @property
    def lines(self):
        """The lines that the person sees now, without trailing spaces."""
        try:
            while written := os.read(self._person, 1 << 16):
                self.written += written.decode()
                self._seen.write(written.decode())
        except OSError:  # nothing was written, or the program end is closed
            pass
        return [line.rstrip() for line in self._seen.lines]

    async def shows(self, text):
        """Wait until the last line that is not empty ends with ``text``."""
        await until(lambda: "\n".join(self.lines).rstrip().endswith(text))

    def close(self):
        for file in self._files:
            file.close()
        os.close(self._person)
        os.close(self.program)
