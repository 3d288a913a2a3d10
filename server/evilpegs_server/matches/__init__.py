"""Matches in the running server: requests of players come in, durable events and responses go out.

Begin with `runner`, which runs one match: it has the events recorded and stored, and only then sends them. A `step`
holds the data of one request on its way to the answer. `requests` defines the messages that a runner receives, and
`responses` builds the texts that it sends. `registry` opens, finds and restores matches. It finds those that are under
way in `open_runners`, and those that are over in `finished_matches`, which reads them from the database;
`replayed_match` rebuilds a match from its record. `audience` passes events on to `watchers`, to the leaderboards and to
the feed. `counts` counts events, refusals, connections and times for the metrics. `stall_free_clock`, `player_clock`
and `deadline_timer` keep the time. `match_ids` creates the ids, and `services` has the objects that all runners share.
"""
