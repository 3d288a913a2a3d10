"""The pure core of the server: matches as state machines, without I/O. Begin with `match`."""
