"""The game itself: rules, codes, feedback, codemakers, solvers, evaluation; no network, clock or hidden randomness.

Begin with `rules`, `codes`, `feedback` and `partition`; then read `live.position`, whose `Position` is all that a
strategy sees of a game.

The packages form layers. Each imports only packages that come before it in this list: `counting` and `symmetry`,
`live`, `codemakers` and `guessing`, `evaluation`, `trees`, `optimal`, `analysis` and `luck`.
"""
