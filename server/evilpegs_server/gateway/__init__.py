"""Connections of clients: sockets, sessions, login and rate limits.

Begin with `session`, which dispatches each message of a connection. `login` handles `hello`, `rate_limit` counts
messages, `refusals` sends errors, `connection` reads and writes frames, and `gateway` listens and creates a session for
every connection.
"""
