"""The match server.

Begin with `server`, which opens everything in order, and with `match`, the state machine of a match without I/O. From
bottom to top: `match` and `scoring` are pure; `fast_path` has the short cuts on the path of a guess; `work` computes
outside the event loop; `codemaking` finds replies; `record` is the event log and `storage` the database; `matches` runs
matches and `rating` keeps leaderboards; `gateway` holds the connections, `site` answers HTTP, and `feed` publishes to a
broker. Each package imports only packages that are named before it. docs/architecture.md describes the server.
"""
