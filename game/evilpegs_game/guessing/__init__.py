"""guessing."""
