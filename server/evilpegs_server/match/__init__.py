"""The pure core of the server: matches as state machines, without I/O.

Begin with `match`, which plays one match; its methods return the events that `events` defines. `clock` keeps the time
of a game, and `ladders` reads the file that defines the ladders.
"""
