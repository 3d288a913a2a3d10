"""Exact counts of the codes still possible in a game, for sets of codes that are too large to list.

`docs/counting.md` explains the method. Begin with `part_counts`, which counts the part sizes of a guess: it sets up a
`problem`, whose arrays `layout` describes, then uses `extend` and `join`. `first_guess` counts the parts of a first
guess by another method. `solution_tables` keeps the tables of a count to list the codes or draw them at random, and
`first_code` finds the first code in code order.
"""
