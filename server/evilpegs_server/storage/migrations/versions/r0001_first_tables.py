"""The first tables: players, matches, events, games."""

from alembic import op

revision = "0001"
down_revision = None

_PLAYERS = """
    CREATE TABLE players (
        id INTEGER NOT NULL, name VARCHAR(20) NOT NULL, skeleton VARCHAR(20) NOT NULL, kind VARCHAR(8) NOT NULL,
        token_hash VARCHAR(64) NOT NULL, created_at BIGINT NOT NULL,
        CONSTRAINT pk_players PRIMARY KEY (id), CONSTRAINT uq_players_name UNIQUE (name),
        CONSTRAINT uq_players_skeleton UNIQUE (skeleton), CONSTRAINT uq_players_token_hash UNIQUE (token_hash))
"""
_MATCHES = """
    CREATE TABLE matches (
        number INTEGER NOT NULL, id VARCHAR(16) NOT NULL, player INTEGER NOT NULL, ladder VARCHAR(40) NOT NULL,
        seed BLOB NOT NULL, started_at BIGINT NOT NULL, over BOOLEAN NOT NULL,
        CONSTRAINT pk_matches PRIMARY KEY (number), CONSTRAINT uq_matches_id UNIQUE (id),
        CONSTRAINT fk_matches_player FOREIGN KEY(player) REFERENCES players (id))
"""
_EVENTS = """
    CREATE TABLE events (
        match INTEGER NOT NULL, seq INTEGER NOT NULL, at BIGINT NOT NULL, type VARCHAR(20) NOT NULL,
        json TEXT NOT NULL, hash VARCHAR(64) NOT NULL, CONSTRAINT pk_events PRIMARY KEY (match, seq),
        CONSTRAINT fk_events_match FOREIGN KEY(match) REFERENCES matches (number))
"""
_GAMES = """
    CREATE TABLE games (
        match INTEGER NOT NULL, game INTEGER NOT NULL, client_nonce VARCHAR(64), outcome VARCHAR(10), guesses INTEGER,
        elapsed_ms BIGINT, CONSTRAINT pk_games PRIMARY KEY (match, game),
        CONSTRAINT fk_games_match FOREIGN KEY(match) REFERENCES matches (number))
"""


def upgrade() -> None:
    for table in (_PLAYERS, _MATCHES, _EVENTS, _GAMES):
        op.execute(table)
    op.create_index("ix_matches_ladder", "matches", ["ladder"])
    op.create_index("ix_matches_player", "matches", ["player"])
