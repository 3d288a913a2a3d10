"""Files with strategy trees, in the format of docs/trees.md."""

import sys
from typing import Final

from evilpegs.errors import CommandError
from evilpegs.files import STANDARD, FileKind, check_name, display_name, open_to_read, write_text
from evilpegs_game.errors import GameError
from evilpegs_game.trees.tree import MAX_TREE_CHARACTERS, TITLE, Tree, format_tree, parse_tree

TREE_HINT: Final = "write a tree with: evilpegs tree STRATEGY --out FILE"


TREE: Final = FileKind("a tree", lambda line: line.startswith(TITLE.encode()))


def read_tree(name: str) -> Tree:
    """Read a tree from a file, or from standard input for ``-``; an error names the first wrong line."""
    data = _read_tree_bytes(name)
    try:
        return parse_tree(data.decode())
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise CommandError(f"{display_name(name)}: line {line} is not text in UTF-8; {TREE_HINT}") from None
    except GameError as error:
        raise CommandError(f"{display_name(name)}: {error}") from None


def write_tree(name: str, tree: Tree) -> None:
    write_text(name, format_tree(tree))


def _read_tree_bytes(name: str) -> bytes:
    check_name(name)
    # Python's sign that it was closed before the start
    if name == STANDARD and sys.stdin is None:
        return b""
    with open_to_read(name, TREE_HINT) as file:
        return file.read(MAX_TREE_CHARACTERS + 1)
