"""The match server, described in docs/architecture.md. Start reading at `server`, then `match`.

Each package imports only packages before it in this list: `match` (pure), `work`, `replies`, `record`, `storage`,
`play`, `leaderboard`, `gateway`, `site`, `feed`.
"""
