"""`evilpegs certify`: bounds of the guesses needed, from above or below, proved from the file of a tree alone."""

from typing import Annotated

from cyclopts import Parameter

from evilpegs.errors import CommandError
from evilpegs.files import display_name, read_tree
from evilpegs.options import Json
from evilpegs.output import console, pluralize, print_histogram, print_json
from evilpegs_clients.terminal.pegs import peg_text
from evilpegs_game.codes import format_code
from evilpegs_game.errors import GameError
from evilpegs_game.trees.adversary import AdversaryTree
from evilpegs_game.trees.certificate import Certificate
from evilpegs_game.trees.certificate import certify as certify_tree
from evilpegs_game.trees.lower_bound import LowerBound, certify_adversary
from evilpegs_game.trees.tree import Tree


def certify(
    tree: Annotated[str, Parameter(name="TREE", allow_leading_hyphen=True)], /, *, as_json: Json = False
) -> None:
    """Check a tree and prove how many guesses are enough, or are not.

    Every code of the rules is followed through the tree to its all-black feedback. So the worst case holds against any
    codemaker, even one that never commits to a secret, and total and mean are exact. An adversary's tree has replies,
    and every guess is tried against them. If the tree is malformed, incomplete or has lines that no code reaches, the
    error names the first wrong line.

    Args:
        tree: A tree, as `evilpegs tree` and `evilpegs solve` write it; - for standard input.
    """
    parsed = read_tree(tree)
    try:
        if isinstance(parsed, AdversaryTree):
            _show_lower_bound(certify_adversary(parsed), as_json)
            return
        certificate = certify_tree(parsed)
    except GameError as error:
        raise CommandError(f"{display_name(tree)}: {error}") from None
    if as_json:
        head = {"rules": str(certificate.rules), "first": format_code(parsed.root.guess)}
        proved = {"exact_mean": _fraction(certificate), "proved": _sentence(certificate)}
        print_json(head | certificate.to_json() | proved)
    else:
        _show(parsed, certificate)


def _show_lower_bound(bound: LowerBound, as_json: bool) -> None:
    needed = pluralize(bound.at_least, "guess", "guesses")
    sentence = f"at least {needed} against a codemaker that never commits to a secret on {bound.rules}"
    if as_json:
        print_json({"rules": str(bound.rules), "at_least": bound.at_least, "proved": sentence})
    else:
        console().print(f"proved: {sentence}", style="bold")


def _show(tree: Tree, certificate: Certificate) -> None:
    out = console()
    out.print(f"a tree of {certificate.rules}, first guess", peg_text(format_code(tree.root.guess)))
    out.print(
        f"{certificate.count:,} codes, {certificate.total:,} guesses, "
        f"mean {_fraction(certificate)} = {certificate.mean:.6f}, at most {certificate.max}"
    )
    print_histogram(out, certificate.distribution, "codes")
    out.print(f"\nproved: {_sentence(certificate)}", style="bold")


def _fraction(certificate: Certificate) -> str:
    # not reduced, as in publications
    return f"{certificate.total}/{certificate.count}"


def _sentence(certificate: Certificate) -> str:
    return f"at most {pluralize(certificate.max, 'guess', 'guesses')} against any codemaker on {certificate.rules}"
