"""Games that make counting expensive: known ones, families of hard guesses, and a bound for all games."""

from hypothesis import strategies as st

from evilpegs_game.codes import parse_code
from evilpegs_game.rules import Rules
from support.evil_games import evil_game, guess_of, transpositions

WORST_WORK = {"8x10": 300_000, "10x12": 7_000_000, "12x14": 200_000_000}
"""The most rows that one count may take after any guesses, by rules.

This is about three times the worst count that a search found.
"""

KNOWN = {
    "8x10": [
        ["73807374", "34116429", "50088118", "56058786", "45013012", "08232950"],
        ["24400255", "71743216", "38906619", "59338948"],
        ["22489460", "46595603", "84013055", "31294352", "72567428"],
    ],
    "10x12": [
        ["6776B3344B", "B1A39A4BB0", "7952116B65", "5435046275", "92888B9425", "420835B03A"],
        ["AA6416B428", "962720701B", "5657057B87", "554AB975A4", "831291B942", "63B3611919", "3841851315"],
        ["9B31477220", "78493A8006", "4B61570B69", "8742BB169A", "536B658857", "9789693328"],
    ],
}
"""The guesses of games that a search found, by rules; the last turns are the expensive ones."""


@st.composite
def nasty_games(draw, rules, most_turns=8):
    """Draw the guesses of a game that may be expensive to count.

    They are drawn peg by peg, so that a search can change each peg, or from a family of hard guesses.
    """
    rng = draw(st.randoms(use_true_random=False))
    if rules.repeats:
        free = st.lists(st.integers(0, rules.colors - 1), min_size=rules.pegs, max_size=rules.pegs)
    else:
        free = st.permutations(range(rules.colors)).map(lambda colors: colors[: rules.pegs])
    family = draw(st.sampled_from(["free", "paired", "distinct", "few colors", "transpositions"]))
    turns = draw(st.integers(3, most_turns))
    if family == "free":
        return [tuple(draw(free)) for _ in range(turns)]
    if family == "transpositions":
        return transpositions(draw(free), rng)[:turns]
    if family == "few colors" and rules.repeats:
        colors = draw(st.integers(2, 5))
        return [tuple(rng.choices(rng.sample(range(rules.colors), colors), k=rules.pegs)) for _ in range(turns)]
    return [guess_of("paired" if family == "paired" else "distinct", rules, rng) for _ in range(turns)]


def works(rules, guesses, **options):
    """Return the work of counting each turn of the evil game with these guesses."""
    return [counted.work for _, _, counted, _ in evil_game(rules, guesses, least=1000, **options)]


def known_games(name):
    """Return the guesses of each game of `KNOWN` on the rules ``name``."""
    rules = Rules.parse(name)
    return [[parse_code(code, rules) for code in game] for game in KNOWN.get(name, [])]
