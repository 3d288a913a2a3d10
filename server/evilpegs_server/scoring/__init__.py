"""Scores, intervals and ranks of recorded matches. Begin with `leaderboard`."""
