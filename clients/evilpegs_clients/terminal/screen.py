"""The screen of a dialog: printed lines above, and the prompt below them."""

import os
import sys
from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from evilpegs_clients.terminal.prompt import LineReader, Prompt


class Screen:
    def __init__(self, prompt: Prompt) -> None:
        self.prompt = prompt
        self.console = prompt.console

    def say(self, text: str | Text, style: str = "") -> None:
        """Print ``text`` above the prompt, in a style of rich."""
        with self.prompt.above() as console:
            console.print(text, style=style, markup=False, highlight=False)


def open_prompt(console: Console, words: Iterable[str] = ()) -> Prompt:
    """Return a prompt for standard input: at a terminal, an editor in which Tab completes ``words``."""
    if sys.stdin is None:  # Python's sign that it was closed before the start
        return Prompt(console)
    if not sys.stdin.isatty() or not console.is_terminal or console.is_dumb_terminal:
        return Prompt(console, LineReader(sys.stdin.fileno()))
    # Only terminals need the editor, which takes 0.04 s to import.
    from prompt_toolkit.input import create_input  # noqa: PLC0415
    from prompt_toolkit.output.vt100 import Vt100_Output  # noqa: PLC0415

    from evilpegs_clients.terminal.editor import EditedPrompt  # noqa: PLC0415

    display = Vt100_Output.from_pty(sys.stdout, term=os.environ.get("TERM"))
    display.enable_cpr = False  # some terminals do not answer where the cursor is
    return EditedPrompt(console, create_input(sys.stdin), display, words)
