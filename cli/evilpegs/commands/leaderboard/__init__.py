"""`evilpegs leaderboard`: who is better and by how much, from a database or from a running server."""
