"""The number of guesses that a strategy needs, against every secret or on average.

Begin with `exact`: `evaluate` plays a strategy against every secret, `duel` against one codemaker. `distribution` holds
the result type. `heuristic` does the same for a criterion with compiled code, `simulation` plays random games, and
`expectation` computes the exact mean of guessing candidates at random. docs/evaluation.md describes long runs.
"""
