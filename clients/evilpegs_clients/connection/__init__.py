"""A player's connection to a match server, which survives cuts and server restarts.

Begin with `match_client.MatchClient`: it makes the moves of one match. It builds on `session.PlayerSession`, which logs
in (`login`, `tokens`), connects again (`retry`) and reports `session_events`; `connection` sends and receives messages,
and `match_view` derives the state of the match from them. `server_reader.ServerReader` reads what others play, and
plays nothing.
"""
