"""Optimal play: least totals, proved, and the strategy trees that attain them.

`solve` solves all codes of some rules, `least_total` any live set. Both rest on branch and bound: `search` is the
compiled loop on the arrays of `search_state`, some of which remember solved sets; `node_bounds` bounds a set without
trying a guess; `guess_matrix` holds the guesses worth trying. Above the loop, `solver` answers for one guess matrix,
and `first_guesses` compares the first guesses of a large set.
"""
