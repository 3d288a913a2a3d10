"""The number of guesses that a strategy needs, against every secret or on average.

Begin with `exact`: `evaluate` plays a strategy against every secret, `duel` against one codemaker. `distribution` holds
the result type. `heuristic` does the same as `evaluate` with compiled code, for strategies that play the best guess
under a criterion. `simulation` plays random games, and `paired` compares two strategies on the same games.
`expectation` computes the exact mean of guessing candidates at random. docs/evaluation.md describes long runs.
"""
