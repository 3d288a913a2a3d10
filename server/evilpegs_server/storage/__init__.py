"""The database, which is the log of what happened: everything that outlives the server process.

`log` has its tables, what writes them and what reads them; `engines` what only SQLite or only PostgreSQL has, of which
`database` chooses one by the URL; `derived` the file of results, which follows from the log; `copies` its backups.

| table | columns |
|---|---|
| `log` | id, deleted |
| `players` | id, name, skeleton, kind, token_hash, created_at |
| `matches` | number, id, player, ladder, seed, started_at, over, client |
| `events` | id, match, seq, at, type, json, hash |
| `begun` | match, game, at, client_nonce |
| `luck` | match, game, luck, curve |
| `acts` | id, at, act, player, reason |
| `hidden` | player |
| `ladders` | id, json |
| `rounds` | id, base, games, sealed, opens, closes, published |
| `entrants` | round, player, excluded |

The record of a match is its rows in `events`. The one row of `log` has a random id of the log, which a copy keeps,
and the highest id of an event that was ever deleted, because ids are not given twice.
`begun` has the games for which the player was ready, and `luck` what was measured before luck was kept in the derived
file, which takes it over when it is built. `acts` has what the operator did to players and to registration, with the
former name as the reason of a rename; `hidden` the players who are on no list. `ladders` has the ladders of the
operator, each as its `LadderInfo`, because the settings may lose one whose matches remain. `rounds.base` is the ladder
whose terms a round has, and `entrants.excluded` why an entrant is left out. Types, keys and indexes are in `log.tables`
and with each engine.

The server's nonces follow from `matches.seed`, which is never disclosed. `begun.client_nonce` is stored as soon as the
player is ready, because the secret of a fixed codemaker depends on it before any event shows it. `events` and `begun`
refer to a match by `matches.number`, which numbers matches in the order in which they were stored and takes fewer bytes
than the public id, so every guess writes less. `events.id` numbers events in the order in which they were stored;
readers that follow the event log keep the last id that they have read, and a copy of the database keeps the ids. Times
are in Unix milliseconds. Lists of matches are ordered by start, and every filter of `browse` is a prefix of an index.
"""
