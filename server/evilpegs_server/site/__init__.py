"""The site: the HTTP API, health, and metrics, on a port of its own in the same process.

Begin with `app`, which lists the layers around the routes, then `routes`. Every answer is read from the database, from
the leaderboards that are kept in memory, or from the open matches. Only `readiness` ever writes: a probe after a failed
commit.
"""
