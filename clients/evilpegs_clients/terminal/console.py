"""A console whose reader may leave."""

from rich.console import Console


class PipedConsole(Console):
    """A console that raises BrokenPipeError, where one of rich ends the program with status 1."""

    def on_broken_pipe(self) -> None:
        raise  # noqa: PLE0704 - the BrokenPipeError in whose handler rich calls this
