"""Matches in the running server: requests of players come in, durable events and responses go out.

Begin with `runner`, which feeds one match, has its events recorded and stored, and only then sends them. A `step` holds
everything that belongs to one request on its way to the answer. `registry` opens, finds and restores matches; a
`replayed_match` was read from the database. `requests` and `responses` hold the messages of a match, `audience` passes
events on, `counts` has the numbers of the metrics, and `deadline_timer` and `stall_free_clock` keep the time.
"""
