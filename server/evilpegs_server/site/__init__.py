"""The site: the HTTP API, the page, health and metrics, on a port of its own in the same process.

Begin with `app`, which lists the middleware around the routes, then read `routes`. The data of a response come from the
database, from the leaderboards that are kept in memory, or from the open matches. Only `readiness` ever writes to the
database: a small probe after a failed commit.
"""
