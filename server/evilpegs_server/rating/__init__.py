"""The rating of stored games: live leaderboards, the luck of games, and rows of games rebuilt from events.

`leaderboards` keeps the leaderboards of a running server up to date; it counts with `stored_results`. `luck` computes
the luck of finished games in the worker. `rebuild` computes the rows of games again from events, and compares them with
the stored rows.
"""
