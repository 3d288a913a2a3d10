"""The text of docs/results.md around the tables."""

import tomllib
from collections.abc import Iterator, Sequence

from evilpegs_server.match.ladders import Ladder
from evilpegs_server.site.bounds import RESULTS_FILE, load_known_results
from ladder_results.cells import Outcomes
from ladder_results.tables import adversary_table, bounds_lines, fixed_table, known_table, refusals

HEAD = """# Results of the built-in strategies

This page shows how many guesses every built-in strategy needs on every built-in ladder, and beside them the best
results that are known. A *strategy* is a program that guesses; `evilpegs bot NAME` plays with it, and
[strategies.md](strategies.md) shows how to write another. A *ladder* is a game that a server offers: rules such as
4x6, which are 4 pegs of 6 colors, and a codemaker. Fewer guesses are better.

{provenance}

* **Exact** means that every secret was played or that the number was computed from all random choices, without any
  sampling error. `evilpegs evaluate STRATEGY --rules RULES` repeats it ([evaluation.md](evaluation.md)).
* **An interval** contains the true mean in 95 % of cases (Student's t, for a number of games fixed before).
  All strategies play the same secrets.
* **Luck-adjusted** means that the score of a game is its number of guesses plus the luck of its secret. The long-run
  mean is the same and the interval is much narrower ([scoring.md](scoring.md)). Ladders without a value curve have raw
  means.
* **Worst case** is the largest number of guesses for any secret if the result is exact, else the largest in the games.
* A game that is not solved within the guess limit of the ladder counts as the limit + 1.
* Nobody's clock ran. A bot with little time left may play worse, so `-blitz` and `-practice` ladders with the same
  rules have no tables of their own.
"""

FIXED = """## Fixed secrets

The codemaker draws one secret at random and answers truthfully.
"""

ADVERSARIES = """## Evil and the devil

These codemakers have no secret. **Evil** always gives the reply that leaves the most secrets possible. The **devil**
gives the reply after which even an optimal player needs the most guesses; it solves the whole game, which is feasible
on classic only. On practice ladders the first of equal replies is given, so a strategy without random choices plays
the same game every time, and its number is exact. On rated ladders a random seed decides between equal replies; the
table shows the mean of some games and its 95 % interval, or the number of guesses if it was the same in every game.
"""

KNOWN = """## Best known results

A *total* is the number of guesses for all secrets together, so a mean is the total divided by the number of secrets.
**Proved** means that no strategy can need fewer. `evilpegs solve` searches all strategies and writes the best as a
tree, and `evilpegs certify` checks any tree ([trees.md](trees.md#published-trees) has the published ones). The proof
of 4x7 takes less than ten seconds of processor time. The best worst case is the number of guesses that beat the devil
if it solves the whole game. The **date** is that of the publication, or of the proof if `evilpegs` made it. The list
is [known_results.toml](../server/evilpegs_server/site/known_results.toml), from which servers take the bounds that
they show beside a ladder; `make known` compares it with what the program can prove.

Without a proof, "best known" means the best that we know of. On 5x8 the least total is also the subject of a public
competition, question 31926 of Code Golf Stack Exchange, whose entries were not at hand.
"""


def write_page(ladders: Sequence[Ladder], outcomes: Outcomes, provenance: str) -> str:
    """Return the page; ``provenance`` says which command made it."""
    blocks = [
        HEAD.format(provenance=provenance),
        FIXED,
        *fixed_sections(ladders, outcomes),
        ADVERSARIES,
        *adversary_sections(ladders, outcomes),
        KNOWN,
        known_table(tomllib.loads(RESULTS_FILE.read_text())["results"]),
    ]
    return "\n\n".join(block.strip() for block in blocks) + "\n"


def fixed_sections(ladders: Sequence[Ladder], outcomes: Outcomes) -> Iterator[str]:
    """Yield the blocks of each fixed ladder that was measured."""
    known = load_known_results()
    for ladder in measured(ladders, outcomes, "fixed"):
        yield f"### {ladder.id}: {ladder.rules}, {ladder.rules.size:,} codes, at most {ladder.guess_limit} guesses"
        yield fixed_table(ladder, outcomes)
        yield "\n".join([*bounds_lines(ladder, known), *refusals([ladder], outcomes)])


def adversary_sections(ladders: Sequence[Ladder], outcomes: Outcomes) -> Iterator[str]:
    """Yield the blocks of each pair of a rated ladder and its practice ladder."""
    for codemaker in ("evil", "devil"):
        for rated in measured(ladders, outcomes, codemaker):
            if not rated.rated:
                continue
            practice = next(each for each in ladders if each.id == f"{rated.id}-practice")
            yield f"### {rated.id}: {rated.rules}"
            yield adversary_table(practice, rated, outcomes)
            reasons = refusals([practice, rated], outcomes)
            if reasons:
                yield "\n".join(reasons)


def measured(ladders: Sequence[Ladder], outcomes: Outcomes, codemaker: str) -> list[Ladder]:
    ids = {ladder for ladder, _ in outcomes}
    return [ladder for ladder in ladders if ladder.id in ids and ladder.codemaker == codemaker]
