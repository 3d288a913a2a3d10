"""Exact counts of codes for sets that are too large to list; `docs/counting.md` explains the method.

Read `part_counts` first: it sets up a `problem`, whose arrays `layout` describes, then uses `extend`.
`first_guess` counts the parts of a first guess by another method. `solution_tables` keeps the tables of a count to
list the codes or draw them at random, and `first_code` finds the first code in code order.
"""
