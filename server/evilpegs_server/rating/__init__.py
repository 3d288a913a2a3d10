"""Leaderboards and the luck of stored games. Begin with `leaderboards`."""
