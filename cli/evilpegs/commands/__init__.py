"""The commands, one a file; each imports what it works with when it runs, so that `--help` answers at once."""
