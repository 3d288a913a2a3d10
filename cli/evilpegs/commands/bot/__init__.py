"""`evilpegs bot`: a strategy plays matches on a server."""
