"""The guesses that a strategy needs, against every secret or on average.

`exact` plays a strategy against every secret or one codemaker; `heuristic` does the former with compiled code, for
strategies with a criterion. `simulation` plays random games.
`expectation` computes the exact mean of guessing candidates at random. docs/evaluation.md describes long runs.
"""
