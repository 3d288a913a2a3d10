"""Optimal play: the least sum of guesses over all codes of a set, proved, and the strategy trees that attain it.

Begin with `solve`, which solves all codes of some rules, and `least_total`, which solves any live set. Both rest on
branch and bound: `search` is the compiled loop on the arrays of `search_state`, `node_bounds` bounds a set without
trying a guess, `guess_matrix` holds the feedback of the guesses worth trying, and `totals_table` remembers solved sets.
Above the loop, `solver` answers for one guess matrix, `first_guesses` compares the first guesses of a large set,
`tree_builder` builds the strategy tree, and `proof_log` keeps what is proved. `within_budget` answers as far as a
budget of work allows, and `against_evil` finds the shortest game that beats the evil codemaker.
"""
