"""Let a language model play: a server of the Model Context Protocol, over standard input and output.

    python examples/mcp_server.py

It needs the package mcp, version 2. The model has three tools: begin a game, guess, and look at the board. The secret,
or what decides the ties of evil, stays in this process until the game is over; then the seed is shown, with which
anybody can play the same game again in Python or in the browser.
"""

import secrets

from mcp.server import MCPServer

from evilpegs import EvilpegsError, Game, format_code
from evilpegs_game.feedback import format_turns

server = MCPServer(
    "evilpegs",
    instructions="Break a code in few guesses. A feedback such as 1,2 is one black, a peg right in color and place, "
    "and two whites, further pegs right in color only. Each guess costs, whether it could be the code or not.",
)
played = {}


@server.tool()
def new_game(rules: str = "4x6", codemaker: str = "fixed", limit: int = 10) -> str:
    """Begin a game. Rules are pegs x colors; a codemaker is fixed, with a secret, or evil, without one."""
    seed = secrets.token_hex(8)
    try:
        game = Game(rules, codemaker, seed=seed, limit=limit)
    except EvilpegsError as error:
        return f"no game: {error}"
    played.update(game=game, seed=seed)
    return f"A code of {game.rules} with {codemaker}, {limit} guesses. Guess with the tool guess, such as 1122."


@server.tool()
def guess(code: str) -> str:
    """Guess a code, one symbol per peg such as 1122, and return its blacks and whites. Refused codes are free."""
    if "game" not in played:
        return "no game yet; call new_game"
    game = played["game"]
    try:
        reply = game.guess(code)
    except EvilpegsError as error:
        return f"refused: {error}"
    if not game.over:
        return f"{reply}; {game.limit - len(game.position.history)} guesses left"
    end = "solved" if game.solved else f"not solved; {format_code(game.position.first_candidate)} would have fitted"
    luck = "" if game.luck is None else f", luck-adjusted {game.score - game.luck:.3f}"
    return f"{reply}; {end}. Score {game.score}{luck}, seed {played['seed']}. Call new_game to play again."


@server.tool()
def board() -> str:
    """Return the guesses of this game with their feedback, oldest first."""
    return "\n".join(format_turns(played["game"].position.history)) if "game" in played else "no game yet"


if __name__ == "__main__":
    server.run()
