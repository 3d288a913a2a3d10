"""Comparisons of strategies that play the same secrets offline.

Begin with `sequential_test`, which decides after how many pairs of games a comparison ends. `paired_games` plays the
pairs, and `exact_difference` computes the difference where every secret can be played.
"""
