"""`evilpegs evaluate`: the guesses that strategies need, over every secret or in simulated games."""
