"""`evilpegs docs`: the pages and examples of this version, which every installation carries."""

import os
import sys
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from textwrap import shorten
from typing import Annotated, Final

from cyclopts import Parameter
from rich.markdown import Markdown

from evilpegs.errors import CommandError
from evilpegs.files import failure_reason
from evilpegs.main import app
from evilpegs.man_pages import man_pages
from evilpegs.options import FILE
from evilpegs.output import Column, console, print_table
from evilpegs_game.errors import quoted

_PACKAGE: Final = Path(str(files("evilpegs_page")))
# a wheel has the texts in the package (pyproject.toml); an editable installation reads them where they are written
FOLDER: Final = _PACKAGE / "texts" if (_PACKAGE / "texts").is_dir() else _PACKAGE.parents[1]


def docs(
    name: Annotated[str | None, Parameter(help="A page or an example, such as strategies or minimal_bot.py.")] = None,
    /,
    *,
    folder: Annotated[bool, Parameter(help="Print only the folder of all texts.")] = False,
    man: Annotated[Path | None, FILE, Parameter(help="Write the manual pages of all commands to this folder.")] = None,
) -> None:
    """Read the documents and examples of this version.

    Without a name, all are listed. An example is printed as it is: evilpegs docs minimal_bot.py > bot.py

    With --man, the help of every command is written as a manual page, such as evilpegs-bot.1. man finds the pages in
    the folder share/man/man1 beside the bin of the command, and in ~/.local/share/man/man1 if ~/.local/bin is in PATH.
    """
    texts, name = _texts(), name and name.lower().removeprefix("docs/").removesuffix(".md")
    if man is not None:
        _write_man_pages(man)
    elif folder:
        console().print(str(FOLDER), soft_wrap=True, highlight=False)
    elif name is None:
        print_table(console(), list(texts.items()), COLUMNS)
    elif name not in texts:
        near = "".join(f"; the nearest is {each}" for each in get_close_matches(name, texts, n=1))
        raise CommandError(f"no text is called {quoted(name)}{near}; see: evilpegs docs")
    elif texts[name].suffix == ".md" and sys.stdout.isatty():
        os.environ.setdefault("LESS", "-FRX")  # a pager that shows colors and ends with a short text
        with console().pager(styles=True):
            console().print(Markdown(texts[name].read_text(encoding="utf-8")))
    else:
        sys.stdout.write(texts[name].read_text(encoding="utf-8"))


def _write_man_pages(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in man_pages(app):
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise CommandError(f"cannot write to {folder}: {failure_reason(error)}; name another folder") from None


def _texts() -> dict[str, Path]:
    pages = {path.stem.lower(): path for folder in (FOLDER, FOLDER / "docs") for path in sorted(folder.glob("*.md"))}
    examples = {path.name: path for path in sorted((FOLDER / "examples").glob("*_*.*"))}
    return pages | {"protocol": FOLDER / "protocol" / "README.md"} | examples


def _title(path: Path) -> str:
    lines = path.read_text(encoding="utf-8").splitlines()
    line = next(line for line in lines if line.startswith(("#", '"""', "//", "/*")) and not line.startswith("#!"))
    return line.strip('#"/* ').partition(":")[0].replace("`", "")


COLUMNS: Final[tuple[Column[tuple[str, Path]], ...]] = (
    Column("name", lambda text: text[0]),
    Column("about", lambda text: _title(text[1]), narrow={1: lambda text: shorten(_title(text[1]), 60), 2: None}),
)
