"""One game of a strategy with one codemaker, without a server."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args

from evilpegs_clients.strategies.loading import StrategyLike, to_strategy
from evilpegs_clients.strategies.strategy import draw_secret, seeded_choice
from evilpegs_game.codemakers.codemaker import Codemaker, Evil, Fixed
from evilpegs_game.codemakers.devil import Devil, Method
from evilpegs_game.codemakers.solved_positions import SolvedPositions
from evilpegs_game.codemakers.worst_case import WorstCase, affordable_codes
from evilpegs_game.codes import Code, CodeLike, format_code, to_code
from evilpegs_game.displays import Html, html_caption, html_turns
from evilpegs_game.errors import MalformedError, quoted, to_whole, wrong_argument
from evilpegs_game.evaluation.exact import DuelTurn, play_turns
from evilpegs_game.feedback import Feedback, History, TurnLike, all_black, to_feedback
from evilpegs_game.guessing.plain import allow_plain_work
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules, to_rules

CodemakerName = Literal["fixed", "evil", "devil"]


@dataclass(frozen=True, slots=True, repr=False)
class Duel:
    """A finished game of a strategy with a codemaker: their names, the rules, and the sequence of turns.

    Each of ``turns`` has a guess, its feedback and the number of codes possible after it. The length is the number of
    guesses of the strategy; ``guesses`` adds the turns of ``after``, which were given. A duel with the devil has a
    method per turn: ``exact``, or ``greedy`` as evil.

    >>> import evilpegs
    >>> duel = evilpegs.duel("minimax", codemaker="fixed", secret="1234", rules="4x6")
    >>> len(duel), duel.turns[-1].feedback
    (3, Feedback(black=4, white=0))
    """

    rules: Rules
    strategy: str
    codemaker: str
    turns: tuple[DuelTurn, ...]
    after: History = ()
    methods: tuple[Method, ...] = ()

    @property
    def guesses(self) -> int:
        """The number of guesses of the whole game."""
        return len(self.after) + len(self.turns)

    def __repr__(self) -> str:
        guesses = f"{self.guesses} guess{'' if self.guesses == 1 else 'es'}"
        return f"<Duel of {self.strategy} with {self.codemaker} on {self.rules}: solved in {guesses}>"

    def _repr_html_(self) -> Html:
        given = [None] * len(self.after)
        turns = [*self.after, *((turn.guess, turn.feedback) for turn in self.turns)]
        left = [*given, *(turn.candidates_left for turn in self.turns)]
        methods = [*given, *(self.methods or [None] * len(self.turns))]
        return html_turns(html_caption(self), turns, ("left", left), ("method", methods))

    def __len__(self) -> int:
        return len(self.turns)

    def __getitem__(self, index: int) -> DuelTurn:
        return self.turns[index]

    def __iter__(self) -> Iterator[DuelTurn]:
        return iter(self.turns)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object of ``evilpegs duel --json``."""
        turns = [turn.to_json() for turn in self.turns]
        for turn, method in zip(turns, self.methods, strict=False):
            turn["method"] = method
        head = {"rules": str(self.rules), "strategy": self.strategy, "codemaker": self.codemaker}
        after = {"after": [turn.to_json() for turn in self.after]} if self.after else {}
        return {**head, **after, "guesses": self.guesses, "turns": turns}


def duel(
    strategy: StrategyLike,
    codemaker: CodemakerName | Codemaker = "evil",
    rules: Rules | str = "classic",
    *,
    secret: CodeLike | None = None,
    first: CodeLike | None = None,
    after: Iterable[TurnLike] = (),
    seed: int = 0,
    budget: int | None = None,
    exact_up_to: int | None = None,
    candidates_only: bool = False,
) -> Duel:
    """Play one game of a strategy against a codemaker, from the first guess to the end, and return it.

    Args:
        strategy: The name of a built-in strategy, the path of a ``.py`` or ``.tree`` file, a `Tree`, a `Strategy` or
            a function ``choose(position, rng)``.
        codemaker: ``evil``, which always keeps the most codes possible, ``devil``, which searches ahead for the reply
            that needs the most guesses, ``fixed``, which has a secret, or an object with the method
            ``reply(position, guess)``.
        rules: A `Rules` or a text such as ``4x6`` or ``classic``.
        secret: The secret of a fixed codemaker; by default it is drawn with ``seed``.
        first: The first guess, in place of the strategy's own.
        after: Turns played before, such as ``["1122:1,0"]``; the strategy goes on from there.
        seed: The seed of the random numbers that the strategy uses, and of the secret.
        budget: The most feedback evaluations per choice, for strategies that heed it; None means no limit.
        exact_up_to: The most candidates that the devil solves; by default as many as take about a second per reply.
        candidates_only: True if a built-in strategy may guess only codes that could be the secret.

    Raises:
        EvilpegsError: an argument is wrong, a strategy that was loaded by its name or path fails, the strategy never
            solves the game, the codemaker contradicts itself, or the rules have too many codes. An exception raised by
            a function that was passed as the strategy is passed on unchanged.

    >>> import evilpegs
    >>> evilpegs.duel("minimax", codemaker="devil", rules="3x5")
    <Duel of minimax with devil on 3x5: solved in 5 guesses>
    >>> [str(turn.feedback) for turn in evilpegs.duel("minimax", rules="4x6")]
    ['0,0', '1,1', '0,0', '0,2', '4,0']
    >>> evilpegs.duel("minimax", after=["1122:1,0"], rules="4x6").guesses
    5
    """
    chosen, parsed = to_strategy(strategy, candidates_only), to_rules(rules)
    opening = None if first is None else to_code(first, parsed)
    seed = to_whole("seed", seed, 0)
    name: str
    opponent: Codemaker
    if isinstance(codemaker, str):
        name, opponent = codemaker, make_codemaker(codemaker, parsed, secret, seed, exact_up_to)
    elif secret is not None or exact_up_to is not None:
        raise MalformedError("a codemaker of your own has its own secret and limits; leave secret and exact_up_to out")
    else:
        name, opponent = type(codemaker).__name__.lower(), CheckedCodemaker(codemaker)
    start = open_position(parsed, after, secret, budget)
    turns = play_turns(seeded_choice(chosen, seed), opponent, start, opening)
    return finish_duel(start, chosen.name, name, opponent, turns)


def open_position(
    rules: Rules, after: Iterable[TurnLike] = (), secret: CodeLike | None = None, budget: int | None = None
) -> Position:
    """Return the position in which a duel begins; raise GameError if none can begin there."""
    if budget is not None:
        budget = to_whole("budget", budget, 1)
    allow_plain_work()
    start = Position(rules, after, LiveSets(), budget)
    if any(turn.feedback == all_black(rules.pegs) for turn in start.history):
        raise MalformedError("the turns in after solve the game already; leave the last one out", arguments=("after",))
    if secret is not None and not start.is_candidate(secret):
        shown = format_code(to_code(secret, rules))
        what = f"the secret {shown!r} does not agree with the turns in after"
        raise MalformedError(f"{what}; leave one of them out", arguments=("after",))
    return start


def make_codemaker(
    name: str,
    rules: Rules,
    secret: CodeLike | None = None,
    seed: int | None = None,
    exact_up_to: int | None = None,
    solved: SolvedPositions | None = None,
) -> Codemaker:
    """Return the codemaker ``name``; ``solved`` is what a devil has solved before, and is extended."""
    if name not in get_args(CodemakerName):
        raise MalformedError(f"no codemaker {quoted(name)}; take evil, devil, fixed or an object with reply()")
    if secret is not None and name != "fixed":
        what = f"{name} keeps no code: leave secret out, or say codemaker fixed"
        raise MalformedError(what, arguments=("secret", "codemaker"))
    if name != "devil" and (exact_up_to is not None or solved is not None):
        option = "solved" if exact_up_to is None else "exact_up_to"
        what = f"{name} solves nothing: leave {option} out, or say codemaker devil"
        raise MalformedError(what, arguments=(option, "codemaker"))
    match name:
        case "evil":
            return Evil()
        case "devil":
            most = affordable_codes(rules) if exact_up_to is None else to_whole("exact_up_to", exact_up_to, 0)
            return Devil(WorstCase(rules, solved), most)
    if secret is None and seed is None:
        what = "fixed keeps a code: give secret CODE, or seed N to draw one"
        raise MalformedError(what, arguments=("secret", "seed"))
    return Fixed(draw_secret(seed or 0, rules) if secret is None else to_code(secret, rules))


def finish_duel(start: Position, strategy: str, codemaker: str, opponent: Codemaker, turns: Iterable[DuelTurn]) -> Duel:
    """Return the `Duel` of turns that were played from ``start``."""
    played = tuple(turns)
    methods: tuple[Method, ...] = ()
    if isinstance(opponent, Devil):
        left = start.count, *(turn.candidates_left for turn in played[:-1])
        methods = tuple(map(opponent.method_for, left))
    return Duel(start.rules, strategy, codemaker, played, start.history, methods)


class CheckedCodemaker:
    """A codemaker of the caller whose replies are checked; raises MalformedError if it is none."""

    def __init__(self, codemaker: Codemaker) -> None:
        if isinstance(codemaker, type) or not callable(getattr(codemaker, "reply", None)):
            raise wrong_argument("a codemaker", codemaker, "evil, devil, fixed or an object with reply()")
        self._codemaker = codemaker

    def reply(self, position: Position, guess: Code) -> Feedback:
        """Return the feedback, which may have been a text; raises MalformedError for anything else."""
        return to_feedback(self._codemaker.reply(position, guess), position.rules.pegs)
