"""Matches in the running server: requests of players come in, durable events and responses go out.

Begin with `runner`, which runs one match: it has the events recorded and stored, and only then sends them. A `step`
holds everything that belongs to one request on its way to the answer. `requests` defines what a runner receives, and
`responses` builds the texts that it sends. `registry` opens, finds and restores matches, among them `open_runners` and
`finished_matches`; a `replayed_match` was read from the database. `audience` passes events on to `watchers`, to the
leaderboards and to the feed. `counts` has the numbers of the metrics. `stall_free_clock`, `player_clock` and
`deadline_timer` keep the time.
"""
