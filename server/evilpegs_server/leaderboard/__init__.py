"""Scores, intervals, ranks and luck of recorded matches, kept up to date. Begin with `leaderboard`."""
