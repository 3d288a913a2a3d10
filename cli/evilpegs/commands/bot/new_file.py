"""`evilpegs bot --new FILE`: a commented strategy to begin with."""

from importlib.resources import files
from pathlib import Path

from evilpegs.errors import CommandError
from evilpegs.files import failure_reason
from evilpegs_game.errors import quoted


def write_new_strategy(path: Path) -> str:
    """Write an example strategy to a new file, and return a text that says how to try it."""
    if path.suffix != ".py":
        message = f"{quoted(str(path), 80)} is not the name of a Python file; write one that ends in .py"
        raise CommandError(message)
    text = files("evilpegs.commands.bot").joinpath("template.py").read_text(encoding="utf-8").replace("FILE", str(path))
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        message = f"{path} exists already; choose another name"
        raise CommandError(message) from None
    except OSError as error:
        message = f"cannot write {path}: {failure_reason(error)}; choose another name"
        raise CommandError(message) from None
    return f"{path} is written; try it with: evilpegs evaluate {path} --rules 4x6"
