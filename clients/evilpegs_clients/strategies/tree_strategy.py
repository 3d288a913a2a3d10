"""A strategy tree that plays: a `Tree`, or a file with its text (docs/trees.md), which gzip may have compressed."""

import zlib
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import ClassVar, Final

from evilpegs_clients.strategies.strategy import StrategyError
from evilpegs_game.codes import Code, format_code
from evilpegs_game.errors import MalformedError
from evilpegs_game.feedback import format_turns
from evilpegs_game.live.position import Position
from evilpegs_game.trees.tree import MAX_TREE_CHARACTERS, Tree
from evilpegs_protocol.text_files import NotTextError, decode_text

TREE_ENDINGS: Final = (".tree", ".tree.gz")


@dataclass(frozen=True, slots=True)
class TreeStrategy:
    """A strategy that guesses what a tree says, in games of the tree's rules and after the tree's own guesses."""

    tree: Tree
    name: str = "tree"
    version: str | None = None
    """Of a file: eight hexadecimal digits that change with the text."""
    uses_rng: ClassVar[bool] = False

    def choose(self, position: Position, rng: Random) -> Code:  # noqa: ARG002
        """Return the tree's guess.

        Raises:
            StrategyError: the game has other rules or another guess than the tree, or the tree lacks a guess.
        """
        rules, node = self.tree.rules, self.tree.root
        if position.rules != rules:
            raise StrategyError(
                f"{self.name} is a tree of {rules} and cannot play {position.rules}; take rules {rules}"
            )
        for turn, (guess, feedback) in enumerate(position.history, 1):
            if guess != node.guess:
                others = f"guess {turn} of this game is {format_code(guess)}, and {self.name} guesses"
                raise StrategyError(f"{others} {format_code(node.guess)}; a tree plays after its own guesses only")
            if feedback not in node.children:
                missing = f"{self.name} has no guess after {' '.join(format_turns(position.history[:turn]))}"
                raise StrategyError(f"{missing}; evilpegs certify FILE names what a tree lacks")
            node = node.children[feedback]
        return node.guess


def tree_text(data: bytes) -> str:
    """Return the text in the bytes of a tree file, too long for `parse_tree` if there are too many; checks no line.

    Raises:
        MalformedError: the compressed bytes are damaged, or the text is not UTF-8.
    """
    if data.startswith(b"\x1f\x8b"):  # as every gzip file
        unpacker = zlib.decompressobj(wbits=31)
        with suppress(zlib.error):
            # a small file can hold gigabytes
            data = unpacker.decompress(data, MAX_TREE_CHARACTERS + 1)
        if not unpacker.eof and len(data) <= MAX_TREE_CHARACTERS:
            raise MalformedError("the compressed data is damaged; compress the tree again with gzip")
    try:
        return decode_text(data)
    except NotTextError as error:
        raise MalformedError(f"{error}, or write a tree with: evilpegs tree STRATEGY --out FILE") from None
