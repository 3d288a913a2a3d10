"""`evilpegs certify`: what a strategy tree needs, proved from its file alone."""

from typing import Annotated, Any, Final

from cyclopts import Parameter

from evilpegs.errors import CommandError
from evilpegs.files import read_tree, shown
from evilpegs.options import Json
from evilpegs.output import console, pluralize, print_json
from evilpegs.tables import plain_table
from evilpegs_clients.terminal.pegs import peg_text
from evilpegs_game.codes import format_code
from evilpegs_game.errors import GameError
from evilpegs_game.trees.certificate import Certificate
from evilpegs_game.trees.certificate import certify as certified
from evilpegs_game.trees.tree import Tree

BAR: Final = 40


def certify(
    tree: Annotated[
        str,
        Parameter(
            name="TREE",
            allow_leading_hyphen=True,
            help="A strategy tree, as `evilpegs tree` and `evilpegs solve` write it; - for standard input.",
        ),
    ],
    /,
    *,
    as_json: Json = False,
) -> None:
    """Check a strategy tree and prove what it needs.

    Every code of the rules is followed through the tree to its all-black feedback. So the worst case holds against
    any codemaker, also one that never commits to a secret, and total and mean are exact. Of a tree that is malformed,
    incomplete or has lines no code leads to, the first line that is wrong is named, and why.
    """
    read = read_tree(tree)
    try:
        proved = certified(read)
    except GameError as error:
        message = f"{shown(tree)}: {error}"
        raise CommandError(message) from None
    if as_json:
        print_json(_document(read, proved))
    else:
        _show(read, proved)


def _document(tree: Tree, proved: Certificate) -> dict[str, Any]:
    return {
        "rules": str(proved.rules),
        "first": format_code(tree.root.guess),
        "codes": proved.count,
        "total": proved.total,
        "mean": proved.mean,
        "exact_mean": _fraction(proved),
        "max": proved.max,
        "distribution": list(proved.distribution),
        "proved": _sentence(proved),
    }


def _show(tree: Tree, proved: Certificate) -> None:
    out = console()
    out.print(f"a tree of {proved.rules}, first guess", peg_text(format_code(tree.root.guess)))
    out.print(
        f"{proved.count:,} codes, {proved.total:,} guesses, mean {_fraction(proved)} = {proved.mean:.6f}, "
        f"at most {proved.max}"
    )
    table = plain_table()
    table.add_column("guesses", justify="right")
    table.add_column("codes", justify="right")
    table.add_column("")
    most = max(proved.distribution)
    for guesses, codes in enumerate(proved.distribution, 1):
        table.add_row(str(guesses), f"{codes:,}", "█" * round(BAR * codes / most))
    out.print(table)
    out.print(f"\nproved: {_sentence(proved)}", style="bold")


def _fraction(proved: Certificate) -> str:
    """The mean as total / codes, as it is usually published; not reduced."""
    return f"{proved.total}/{proved.count}"


def _sentence(proved: Certificate) -> str:
    return f"at most {pluralize(proved.max, 'guess', 'guesses')} against any codemaker on {proved.rules}"
