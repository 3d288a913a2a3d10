"""Codemakers, which reply to guesses: fixed, evil and devil.

Begin with `codemaker`, which has the three codemakers and their rules. The devil rests on `worst_case`, which computes
how many guesses an optimal codebreaker needs for a live set, with the compiled loops of `small_sets`, the counting
bounds of `size_bounds`, and the memory of `solved_positions`. The optimal solver uses `size_bounds` as well.
"""
