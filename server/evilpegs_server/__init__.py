"""The match server, described in docs/architecture.md. Start reading at `server`, then `match`.

Each package imports only packages before it in this list: `match` and `scoring` (both pure), `fast_path`, `work`,
`codemaking`, `record`, `storage`, `matches`, `rating`, `gateway`, `site`, `feed`.
"""
