"""Strategy trees: complete strategies as data, which can be written, read and certified.

Begin with `tree`, which holds `Tree` and its text form (`parse_tree`, `format_tree`; docs/trees.md). `certificate`
proves how many guesses a tree needs, and `from_strategy` builds the tree of any deterministic strategy.
"""
