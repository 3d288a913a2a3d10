"""`evilpegs duel`: a strategy plays one game against a codemaker, without a server."""
