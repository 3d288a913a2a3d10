"""Codemakers, which reply to guesses: fixed, evil and devil.

Begin with `codemaker`, which has the three codemakers and their rules. The devil rests on `worst_case`, which computes
how many guesses an optimal codebreaker needs for a live set, the set of codes still possible. `small_sets` has its
compiled loops, `size_bounds` its counting bounds, and `solved_positions` the cache of its results. The optimal solver
uses `size_bounds` as well.
"""
