"""The tables of the log, as every engine has them; what only one engine has is declared with that engine.

The files that follow from the log declare their own tables, in `derived.file` and `copies.places`.

Names of constraints are those that the first migrations gave them. Texts are compared by their bytes, on PostgreSQL
too; the JSON of an event is text there, because jsonb would not keep the bytes under the hash.
"""

from typing import Any, Final

import sqlalchemy as sa

REVISION: Final = "0007"
"""The version of these tables, and the newest of the migrations."""

LOG: Final = sa.MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
    }
)
_NUMBER: Final = sa.BigInteger().with_variant(sa.Integer, "sqlite")  # only INTEGER is the number of a row there


def _text(length: int) -> Any:
    return sa.String(length).with_variant(sa.Text(collation="C"), "postgresql")


versions: Final = sa.Table("alembic_version", LOG, sa.Column("version_num", sa.String(32), primary_key=True))
log: Final = sa.Table(
    "log",
    LOG,
    sa.Column("id", _text(16), primary_key=True),
    sa.Column("deleted", sa.BigInteger, nullable=False, server_default="0"),
)
players: Final = sa.Table(
    "players",
    LOG,
    sa.Column("id", _NUMBER, primary_key=True, autoincrement=False),
    sa.Column("name", _text(20), nullable=False, unique=True),
    sa.Column("skeleton", _text(20), nullable=False, unique=True),
    sa.Column("kind", _text(8), nullable=False),
    sa.Column("token_hash", _text(64), nullable=False, unique=True),
    sa.Column("created_at", sa.BigInteger, nullable=False),
)
matches: Final = sa.Table(
    "matches",
    LOG,
    sa.Column("number", _NUMBER, sa.Identity(), primary_key=True),
    sa.Column("id", _text(16), nullable=False, unique=True),
    sa.Column("player", _NUMBER, sa.ForeignKey(players.c.id), nullable=False),
    sa.Column("ladder", _text(40), nullable=False),
    sa.Column("seed", sa.LargeBinary, nullable=False),
    sa.Column("started_at", sa.BigInteger, nullable=False),
    sa.Column("over", sa.Boolean, nullable=False),
    sa.Column("client", _text(81), nullable=False, server_default=""),
)
_IS_OPEN: Final = sa.text("NOT over")  # SQLite takes the index for queries that say just this
sa.Index("ix_matches_open", matches.c.number, sqlite_where=_IS_OPEN, postgresql_where=_IS_OPEN)

# each engine numbers them in its own way
events: Final = sa.Table(
    "events",
    LOG,
    sa.Column("match", _NUMBER, nullable=False),
    sa.Column("seq", sa.Integer, nullable=False),
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.Column("type", _text(20), nullable=False),
    sa.Column("json", sa.Text, nullable=False),
    sa.Column("hash", _text(64), nullable=False),
)
begun: Final = sa.Table(
    "begun",
    LOG,
    sa.Column("match", _NUMBER, sa.ForeignKey(matches.c.number), primary_key=True, autoincrement=False),
    sa.Column("game", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.Column("client_nonce", _text(64)),
)
luck: Final = sa.Table(
    "luck",
    LOG,
    sa.Column("match", _NUMBER, primary_key=True, autoincrement=False),
    sa.Column("game", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("luck", sa.BigInteger, nullable=False),
    sa.Column("curve", _text(16), nullable=False),
)
acts: Final = sa.Table(
    "acts",
    LOG,
    sa.Column("id", _NUMBER, sa.Identity(), primary_key=True),
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.Column("act", _text(16), nullable=False),
    sa.Column("player", _NUMBER, sa.ForeignKey(players.c.id)),
    sa.Column("reason", sa.Text),
)
hidden: Final = sa.Table(
    "hidden", LOG, sa.Column("player", _NUMBER, sa.ForeignKey(players.c.id), primary_key=True, autoincrement=False)
)
ladders: Final = sa.Table(
    "ladders", LOG, sa.Column("id", _text(40), primary_key=True), sa.Column("json", sa.Text, nullable=False)
)
rounds: Final = sa.Table(
    "rounds",
    LOG,
    sa.Column("id", _text(40), primary_key=True),
    sa.Column("base", _text(40), nullable=False),
    sa.Column("games", sa.Integer, nullable=False),
    sa.Column("sealed", sa.Boolean, nullable=False),
    sa.Column("opens", sa.BigInteger, nullable=False),
    sa.Column("closes", sa.BigInteger),
    sa.Column("published", sa.BigInteger),
)
entrants: Final = sa.Table(
    "entrants",
    LOG,
    sa.Column("round", _text(40), sa.ForeignKey(rounds.c.id), primary_key=True),
    sa.Column("player", _NUMBER, sa.ForeignKey(players.c.id), primary_key=True, autoincrement=False),
    sa.Column("excluded", sa.Text),
)


def copied_log() -> sa.MetaData:
    """Return the tables, to which an engine adds its own columns, constraints and indexes."""
    tables = sa.MetaData(naming_convention=LOG.naming_convention)
    for table in LOG.sorted_tables:
        table.to_metadata(tables)
    return tables
