"""`evilpegs compare`: a sequential test of two strategies on the secrets of a ladder."""
