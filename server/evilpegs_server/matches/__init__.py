"""Matches in the running server: players' requests in, durable events and responses out.

Begin with `runner`, which feeds one match, has its events recorded and stored, and only then sends them; a `step` is
what it carries from a request to the answer. `registry` opens, finds and restores matches. `requests` and `responses`
hold the messages of a match, `watchers` passes events on, `counts` is what metrics show, and `deadline_timer` and
`stall_free_clock` keep the time.
"""
