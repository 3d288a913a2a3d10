"""`evilpegs verify`: the record of a match is checked without the server that played the match."""
