"""Files with strategy trees, in the format of docs/trees.md."""

import sys
from typing import Final

from evilpegs.errors import CommandError
from evilpegs.files import STANDARD, FileKind, check_name, display_name, open_to_read, write_text
from evilpegs_game.errors import GameError
from evilpegs_game.trees.tree import MAX_TREE_CHARACTERS, TITLE, Tree, format_tree, parse_tree

TREE_HINT: Final = "write a tree with: evilpegs tree STRATEGY --out FILE"


def _begins_tree(line: bytes) -> bool:
    return line.startswith(TITLE.encode())


TREE: Final = FileKind("a tree", _begins_tree)


def read_tree(name: str) -> Tree:
    """Read a strategy tree, in the format of docs/trees.md, from the file ``name``, or from standard input for ``-``.

    Raises:
        CommandError: the file cannot be read, or a line is wrong; the message names the first wrong line.
    """
    data = _read_tree_bytes(name)
    try:
        return parse_tree(data.decode())
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"{display_name(name)}: line {line} is not text in UTF-8; {TREE_HINT}"
        raise CommandError(message) from None
    except GameError as error:
        message = f"{display_name(name)}: {error}"
        raise CommandError(message) from None


def write_tree(name: str, tree: Tree) -> None:
    """Write a strategy tree to the file ``name``, or to standard output for ``-``; raise CommandError on failure."""
    write_text(name, format_tree(tree))


def _read_tree_bytes(name: str) -> bytes:
    """Return the first `MAX_TREE_CHARACTERS` + 1 bytes of the file ``name``, or of standard input for ``-``.

    A shorter file is returned whole. The result is empty if standard input was closed before the start.

    Raises:
        CommandError: the name is empty or looks like an option, or the file cannot be read.
    """
    check_name(name)
    if name == STANDARD and sys.stdin is None:
        return b""
    with open_to_read(name, TREE_HINT) as file:
        return file.read(MAX_TREE_CHARACTERS + 1)
