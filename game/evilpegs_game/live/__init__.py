"""Live sets and part sizes, computed once and shared between games.

Read `position` first: a `Position` is what a strategy sees. `live_sets` decides whether a live set is enumerated,
counted or listed.
"""
