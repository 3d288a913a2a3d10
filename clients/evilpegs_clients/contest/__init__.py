"""Comparisons of two strategies by pairs of games.

Begin with `sequential_test`, which decides after how many pairs of games a comparison ends. `paired_games` plays pairs
offline, both games of a pair against the same secret. `server_pairs` forms pairs from the games of matches on a server.
`exact_difference` computes the difference of the mean scores where every secret can be played.
"""
