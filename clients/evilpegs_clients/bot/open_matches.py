from evilpegs_clients.connection.match_view import MatchView
from evilpegs_clients.connection.session import PlayerSession
from evilpegs_clients.errors import BrokenRecordError, ClientError, ConnectionLostError
from evilpegs_protocol.client_messages import Unwatch, Watch
from evilpegs_protocol.server_messages import MatchStarted


async def find_own_matches(session: PlayerSession, client: str) -> list[MatchStarted]:
    """Return the first event of each open match; raises ClientError if another program than ``client`` started one."""
    # only watched: another connection that plays one of them at this moment can go on
    views = [await _watch(session, match.match) for match in session.welcome.open]
    started = [view.started for view in views if view.over is None]
    for each in started:
        if each.client.name != client:
            raise ClientError(_foreign_text(each, session))
    return started


def _foreign_text(started: MatchStarted, session: PlayerSession) -> str:
    player = session.welcome.player
    return (
        f"{player} has an open match {started.match} on {started.ladder} that {started.client.name} began; finish it "
        f"with: evilpegs play --name {player} --server {session.server}, or choose another --name"
    )


async def _watch(session: PlayerSession, match: str) -> MatchView:
    while True:
        view = session.view = MatchView(match)
        try:
            await session.ask(Watch(match=match))
            # answered only after the events are sent, so the view is complete then
            await session.ask(Unwatch(match=match))
        except ConnectionLostError:
            session.view = None
            await session.restore()
        else:
            if not view.record:
                raise BrokenRecordError(f"the server shows no event of match {match}, which it says is open")
            return view
        finally:
            session.view = None
