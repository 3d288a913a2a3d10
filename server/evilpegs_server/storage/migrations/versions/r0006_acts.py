"""What the operator does to players, which a running server follows, and the ladders that the operator adds."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

_ACTS = """
    CREATE TABLE acts (
        id INTEGER NOT NULL, at BIGINT NOT NULL, act VARCHAR(16) NOT NULL, player INTEGER, reason TEXT,
        CONSTRAINT pk_acts PRIMARY KEY (id), CONSTRAINT fk_acts_player FOREIGN KEY(player) REFERENCES players (id))
"""
_HIDDEN = """
    CREATE TABLE hidden (
        player INTEGER NOT NULL, CONSTRAINT pk_hidden PRIMARY KEY (player),
        CONSTRAINT fk_hidden_player FOREIGN KEY(player) REFERENCES players (id))
"""
_LADDERS = """
    CREATE TABLE ladders (id VARCHAR(40) NOT NULL, json TEXT NOT NULL, CONSTRAINT pk_ladders PRIMARY KEY (id))
"""
_ROUNDS = """
    CREATE TABLE rounds (
        id VARCHAR(40) NOT NULL, base VARCHAR(40) NOT NULL, games INTEGER NOT NULL, sealed BOOLEAN NOT NULL,
        opens BIGINT NOT NULL, closes BIGINT, published BIGINT, CONSTRAINT pk_rounds PRIMARY KEY (id))
"""
_ENTRANTS = """
    CREATE TABLE entrants (
        round VARCHAR(40) NOT NULL, player INTEGER NOT NULL, excluded TEXT,
        CONSTRAINT pk_entrants PRIMARY KEY (round, player),
        CONSTRAINT fk_entrants_round FOREIGN KEY(round) REFERENCES rounds (id),
        CONSTRAINT fk_entrants_player FOREIGN KEY(player) REFERENCES players (id))
"""


def upgrade() -> None:
    for table in (_ACTS, _HIDDEN, _LADDERS, _ROUNDS, _ENTRANTS):
        op.execute(table)
    op.add_column("log", sa.Column("deleted", sa.BigInteger(), nullable=False, server_default="0"))
