"""Help for a person at a real board: what is left, what to guess, and which rows contradict each other."""
