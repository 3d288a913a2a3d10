"""What outlives the process: tables, the one writer, and what is read back."""
