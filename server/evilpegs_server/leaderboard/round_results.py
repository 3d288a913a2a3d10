"""The table of a round, from the results of its games."""

from collections.abc import Mapping, Sequence
from itertools import groupby

from sqlalchemy import Engine

from evilpegs_game.errors import EvilpegsError
from evilpegs_game.statistics.rounds import Entrant, RoundRow, round_table
from evilpegs_protocol.rounds import RoundDocument, RoundEntrant, RoundResult, RoundState
from evilpegs_server.leaderboard.intervals import MILLIONTHS
from evilpegs_server.leaderboard.luck import curve_hashes
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.storage.rounds import Round, RoundGame, load_round_games


class LuckAwaitedError(EvilpegsError):
    """The luck of some games of a round is not measured yet; a later attempt may succeed."""


def round_state(played: Round, now: int) -> RoundState:
    if played.published is not None:
        return "over"
    if played.is_closed(now):
        return "closing"
    return "planned" if now < played.opens else "open"


def round_document(engine: Engine, played: Round, ladders: Mapping[str, Ladder], now: int) -> RoundDocument:
    """Return a round with its entrants, and their results if it is over; ``engine`` is that of the derived file.

    Raises LuckAwaitedError.
    """
    ladder = played.ladder(ladders)
    curve = curve_hashes([ladder]).get(ladder.id)
    with engine.connect() as connection:
        games = load_round_games(connection, played.id, curve)
    by_player = {player: list(each) for player, each in groupby(games, lambda game: game.player)}
    is_over = played.published is not None
    rows = _rows(by_player, ladder, curve) if is_over else {}
    entrants = [_entrant(each, rows.get(each[0].name), ladder) for each in by_player.values()]
    entrants.sort(key=lambda each: (each.result is None, each.result.place if each.result else 0, each.player or ""))
    adjusted = curve is not None if is_over else None
    return round_heading(played, ladders, now).model_copy(update={"adjusted": adjusted, "entrants": tuple(entrants)})


def round_heading(played: Round, ladders: Mapping[str, Ladder], now: int) -> RoundDocument:
    """Return a round without its entrants."""
    return RoundDocument(
        id=played.id,
        ladder=played.ladder(ladders).info(),
        sealed=played.sealed,
        state=round_state(played, now),
        opens=played.opens,
        closes=played.closes,
        adjusted=None,
        entrants=(),
    )


def _rows(by_player: Mapping[int, Sequence[RoundGame]], ladder: Ladder, curve: str | None) -> dict[str, RoundRow]:
    entrants = []
    for games in by_player.values():
        first = games[0]
        if first.hidden or first.excluded is not None:
            continue
        solved = [each for each in games if each.outcome == "solved"]
        if first.match is not None and sum(each.outcome is not None for each in games) < ladder.games:
            raise LuckAwaitedError(f"the results of {ladder.id} are being derived; try again soon")
        if curve is not None and any(each.luck is None for each in solved):
            what = f"the luck of some games of {ladder.id} is not measured yet"
            raise LuckAwaitedError(f"{what}; evilpegs serve and evilpegs show do that, so try again soon")
        scores = [(each.guesses or 0) - (each.luck or 0) / MILLIONTHS for each in solved]
        failed = ladder.games - len(solved) - _void(games)
        entrants.append(Entrant(first.name, scores, failed))
    return {row.name: row for row in round_table(entrants, ladder.guess_limit)}


def _void(games: Sequence[RoundGame]) -> int:
    return sum(each.outcome == "void" for each in games)


def _entrant(games: Sequence[RoundGame], row: RoundRow | None, ladder: Ladder) -> RoundEntrant:
    first = games[0]
    ended = sum(each.outcome is not None for each in games)
    result = None
    if row is not None and row.mean is not None:
        result = RoundResult(
            place=row.place,
            mean=row.mean,
            games=row.games,
            failed=row.failed,
            not_played=ladder.games - sum(each.outcome is not None and each.begun for each in games),
            ahead_of=row.ahead_of,
            plays_better_than=row.plays_better_than,
            fails_less_than=row.fails_less_than,
        )
    return RoundEntrant(
        player=None if first.hidden else first.name, ended=ended, excluded=first.excluded, result=result
    )
