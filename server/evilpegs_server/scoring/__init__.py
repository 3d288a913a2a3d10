"""Scores and ranks of recorded matches.

`leaderboard` ranks the players of a ladder as a pure function of the events of their matches, which may be added one at
a time. `tally` counts the results of one player.
"""
