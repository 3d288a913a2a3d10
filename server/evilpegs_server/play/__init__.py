"""Matches in the running server: requests come in, durable events and answers go out. Begin with `runner`."""
