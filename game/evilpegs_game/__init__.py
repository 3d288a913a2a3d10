"""The game itself: rules, codes, feedback, codemakers, solvers and evaluation, without I/O, clock or hidden randomness.

Begin with `rules`, `codes`, `feedback` and `partition`, then `live.position`, the view of a game that strategies get.
The packages form layers, each using only those before it: `counting` and `symmetry`, `live`, `codemakers` and
`guessing`, `evaluation`, `trees`, `optimal`, `analysis`.
"""
