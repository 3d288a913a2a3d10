"""A player's connection to a match server, restored after a lost connection or a restart of the server.

Begin with `match_client.MatchClient`, which makes the moves of one match. It builds on `session.PlayerSession`, which
logs in (`login`, `tokens`), connects again (`retry`) and reports `session_events`. `connection` sends and receives
messages, and `match_view` derives the state of the match from the messages. `server_reader.ServerReader` reads the
matches and leaderboards of a server without playing.
"""
