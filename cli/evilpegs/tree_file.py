"""A strategy tree in a file, in the form of docs/trees.md."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from evilpegs.errors import CommandError
from evilpegs.file_names import STANDARD, check_name, reason

if TYPE_CHECKING:
    from evilpegs_game.tree import Tree


def read_tree(name: str) -> "Tree":
    """The tree in a file.

    Raises:
        CommandError: it cannot be read, or a line of it is wrong; the message names the first.
    """
    from evilpegs_game.errors import GameError
    from evilpegs_game.tree import MAX_TREE_CHARACTERS, parse_tree

    data = _read(name, MAX_TREE_CHARACTERS + 1)
    try:
        return parse_tree(data.decode())
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"{shown(name)}: line {line}: this is not text (UTF-8)"
        raise CommandError(message) from None
    except GameError as error:
        message = f"{shown(name)}: {error}"
        raise CommandError(message) from None


def write_tree(name: str, tree: "Tree") -> None:
    """Write a tree to a file; raises CommandError where that cannot be done."""
    from evilpegs_game.tree import format_tree

    check_name(name)
    text = format_tree(tree)
    if name == STANDARD:
        sys.stdout.write(text)
        return
    try:
        Path(name).write_text(text, encoding="utf-8", newline="\n")
    except (OSError, ValueError) as error:
        message = f"cannot write {shown(name)}: {reason(error)}; choose another file"
        raise CommandError(message) from None


def shown(name: str) -> str:
    """What a file is called in messages."""
    return "standard input" if name == STANDARD else name[:200]


def _read(name: str, most: int) -> bytes:
    """What is in the file, at most so many bytes of it."""
    check_name(name)
    try:
        if name == STANDARD:
            return b"" if sys.stdin is None else sys.stdin.buffer.read(most)
        with Path(name).open("rb") as file:
            return file.read(most)
    except (OSError, ValueError) as error:
        message = f"cannot read {shown(name)}: {reason(error)}; write a tree with: evilpegs tree STRATEGY --out FILE"
        raise CommandError(message) from None
