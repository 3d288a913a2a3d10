"""The commands of `evilpegs`, one module or package each, and the line that the help of all commands has for each.

Only the command that runs is imported; its own help page is the docstring of its function. A command imports no other
command: what several are made of is in `evilpegs.kit`. Commands that need no server never import the server's
libraries. Both are contracts in pyproject.toml.
"""

from typing import Final

# each command is the function of its name in the module of its name, or one of the groups below
HELP_GROUPS: Final = {
    "Play": {
        "play": "Play a match yourself.",
        "bot": "Play matches with a strategy and verify every game as it ends.",
        "demo": "Watch bots play matches on a real server, and the leaderboards that result.",
        "watch": "Watch matches as they are played, until Ctrl-C; a single match until it is over.",
        "leaderboard": "Show the leaderboards of a database or of a running server.",
        "ladders": "List the ladders: rules, codemaker, clock, guess limit and games per match.",
    },
    "Serve": {
        "serve": "Run a match server until Ctrl-C or SIGTERM.",
        "show": "Show the matches, players and leaderboards of a database in a browser until Ctrl-C or SIGTERM.",
        "feed": "Print match events line by line, from a server or an MQTT broker.",
        "players": "See, add, ban, rename and forget the players of a server, and open or close registration.",
        "database": "Copy the database while a server uses it, or check it.",
    },
    "Contest": {
        "round": "Open, close and read the rounds of a contest.",
        "publish": "Write the page and all finished matches of a database as files, for any web host or a USB stick.",
        "tournament": "Let strategies and programs play a number of games each, and show who is ahead of whom. Needs "
        "Linux.",
    },
    "Judge": {
        "replay": "Show a match of a database or of a running server: each guess, its feedback, and what the guess was "
        "worth.",
        "verify": "Verify the record of a match without the server that played it.",
        "evaluate": "Play strategies against every secret of the rules and count their guesses, exactly.",
        "compare": "Test whether strategy B needs fewer guesses than A, with as many games as it takes and no more.",
        "duel": "Play a strategy against one codemaker to the end, without a server, and show every turn as it comes.",
        "partition": "Show how many codes each feedback to a guess would leave.",
        "assist": "Help a person who plays at a real board: what is left, the best guesses under each criterion, and "
        "why.",
        "check-client": "Check what a client of your own does when it is cut off, when the server changes, or when its "
        "clock runs out.",
    },
    "Prove": {
        "solve": "Find the best strategy for all codes of the rules and prove that there is no better one.",
        "tree": "Write down what a strategy guesses after every feedback, as a tree that `evilpegs certify` checks.",
        "certify": "Check a tree and prove how many guesses are enough, or are not.",
    },
    "Installation": {
        "docs": "Read the documents and examples of this version.",
        "kernels": "Compile all kernels now, for an image or the computers of a class, so that no later command waits "
        "for them.",
    },
}
# the functions of a module, whose commands have the first word of the name
GROUPS: Final = {
    "round": {
        "open_round": "Open a round: each entrant plays one match of all games, and the results appear when the last "
        "game has ended.",
        "admit": "Add entrants who are late, or take back that they were excluded, also when the round is over.",
        "close": "Close a round: no game begins any more, and those that are played end within their clocks.",
        "extend": "Let a round close later, or earlier; a closed one cannot be opened again.",
        "exclude": "Leave an entrant out of the results of a round, with a reason. An open match goes on, but does not "
        "count.",
        "status": "Show how far the entrants of a round are, and the results when it is over.",
    },
    "players": {
        "list_all": "List the players: kind, when they claimed their names and last began a match, matches, games "
        "begun.",
        "add": "Add players, all or none, and write their tokens to a file.",
        "token": "Give a player a new token, because the old one was lost or stolen; the old one proves nothing any "
        "more.",
        "ban": "Close the connections of a player, forfeit their open matches, and let them in no more.",
        "unban": "Let a banned player in again.",
        "kick": "Close the connections of a player, who may come back at once.",
        "hide": "Leave a player and their matches out of the leaderboards, all lists, streams and the MQTT feed.",
        "show": "Show a hidden player again, with all matches.",
        "rename": "Give a player another name, which may have letters of any one script.",
        "forget": "Delete a player: the name, the token and all matches with their records, for good.",
        "open_registration": "Let anyone claim a new name, whatever the setting `registration` says.",
        "close_registration": "Let nobody claim a new name, whatever the setting `registration` says; `add` still adds "
        "players.",
    },
    "database": {
        "backup": "Copy the database to a file, also while a server uses it, and check the copy.",
        "check": "Check every page and table of a database, and the chain of hashes of every match.",
        "copy": "Copy a database from SQLite to PostgreSQL or back, with all ids and hashes.",
        "follow": "Keep a second file of the database, at most a second behind, until Ctrl-C or SIGTERM.",
        "upgrade": "Make the tables in an empty PostgreSQL database, or bring those of any database to this version.",
    },
}
COMMANDS: Final = tuple(name for names in HELP_GROUPS.values() for name in names if name not in GROUPS)
