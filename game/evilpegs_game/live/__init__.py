"""The codes that are still possible in a game, computed once and shared between games.

Begin with `position`: a `Position` is what a strategy sees. `live_sets` holds the shared cache of live sets and part
sizes and decides whether they are enumerated, counted or listed; `exact_key` computes one of its two kinds of keys.
`feedback_table` speeds up small rules; `cache` holds the cache classes.
"""
