"""The codes that are still possible in a game, computed once and shared between games.

Begin with `position`: a `Position` is what a strategy sees. `live_sets` holds the shared cache of part sizes and of
live sets, the sets of codes still possible. It decides whether a live set is enumerated, counted or listed. `exact_key`
computes one of the two kinds of keys in this cache. `feedback_table` speeds up small rules; `cache` holds the cache
classes.
"""
