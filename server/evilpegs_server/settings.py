"""The settings of a server: from options, the environment (`EVILPEGS_*`), `evilpegs.toml`, or the defaults here."""

import os
import re
import tomllib
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from socket import gethostname
from typing import Annotated, Any, Final, Literal, Self
from urllib.parse import urlsplit

from platformdirs import user_data_path
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, model_validator
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from evilpegs_game.errors import quoted
from evilpegs_game.live.live_sets import ENUMERATED_CODES
from evilpegs_game.rules import Rules
from evilpegs_protocol import topics
from evilpegs_protocol.fields import LADDER_ID
from evilpegs_protocol.server_messages import ClockInfo
from evilpegs_protocol.text_files import read_text
from evilpegs_server.match.ladders import Ladder, load_ladders
from evilpegs_server.replies.capacity import CACHE_BYTES, COUNT_BYTES, COUNT_WORK, is_enumerated
from evilpegs_server.storage.location import file_url

_HOST_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,253}")
_NODE: Final = re.compile(r"[A-Za-z0-9._-]{1,40}")
_SITE_URL: Final = re.compile(r"https?://[A-Za-z0-9._:\[\]-]{1,260}(/[A-Za-z0-9._~/-]{0,200})?")


def default_database() -> str:
    return file_url(user_data_path("evilpegs") / "evilpegs.sqlite3")


def _split_names(value: object) -> object:
    return tuple(name.strip() for name in value.split(",") if name.strip()) if isinstance(value, str) else value


def _parse_network(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return ip_network(value)
    except ValueError as error:
        raise ValueError(
            f"not a network: {quoted(value, 80)}; write an IP address or a network like 10.0.0.0/8 ({error})"
        ) from None


def _is_site_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return bool(_SITE_URL.fullmatch(url) and parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _is_game_url(url: str) -> bool:
    return url.startswith(("ws://", "wss://")) and _is_site_url("http" + url.removeprefix("ws"))


def _is_origin(text: str) -> bool:
    return text == "*" or (_is_site_url(text) and text.count("/") == 2)


def _checked(is_right: Callable[[str], object], what: str, instead: str) -> AfterValidator:
    def check(text: str) -> str:
        if not is_right(text):
            raise ValueError(f"not {what}: {quoted(text, 80)}; write {instead}")
        return text

    return AfterValidator(check)


HostName = Annotated[
    str, _checked(_HOST_NAME.fullmatch, "a host name", "a name like games.example, without scheme or port")
]
NodeName = Annotated[str, _checked(_NODE.fullmatch, "the name of a node", "1 to 40 of A-Z, a-z, 0-9, ., _ and -")]
ServerId = Annotated[str, _checked(topics.ID.fullmatch, "the id of a server", "1 to 40 of a-z, 0-9 and -")]
Network = Annotated[IPv4Network | IPv6Network, BeforeValidator(_parse_network)]
Origin = Annotated[str, _checked(_is_origin, "an origin", "https://HOST, with :PORT if needed, or *")]
SiteUrl = Annotated[str, _checked(_is_site_url, "the address of a site", "http://HOST:PORT/ or https://HOST/PATH/")]
GameUrl = Annotated[str, _checked(_is_game_url, "the address of a game", "ws://HOST:PORT/v1 or wss://HOST/v1")]


def _to_unix_ms(value: object) -> int:
    # years at the ends have no timestamp in every zone
    if not isinstance(value, datetime) or not 2000 <= value.year <= 9000:
        example = "2026-11-27T10:00:00+01:00, without quotation marks"
        raise ValueError(f"not a time: {quoted(str(value), 80)}; write one like {example}")
    first, last = (value.replace(fold=fold).timestamp() for fold in (0, 1))  # local without a zone
    if first != last:
        what = "is skipped or comes twice when this machine's clock changes"
        raise ValueError(f"{value.isoformat(timespec='minutes')} {what}; add a zone like +01:00")
    return round(first * 1000)


LadderKey = Annotated[
    str,
    _checked(LADDER_ID.fullmatch, "an id", "a letter of a-z, then at most 39 of a-z, 0-9 and -"),
    _checked(lambda text: text not in load_ladders(), "a free id", "another, because a built-in ladder has this one"),
]
ClockText = Annotated[
    str, _checked(lambda text: ClockInfo.parse(text).base_ms, "a clock with time", "BASE+INCREMENT like 60+1")
]
Moment = Annotated[int, BeforeValidator(_to_unix_ms)]


class OwnLadder(BaseModel):
    """A ladder of the operator, untimed without ``clock``; ``games`` are by default those of built-in ladders."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    rules: Annotated[str, AfterValidator(lambda text: str(Rules.parse(text)))]
    codemaker: Literal["fixed", "evil"]
    clock: ClockText | None = None
    guess_limit: Annotated[int, Field(ge=1, le=100)]
    games: Annotated[int, Field(ge=1, le=100)] | None = None
    rated: bool = True
    opens: Moment | None = None
    closes: Moment | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.closes is not None and self.closes <= (self.opens or 0):
            raise ValueError("closes is not after opens; write a later time")
        rules = Rules.parse(self.rules)
        # larger ones need counts of codes, whose worst work was measured for built-in ladders only
        if (self.codemaker, self.rated) != ("fixed", True) and not is_enumerated(rules):
            most = f"{ENUMERATED_CODES:,} codes if codemaker is evil or rated is false"
            raise ValueError(f"rules may have at most {most}, and {rules} has {rules.size:,}; write smaller ones")
        return self

    def ladder(self, id_: str) -> Ladder:
        kind = self.codemaker, self.rated
        like = next(each for each in load_ladders().values() if (each.codemaker, each.rated) == kind)
        clock = None if self.clock is None else ClockInfo.parse(self.clock)
        values = self.model_dump(include={"guess_limit", "games", "opens", "closes"}, exclude_none=True)
        return replace(like, id=id_, rules=Rules.parse(self.rules), clock=clock, **values)


def settings_file() -> Path:
    """Return the file of settings: `evilpegs.toml`, unless EVILPEGS_CONFIG names another."""
    return Path(os.environ.get("EVILPEGS_CONFIG") or "evilpegs.toml")


class Settings(BaseSettings):
    """The settings of a server; ``python -m tools.references`` writes their meanings into docs/operate.md."""

    model_config = SettingsConfigDict(env_prefix="EVILPEGS_", extra="forbid")

    host: Annotated[str, Field(min_length=1)] = "127.0.0.1"
    """The address on which the game listens."""
    port: Annotated[int, Field(ge=0, le=65535)] = 8765
    """The port of the game; 0 takes any free port."""
    database: str = Field(default_factory=default_database)
    """The database, as `sqlite:///FILE`, with four slashes for an absolute path, and `%25` and `%3F` for `%` and `?`
    in the name; or in [PostgreSQL](#postgresql)."""
    node: NodeName = Field(default_factory=lambda: gethostname()[:40])
    """The name of this server among those on the same [PostgreSQL](#postgresql) database."""
    lease_seconds: Annotated[float, Field(ge=2, le=60)] = 5.0
    """The seconds without a sign of this server after which others on the same database play on its matches."""
    site: bool = True
    """Whether the page and the HTTP API are served; without them nobody can watch matches or read leaderboards."""
    site_host: Annotated[str, Field(min_length=1)] | None = None
    """The address on which the site listens; by default the address of the game."""
    site_port: Annotated[int, Field(ge=0, le=65535)] = 8000
    """The port of the site."""
    site_url: SiteUrl | None = None
    """The URL at which others reach the site, such as the URL of a proxy."""
    game_url: GameUrl | None = None
    """The URL of the game for the page, like `wss://games.example/v1`, unless below `site_url` or on the game port."""
    hosts: Annotated[tuple[HostName, ...], NoDecode, BeforeValidator(_split_names)] = ()
    """Names that requests may use for this machine, besides its own names and addresses."""
    allow_origins: Annotated[tuple[Origin, ...], NoDecode, BeforeValidator(_split_names)] = ()
    """Other sites whose pages may read the HTTP API, such as `https://dash.example`; `*` allows all."""
    public_metrics: bool = False
    """Whether other machines may read `/metrics`."""
    trusted_proxies: Annotated[tuple[Network, ...], NoDecode, BeforeValidator(_split_names)] = ()
    """The addresses or networks of proxies whose header `Forwarded` or `X-Forwarded-For` the server believes."""
    tls_cert: Path | None = None
    """The file with the certificate chain, in PEM."""
    tls_key: Path | None = None
    """The file with the private key of the certificate, in PEM, unless it is in the same file."""
    registration: Literal["open", "closed"] = "open"
    """`open` lets anybody claim a new name; with `closed`, nobody can (see [names](#names))."""
    mqtt: str | None = None
    """The URL of a broker for the [live feed](feed.md)."""
    mqtt_user: str | None = None
    """The user name for the broker."""
    mqtt_password: SecretStr | None = None
    """The password for the broker."""
    mqtt_password_file: Path | None = None
    """The file whose first line is that password."""
    mqtt_ca_file: Path | None = None
    """The file of the certificates that may sign the broker's certificate; by default those of the system."""
    server_id: ServerId = "evilpegs"
    """The name of this server in the topics of the feed."""
    ladders: Annotated[dict[LadderKey, OwnLadder], NoDecode] = {}
    """Ladders besides the built-in ones, as tables of the file ([below](#ladders-of-your-own))."""
    solved: Path | None = None
    """The file of positions that devils have solved; by default beside the database, with its name and `.solved`."""
    server_key: Path | None = None
    """The file of the key that signs [records](records.md); by default beside the database, its name with `.key`."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """The least severe messages of the log, which goes to standard error: `debug`, `info`, `warning` or `error`."""
    log_format: Literal["text", "json"] | None = None
    """`text` or `json`; by default text on a terminal and JSON elsewhere."""
    # limits
    max_connections: Annotated[int, Field(ge=1)] = 2000
    """The number of seats; each takes about 50 KiB of memory and a file descriptor."""
    reserve_seats_percent: Annotated[int, Field(ge=0, le=90)] = 10
    """The percentage of the seats that only players with an open match can keep: the reserve, for their return."""
    hello_seconds: Annotated[float, Field(gt=0)] = 10.0
    """The seconds in which a connection must say `hello`."""
    reserve_hello_seconds: Annotated[float, Field(gt=0)] = 3.0
    """The seconds in which a connection on a seat of the reserve must say `hello`, so that nobody holds that seat
    without reason, and a connection beyond `connections_before_hello`."""
    guest_seats_percent: Annotated[int, Field(ge=1, le=100)] = 75
    """The percentage of the seats that guests may take: one person can connect as any number of guests."""
    guest_idle_seconds: Annotated[float, Field(gt=0)] = 60.0
    """The seconds after which a guest who plays no match and sends no request is disconnected, to free the seat."""
    name_idle_seconds: Annotated[float, Field(gt=0)] = 600.0
    """The seconds after which a player with a name who plays no match and sends no request is disconnected, but only
    while less than one in fifty of the ordinary seats is free, and those who have been idle longest first."""
    guest_absent_seconds: Annotated[float, Field(gt=0)] = 600.0
    """The seconds after which a guest without a connection forfeits a match; one that was cut is back by then."""
    max_practice_matches: Annotated[int, Field(ge=1)] = 4000
    """The most practice matches, by default two per seat; beyond it, the guests gone longest forfeit theirs earlier."""
    site_connections: Annotated[int, Field(ge=1)] = 2500
    """The most connections to the site; when all are taken and one more comes, the address with the most connections
    loses the one whose last request or event is longest ago."""
    site_connections_per_address: Annotated[int, Field(ge=1)] = 300
    """The most connections to the site per address; more are closed without an answer. Behind a trusted proxy, the
    most requests in progress per address, open streams included; more get the status 429."""
    site_streams: Annotated[int, Field(ge=0)] = 2000
    """The most [streams](http.md#streams) at once, fewer than `site_connections`; more get the status 503."""
    site_positions: Annotated[int, Field(ge=1)] = 128
    """The most positions whose analysis is computed or waits; more get the status 503."""
    site_positions_per_address: Annotated[int, Field(ge=1)] = 32
    """The most of these positions per address; more get the status 503."""
    connections_per_address: Annotated[int, Field(ge=1)] = 200
    """The most connections per address, enough for a class that shares one address."""
    connections_before_hello: Annotated[int, Field(ge=1)] = 8
    """The most connections per address that may take `hello_seconds` to say `hello`, because only silent ones cost
    their owner nothing; more have `reserve_hello_seconds`, enough for a class that connects at the same moment."""
    new_names_per_hour: Annotated[int, Field(ge=1)] = 200
    """The most names that can be claimed per hour and address, because names are kept forever."""
    matches_per_hour: Annotated[int, Field(ge=1)] = 3_600
    """The most matches that a player may ask for per hour, so that a bot that loops does not fill the disk."""
    failed_tokens_per_minute: Annotated[int, Field(ge=0)] = 10
    """The wrong tokens per minute and address that are answered at once, others after 5 seconds, against guessing."""
    name_lapse_days: Annotated[int, Field(ge=1)] = 30
    """The days after which a name lapses if nobody has played under it, while registration is open: its token is
    refused, and nobody else gets the name."""
    requests_per_second: Annotated[int, Field(ge=1)] = 100
    """The requests per second and connection on average; twice this number may come at once. A guess for the open
    turn, and a `ready` for which the match waits, do not count and are never refused by this limit."""
    cache_bytes: Annotated[int, Field(ge=8 << 20)] = CACHE_BYTES
    """The bytes of [live sets](glossary.md#the-game) and part sizes in memory, worker included, to save time."""
    count_bytes: Annotated[int, Field(ge=64 << 10)] = COUNT_BYTES
    """The bytes of one running count in addition to `cache_bytes`; ladders that need more are not offered."""
    count_work: Annotated[int, Field(ge=1)] = COUNT_WORK
    """The rows that one reply may count at worst, a few seconds of work; ladders that need more are not offered."""

    def own_ladders(self) -> dict[str, Ladder]:
        return {id_: each.ladder(id_) for id_, each in self.ladders.items()}

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - part of the signature
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        file = settings_file()
        written = tomllib.loads(read_text(file)) if file.is_file() else {}
        return init_settings, *(InitSettingsSource(settings_cls, _filled(each)) for each in (env_settings(), written))


def _filled(values: dict[str, Any]) -> dict[str, Any]:
    # compose files give an empty variable for one that is not set
    given = {name: value for name, value in values.items() if value != ""}
    return {name: _filled(value) if isinstance(value, dict) else value for name, value in given.items()}
