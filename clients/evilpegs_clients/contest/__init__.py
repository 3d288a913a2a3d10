"""Comparisons of two strategies by pairs of games.

Begin with `sequential_test`, which decides after how many pairs of games a comparison ends. `paired_games` plays the
pairs offline, on the same secrets, and `server_pairs` takes them from matches on a server. `exact_difference` computes
the difference where every secret can be played.
"""
