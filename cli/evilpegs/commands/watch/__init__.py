"""`evilpegs watch`: matches of others as they are played, as boards that change in the terminal."""
