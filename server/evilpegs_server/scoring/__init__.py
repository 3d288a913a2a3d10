"""Scores and ranks of recorded matches.

`leaderboard` ranks the players of a ladder from the results of their games, which may be added in any order and in
bulk. `tally` counts the results of one player, `row` turns them into a row of the leaderboard, `confidence` computes
intervals of mean scores, and `ranking` compares these intervals.
"""
