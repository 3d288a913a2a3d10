"""What follows from the log: a file beside it that may be deleted at any time."""
