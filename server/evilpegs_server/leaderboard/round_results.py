"""The table of a round, from the results of its games."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import inf
from typing import Final

from evilpegs_game.statistics.rounds import Entrant, round_table
from evilpegs_protocol.rounds import Progress, RoundDocument, RoundEntrant, RoundResult, RoundState
from evilpegs_server.leaderboard.intervals import MILLIONTHS
from evilpegs_server.leaderboard.live_leaderboards import CountingError
from evilpegs_server.leaderboard.luck import curve_hashes
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.sealing import is_counted
from evilpegs_server.storage.log.rounds import Round, RoundGames, load_change, load_round_games
from evilpegs_server.storage.queries import Reader

MINUTE_MS: Final = 60_000
SETTLED_MS: Final = 10_000
"""After this time, all that happened before can be read: nobody sees it earlier than others."""


class LuckAwaitedError(CountingError):
    """The luck of some games of a round is not measured yet; a later attempt may succeed."""


def round_document(
    engine: Reader, played: Round, ladders: Mapping[str, Ladder], now: int, *, with_sealed: bool = False
) -> RoundDocument:
    """Return a round with its entrants and, if it is over, results from the derived file. Raises LuckAwaitedError.

    ``with_sealed`` is for the operator, who may see how far the entrants of a sealed round are.
    """
    ladder = played.ladder(ladders)
    curve = curve_hashes([ladder]).get(ladder.id)
    games = load_round_games(engine, played.id, curve)
    results = _results(games, ladder) if played.is_over else {}
    is_shown = played.is_over or with_sealed or is_counted(ladder)
    seen = now + 1 if is_shown else (now - SETTLED_MS) // MINUTE_MS * MINUTE_MS
    entrants = [
        RoundEntrant(
            player=None if each.hidden else each.name,
            progress=_progress(each, seen),
            ended=each.ended if is_shown else None,
            excluded=each.excluded,
            result=results.get(each.name),
        )
        for each in games
    ]
    entrants.sort(key=lambda each: (each.result.place if each.result else inf, each.player or ""))
    added = {"adjusted": curve is not None, "changed": load_change(engine, played)} if played.is_over else {}
    return round_heading(played, ladders, now).model_copy(update={**added, "entrants": tuple(entrants)})


def round_heading(played: Round, ladders: Mapping[str, Ladder], now: int) -> RoundDocument:
    return RoundDocument(
        id=played.id,
        ladder=played.ladder(ladders).info(),
        sealed=played.sealed,
        state=_state(played, now),
        opens=played.opens,
        closes=played.closes,
        adjusted=None,
        changed=None,
        entrants=(),
    )


def _progress(games: RoundGames, until: int) -> Progress:
    if games.started_at is None or games.started_at >= until:
        return "not_started"
    return "playing" if games.over_at is None or games.over_at >= until else "finished"


def _state(played: Round, now: int) -> RoundState:
    if played.is_over:
        return "over"
    if played.is_closed(now):
        return "closing"
    return "planned" if now < played.opens else "open"


def _results(games: Sequence[RoundGames], ladder: Ladder) -> dict[str, RoundResult]:
    entrants, not_played = [], {}
    for each in games:
        if each.hidden or each.excluded is not None:
            continue
        scores = [score / MILLIONTHS for score in each.scores if score is not None]
        if each.started_at is not None and each.ended < ladder.games:
            raise LuckAwaitedError(f"the results of {ladder.id} are being derived; try again soon")
        if len(scores) < len(each.scores):
            what = f"the luck of some games of {ladder.id} is not measured yet"
            raise LuckAwaitedError(f"{what}; evilpegs serve and evilpegs show do that, so try again soon")
        entrants.append(Entrant(each.name, scores, ladder.games - each.void - len(scores)))
        not_played[each.name] = ladder.games - each.begun
    return {
        row.name: RoundResult(not_played=not_played[row.name], **asdict(row))
        for row in round_table(entrants, ladder.guess_limit)
        if row.mean is not None
    }
