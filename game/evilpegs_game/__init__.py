"""The game itself: rules, codes, feedback, codemakers, solvers, evaluation; no network, clock or hidden randomness.

Read `rules`, `codes`, `feedback` and `partition` first, then `live.position`, whose `Position` is all that a strategy
sees of a game.

The packages are layers. Each imports only those before it: `counting` and `symmetry`, `live`, `codemakers` and
`guessing`, `evaluation`, `trees`, `optimal`, `analysis` and `luck`.
"""
