"""A console whose reader may leave, or cannot read every character."""

import codecs
from typing import Final

from rich.console import Console

MARK_SYMBOLS: Final = ("●○·", "Xo.")  # black, white and neither, in Unicode and in ASCII
_IN_ASCII: Final = dict(zip(*MARK_SYMBOLS, strict=True)) | dict(zip("▁▂▃▄▅▆▇█─±…", ".:-=+*%#-+.", strict=True))
_IN_ASCII.update({"≤": "<=", "≥": ">="})


def _to_ascii(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)  # noqa: S101 - only streams that are written have it
    return "".join(_IN_ASCII.get(symbol, "?") for symbol in error.object[error.start : error.end]), error.end


PLAINLY: Final = "evilpegs-plainly"  # what a stream does with characters that its encoding lacks
codecs.register_error(PLAINLY, _to_ascii)


class PipedConsole(Console):
    """A console that raises BrokenPipeError, where one of rich ends the program with status 1."""

    def on_broken_pipe(self) -> None:
        raise  # noqa: PLE0704 - the BrokenPipeError in whose handler rich calls this
