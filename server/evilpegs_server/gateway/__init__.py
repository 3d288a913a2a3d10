"""Connections of clients: sockets, sessions, login and rate limits. Begin with `session`."""
