"""`evilpegs bot --new FILE`: a commented strategy to begin with."""

from importlib.resources import files
from pathlib import Path

from evilpegs.errors import CommandError
from evilpegs.files import failure_reason
from evilpegs_game.errors import quoted


def write_new_strategy(path: Path) -> str:
    """Write an example strategy to a new file, and return a text that says how to try it."""
    if path.suffix != ".py":
        raise CommandError(f"{quoted(str(path), 80)} is not the name of a Python file; write one that ends in .py")
    text = files("evilpegs.commands.bot").joinpath("template.py").read_text(encoding="utf-8").replace("FILE", str(path))
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise CommandError(f"{path} exists already; choose another name") from None
    except OSError as error:
        raise CommandError(f"cannot write {path}: {failure_reason(error)}; choose another name") from None
    return f"{path} is written; try it with: evilpegs evaluate {path} --rules 4x6"
