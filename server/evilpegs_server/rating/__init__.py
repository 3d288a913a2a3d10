"""The rating of stored games: live leaderboards, the luck of games, and rows of games rebuilt from events.

`leaderboards` keeps the leaderboards of a running server up to date; it counts with `stored_results`. `luck` measures
the luck of finished games in the worker process, with the curves of `value_curves`. `rebuild` computes the rows of the
table `games` again from the events, and compares them with the stored rows.
"""
