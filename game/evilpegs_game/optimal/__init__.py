"""The least total of guesses over a set of codes, by branch and bound: what `evilpegs_game.optimal.solve` stands on.

`total` answers for any set, `openings` for all codes of the rules; below them `search` and its `look` at a set work on
a `board`, with what is already known in `solved_totals`.
"""
