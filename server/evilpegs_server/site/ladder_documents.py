from evilpegs_server.play.registry import MatchRegistry
from evilpegs_server.site.bounds import ladder_bounds, load_known_results
from evilpegs_server.site.models import LadderDocument, LadderList


def ladder_list(registry: MatchRegistry) -> LadderList:
    offered = {ladder.id for ladder in registry.offered_ladders}
    results = load_known_results()
    return LadderList(
        ladders=tuple(
            LadderDocument(
                **dict(ladder.info()),
                codes=ladder.rules.size,
                offered=ladder.id in offered,
                bounds=ladder_bounds(ladder, results),
            )
            for ladder in registry.ladders.values()
        )
    )
