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
from evilpegs_protocol.text_files import read_text
from evilpegs_server.match.clock import TimeControl
from evilpegs_server.match.ladders import Ladder, load_ladders
from evilpegs_server.replies.capacity import CACHE_BYTES, COUNT_BYTES, COUNT_WORK, is_enumerated
from evilpegs_server.storage.location import file_url

_HOST_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,253}")
_LADDER_ID: Final = re.compile(r"[a-z][a-z0-9-]{0,39}")
_NODE: Final = re.compile(r"[A-Za-z0-9._-]{1,40}")
_SERVER_ID: Final = re.compile(r"[a-z0-9-]{1,40}")
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
ServerId = Annotated[str, _checked(_SERVER_ID.fullmatch, "the id of a server", "1 to 40 of a-z, 0-9 and -")]
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
    _checked(_LADDER_ID.fullmatch, "an id", "a letter of a-z, then at most 39 of a-z, 0-9 and -"),
    _checked(lambda text: text not in load_ladders(), "a free id", "another, because a built-in ladder has this one"),
]
ClockText = Annotated[
    str, _checked(lambda text: TimeControl.parse(text).base_ms, "a clock with time", "BASE+INCREMENT like 60+1")
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
        clock = None if self.clock is None else TimeControl.parse(self.clock)
        values = self.model_dump(include={"guess_limit", "games", "opens", "closes"}, exclude_none=True)
        return replace(like, id=id_, rules=Rules.parse(self.rules), clock=clock, **values)


def settings_file() -> Path:
    """Return the file of settings: `evilpegs.toml`, unless EVILPEGS_CONFIG names another."""
    return Path(os.environ.get("EVILPEGS_CONFIG") or "evilpegs.toml")


class Settings(BaseSettings):
    """The settings of a server, whose meanings, units and reasons docs/operate.md lists.

    Arguments precede the environment, and the environment precedes `evilpegs.toml`.
    """

    model_config = SettingsConfigDict(env_prefix="EVILPEGS_", extra="forbid")

    host: Annotated[str, Field(min_length=1)] = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8765
    database: str = Field(default_factory=default_database)
    node: NodeName = Field(default_factory=lambda: gethostname()[:40])
    lease_seconds: Annotated[float, Field(ge=2, le=60)] = 5.0
    site: bool = True
    site_host: Annotated[str, Field(min_length=1)] | None = None
    site_port: Annotated[int, Field(ge=0, le=65535)] = 8000
    site_url: SiteUrl | None = None
    game_url: GameUrl | None = None
    hosts: Annotated[tuple[HostName, ...], NoDecode, BeforeValidator(_split_names)] = ()
    allow_origins: Annotated[tuple[Origin, ...], NoDecode, BeforeValidator(_split_names)] = ()
    public_metrics: bool = False
    mqtt: str | None = None
    mqtt_user: str | None = None
    mqtt_password: SecretStr | None = None
    mqtt_password_file: Path | None = None
    mqtt_ca_file: Path | None = None
    server_id: ServerId = "evilpegs"
    registration: Literal["open", "closed"] = "open"
    max_connections: Annotated[int, Field(ge=1)] = 2000
    reserve_seats_percent: Annotated[int, Field(ge=0, le=90)] = 10
    hello_seconds: Annotated[float, Field(gt=0)] = 10.0
    reserve_hello_seconds: Annotated[float, Field(gt=0)] = 3.0
    guest_seats_percent: Annotated[int, Field(ge=1, le=100)] = 75
    guest_idle_seconds: Annotated[float, Field(gt=0)] = 60.0
    name_idle_seconds: Annotated[float, Field(gt=0)] = 600.0
    guest_absent_seconds: Annotated[float, Field(gt=0)] = 600.0
    max_practice_matches: Annotated[int, Field(ge=1)] = 4000
    connections_per_address: Annotated[int, Field(ge=1)] = 200
    site_connections: Annotated[int, Field(ge=1)] = 2500
    site_connections_per_address: Annotated[int, Field(ge=1)] = 300
    site_streams: Annotated[int, Field(ge=0)] = 2000
    site_positions: Annotated[int, Field(ge=1)] = 128
    site_positions_per_address: Annotated[int, Field(ge=1)] = 32
    connections_before_hello: Annotated[int, Field(ge=1)] = 8
    new_names_per_hour: Annotated[int, Field(ge=1)] = 200
    matches_per_hour: Annotated[int, Field(ge=1)] = 3_600
    failed_tokens_per_minute: Annotated[int, Field(ge=0)] = 10
    name_lapse_days: Annotated[int, Field(ge=1)] = 30
    trusted_proxies: Annotated[tuple[Network, ...], NoDecode, BeforeValidator(_split_names)] = ()
    tls_cert: Path | None = None
    tls_key: Path | None = None
    requests_per_second: Annotated[int, Field(ge=1)] = 100
    cache_bytes: Annotated[int, Field(ge=8 << 20)] = CACHE_BYTES
    count_bytes: Annotated[int, Field(ge=64 << 10)] = COUNT_BYTES
    count_work: Annotated[int, Field(ge=1)] = COUNT_WORK
    ladders: Annotated[dict[LadderKey, OwnLadder], NoDecode] = {}
    solved: Path | None = None
    server_key: Path | None = None
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    log_format: Literal["text", "json"] | None = None

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
