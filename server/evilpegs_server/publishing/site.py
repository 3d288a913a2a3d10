"""What a published site holds: the documents of the API, from what reads the log, without matches that are not over.

The shapes are those of the API, the paths are not, because a document cannot be a folder too. The manifest names each
document by its path, and for players and matches the parts of an index; `published.js` of the page reads it.
"""

import asyncio
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any, Final

import orjson
from fastapi import HTTPException
from pydantic import BaseModel

from evilpegs_protocol.constants import SUBPROTOCOL
from evilpegs_protocol.rounds import RoundList
from evilpegs_protocol.suggestions import unknown_ladder_text
from evilpegs_server.leaderboard.round_results import round_document, round_heading
from evilpegs_server.leaderboard.stored_results import AWAITED
from evilpegs_server.publishing.folder import PublishError, SiteFolder
from evilpegs_server.readers import Readers
from evilpegs_server.record.recorded_match import RecordUnreadableError
from evilpegs_server.sealing import is_withheld
from evilpegs_server.site import models
from evilpegs_server.site.bounds import ladder_list
from evilpegs_server.site.routes import player_text
from evilpegs_server.storage.derived.browse import MatchEntry, MatchFilter, find_player, list_matches
from evilpegs_server.storage.log.acts import load_last_hiding
from evilpegs_server.storage.log.archive import load_entries, load_log_id
from evilpegs_server.storage.log.rounds import Round

LISTED: Final = 250
"""The matches of one part of the list."""
INDEXED: Final = 1_000
"""The most matches of one part of the index, about."""
LOOK_SECONDS: Final = 0.05
LUCK_SECONDS: Final = 10.0
"""For a server that has the database to measure the luck of its last games."""
ATTEMPTS: Final = 3


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to publish: these rounds and ladders, all of them if neither is named."""

    rounds: tuple[str, ...] = ()
    ladders: tuple[str, ...] = ()
    analyses: bool = True


@dataclass(slots=True)
class Published:
    matches: int = 0
    records_bytes: int = 0
    analyses: int = 0
    analyses_bytes: int = 0
    computed: int = 0
    """Analyses that were not there before."""
    seconds: float = 0.0
    """For these."""
    all_bytes: int = 0
    without_luck: int = 0
    """Games that count without it."""


Report = Callable[[str, int, int | None], None]
"""Takes what is done, how far it is, and where that ends."""


async def publish(readers: Readers, folder: SiteFolder, wanted: Wanted, now: int, report: Report) -> Published:
    """Write a site, at ``now`` in Unix milliseconds, in place of the one in the folder. Raises PublishError."""
    without_luck = await _wait_for_results(readers, report)
    for _ in range(ATTEMPTS):
        hiding = load_last_hiding(readers.engine)
        publication = _Publication(readers, folder, wanted, now, report)
        manifest = await publication.write()
        if load_last_hiding(readers.engine) == hiding:
            await asyncio.to_thread(folder.finish, manifest)
            publication.done.all_bytes = sum(folder.sizes.values())
            publication.done.without_luck = without_luck
            return publication.done
        folder.begin_again()  # somebody was hidden or forgotten meanwhile
    raise PublishError("players are hidden or forgotten all the time; publish again when that is over")


async def _wait_for_results(readers: Readers, report: Report) -> int:
    counting, now = readers.leaderboards.counting, asyncio.get_running_loop().time
    while not (readers.leaderboards.filled and counting.is_verified):
        report("counting games", 0, None)
        await asyncio.sleep(LOOK_SECONDS)
    readers.luck.wake()  # who has counted nothing does not wake it
    until = now() + LUCK_SECONDS
    while not readers.luck.is_done if readers.luck.is_measuring else counting.awaited and now() < until:
        report("games whose luck is measured", 0, None)
        await asyncio.sleep(LOOK_SECONDS)
    for _ in range(0, len(counting.awaited), AWAITED):  # so many are looked up by one update
        await readers.leaderboards.update()
    return len(counting.awaited)


@dataclass
class _Publication:
    readers: Readers
    folder: SiteFolder
    wanted: Wanted
    now: int
    report: Report
    done: Published = field(default_factory=Published)

    async def write(self) -> dict[str, Any]:
        rounds = self._rounds()
        ladders = {each.id: each for each in self.readers.lasting.values() if self._is_wanted(each.id)}
        documents = {
            "api/v1/game": models.GameAddressDocument(url=None, subprotocol=SUBPROTOCOL, version=version("evilpegs")),
            "api/v1/ladders": ladder_list(ladders, ladders),
            "api/v1/live": models.LivePage(matches=(), total=0, next=None),
            "api/v1/rounds": RoundList(
                rounds=tuple(round_heading(each, self.readers.ladders, self.now) for each in reversed(rounds))
            ),
        }
        if self.readers.public_keys:
            *former, key = self.readers.public_keys
            documents["api/v1/keys"] = models.KeysDocument(key=key, former=tuple(former))
        for each in rounds:
            documents[f"api/v1/rounds/{each.id}"] = await asyncio.to_thread(
                round_document, self.readers.engine, each, self.readers.ladders, self.now
            )
        named = {path: self._put(document) for path, document in documents.items()}
        for ladder in ladders.values():
            if ladder.rated:
                shown = await self.readers.leaderboards.shown(ladder.info())
                named[f"api/v1/ladders/{ladder.id}/leaderboard"] = self.folder.put(shown.body)
        listed = await asyncio.to_thread(self._list, [*ladders, *(each.id for each in rounds)])
        matches = await self._matches(listed)
        entries = [each for each in listed if each.match in matches]
        parts = [tuple(entries[first : first + LISTED]) for first in range(0, len(entries), LISTED)]
        return {
            "evilpegs": version("evilpegs"),
            "made_at": self.now,
            "log": load_log_id(self.readers.engine),
            "documents": named,
            "players": await self._players({each.player for each in entries}, ladders),
            "matches": self._index(matches),
            "lists": [self._put(models.MatchPage(matches=part, next=None)) for part in parts],
        }

    def _is_wanted(self, ladder: str) -> bool:
        return ladder in self.wanted.ladders or not (self.wanted.ladders or self.wanted.rounds)

    def _rounds(self) -> list[Round]:
        known, lasting = self.readers.rounds.known, self.readers.lasting
        for name in self.wanted.ladders:
            if name not in lasting:
                raise PublishError(unknown_ladder_text(name, lasting))
        for name in self.wanted.rounds:
            if name not in known:
                raise PublishError(f"there is no round {name!r}; evilpegs round status lists them")
            if is_withheld(sealed=known[name].sealed, is_over=known[name].is_over):
                raise PublishError(f"the round {name} is sealed until it is over; evilpegs round close ends it")
        return [
            each
            for each in known.values()
            if not is_withheld(sealed=each.sealed, is_over=each.is_over)
            and (each.id in self.wanted.rounds or self._is_wanted(""))
        ]

    def _list(self, ladders: Sequence[str]) -> list[MatchEntry]:
        found: list[MatchEntry] = []
        while True:
            before = (found[-1].started_at, found[-1].match) if found else None
            page = list_matches(
                self.readers.engine, MatchFilter(ladders=tuple(ladders), over=True, before=before), LISTED
            )
            found += page
            self.report("listing matches", len(found), None)
            if len(page) < LISTED:
                return found

    async def _matches(self, entries: Sequence[MatchEntry]) -> dict[str, tuple[str, str | None]]:
        # the digests of the record and of the analysis
        found: dict[str, tuple[str, str | None]] = {}
        known = self.folder.known_analyses(version("evilpegs")) if self.wanted.analyses else {}
        for number, each in enumerate(entries, 1):
            self.report("matches", number, len(entries))
            if (record := await asyncio.to_thread(self._put_record, each.match)) is not None:
                analysis = await self._analysis(each.match, record, known) if self.wanted.analyses else None
                found[each.match] = record, analysis
        self.done.matches = len(found)
        return found

    def _put_record(self, match: str) -> str | None:
        entries = load_entries(self.readers.engine, match, self.readers.follower.sent)
        if not entries or entries[-1].type != "match_over":
            return None  # it ended after the last result that counts, or was forgotten
        digest = self.folder.put("".join(f"{entry.text}\n" for entry in entries).encode(), ".jsonl")
        self.done.records_bytes += self.folder.sizes[digest]
        return digest

    async def _analysis(self, match: str, record: str, known: dict[str, str]) -> str | None:
        if (digest := known.get(record)) is not None:
            self.folder.keep(digest)
        else:
            began = time.perf_counter()
            try:
                text = await self.readers.analyses.text(match)
            except (HTTPException, RecordUnreadableError):
                return None
            digest = self.folder.put(text)
            self.folder.note_analysis(record, digest, version("evilpegs"))
            self.done.computed += 1
            self.done.seconds += time.perf_counter() - began
        self.done.analyses += 1
        self.done.analyses_bytes += self.folder.sizes[digest]
        return digest

    async def _players(self, names: Collection[str], ladders: Collection[str]) -> str:
        found = {}
        for name in sorted(names):
            player = await asyncio.to_thread(find_player, self.readers.engine, name)
            if player is not None:  # else forgotten since
                rows = await self.readers.leaderboards.player_rows(name)
                wanted = [(ladder, row) for ladder, row in rows if ladder in ladders]
                found[name] = self.folder.put(player_text(player, wanted).encode())
            self.report("players", len(found), len(names))
        return self.folder.put(orjson.dumps(found))

    def _index(self, matches: dict[str, tuple[str, str | None]]) -> dict[str, str]:
        # a part has the ids that begin alike
        digits = next(n for n in range(16) if len(matches) <= INDEXED * 16**n)
        parts: dict[str, dict[str, tuple[str, str | None]]] = {}
        for match, digests in matches.items():
            parts.setdefault(match[:digits], {})[match] = digests
        return {beginning: self.folder.put(orjson.dumps(part)) for beginning, part in parts.items()}

    def _put(self, document: BaseModel) -> str:
        return self.folder.put(document.model_dump_json().encode())
