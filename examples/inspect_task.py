"""Measure a language model with inspect-ai: the mean of its scores, raw and luck-adjusted, with standard errors.

    inspect eval examples/inspect_task.py --model PROVIDER/MODEL -T games=20

The model breaks secret codes with the tool guess. Each sample is one game, whose secret follows from the sample's seed,
so every model meets the same secrets. A code that the rules refuse costs nothing; who stops early has not solved it.
"""

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, mean, scorer, stderr
from inspect_ai.solver import generate, solver, use_tools
from inspect_ai.tool import tool
from inspect_ai.util import store

from evilpegs import EvilpegsError, Game
from evilpegs_game.codes import SYMBOLS

PROMPT = """Find a secret code of {pegs} pegs in as few guesses as you can, at most {limit}, with the tool guess.
Each peg has one of the colors {symbols}, and colors may {repeat}.
A feedback such as 1,2 means: one peg is right in color and place, and two further pegs are right in color only.
A guess that cannot be the secret may still teach you more."""


def replayed(stored):
    """Return the game of a sample as far as it was played; a store keeps texts and numbers only."""
    game = Game(stored.get("rules"), "fixed", seed=stored.get("seed"), limit=stored.get("limit"))
    for code in stored.get("guesses", []):
        game.guess(code)
    return game


@solver
def begin():
    async def solve(state, generate):  # noqa: ARG001 - nothing is generated yet
        for name, value in state.metadata.items():
            state.store.set(name, value)
        return state

    return solve


@tool
def guess():
    async def execute(code: str) -> str:
        """Guess the secret code and return the feedback.

        Args:
            code: One symbol per peg, such as 1122.
        """
        game = replayed(store())
        try:
            reply = game.guess(code)
        except EvilpegsError as error:
            return f"refused: {error}"
        store().set("guesses", [*store().get("guesses", []), code])
        return f"{reply}; the game is over" if game.over else f"{reply}; {game.limit - game.position.turn + 1} left"

    return execute


@scorer(metrics={"*": [mean(), stderr()]})
def scores():
    async def score(state, target):  # noqa: ARG001 - the secret stays in the game
        game = replayed(state.store)
        raw = len(game.position.history) if game.solved else game.limit + 1
        return Score(value={"score": raw, "adjusted": raw - game.luck}, explanation=repr(game))

    return score


@task
def codebreaking(games: int = 20, rules: str = "4x6", limit: int = 10):
    begun = Game(rules, "fixed", seed=0, limit=limit)
    if begun.luck is None:
        raise ValueError(f"{rules} has no value curve, which luck needs; take 4x6, 4x10-distinct or 5x8")
    parsed = begun.rules
    symbols, repeat = SYMBOLS[: parsed.colors], "repeat" if parsed.repeats else "not repeat"
    prompt = PROMPT.format(pegs=parsed.pegs, limit=limit, symbols=symbols, repeat=repeat)
    samples = [
        Sample(input=prompt, id=seed, metadata={"rules": rules, "seed": seed, "limit": limit})
        for seed in range(1, games + 1)
    ]
    return Task(dataset=samples, solver=[begin(), use_tools(guess()), generate()], scorer=scores(), message_limit=60)
