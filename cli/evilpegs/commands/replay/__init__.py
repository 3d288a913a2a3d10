"""`evilpegs replay`: a match of a database or of a running server, turn by turn."""
