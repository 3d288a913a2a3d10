"""The log of what happened: its tables, what is written to them, and what is read from them."""
