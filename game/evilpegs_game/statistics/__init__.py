"""Statistics of games: which test fits depends on when one looks.

`means` is for numbers of games fixed before, and `rounds` for many entrants who play them; `sequential_test` decides
between two hypotheses while pairs are played, and the intervals of `confidence_sequences` hold however often one looks.
"""
