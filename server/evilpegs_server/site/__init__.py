"""The site: the HTTP API, the page, health and metrics. `app` lists the middleware around the `routes`.

Only `readiness` ever writes to the database: a small probe after a failed commit.
"""
