"""The codemakers fixed, evil and devil.

Read `codemaker` first. The devil rests on the solver `worst_case`; the optimal solver uses `small_sets` too.
"""
