"""Adversary's trees: for each guess up to symmetry a reply, and their text form (docs/trees.md).

A strategy tree bounds the guesses that are needed from above, an adversary's tree from below: a codemaker that never
commits to a secret and replies as the tree says cannot be beaten within its number of guesses. Reading a tree does not
prove this; `evilpegs_game.trees.lower_bound` does.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from evilpegs_game.codes import Code, format_code
from evilpegs_game.errors import quoted, require
from evilpegs_game.feedback import Feedback
from evilpegs_game.rules import Rules
from evilpegs_game.trees.tree import (
    INDENT,
    MAX_DEPTH,
    VERSION,
    Tree,
    next_line,
    parse_tree,
    read_code,
    read_depth,
    read_feedback,
    read_heading,
    text_error,
)

ADVERSARY_TITLE: Final = "evilpegs adversary"


class Answer(NamedTuple):
    """The reply to a guess, and the answers to the next guess; ``line`` is 0 if it was not read from a text."""

    reply: Feedback
    answers: Mapping[Code, "Answer"]
    line: int = 0


class AdversaryTree(NamedTuple):
    """Replies that ``guesses`` guesses do not beat; ``answers`` are those to the first guess, and follow ``line``."""

    rules: Rules
    guesses: int
    answers: Mapping[Code, Answer]
    line: int = 0


def format_adversary(tree: AdversaryTree) -> str:
    """Return the text form of ``tree``, with guesses in code order."""
    lines = [f"{ADVERSARY_TITLE} {VERSION}", f"rules {tree.rules}", f"guesses {tree.guesses}"]
    return "\n".join([*lines, *_answer_lines(tree.answers, "")]) + "\n"


def _answer_lines(answers: Mapping[Code, Answer], indent: str) -> Iterator[str]:
    for guess, answer in sorted(answers.items()):
        yield f"{indent}{format_code(guess)} {answer.reply}"
        yield from _answer_lines(answer.answers, indent + INDENT)


def parse_tree_or_adversary(text: str) -> Tree | AdversaryTree:
    """Return the tree of either kind that ``text`` describes; raise errors as `parse_tree` does."""
    require(text, str, "a tree", "its text")
    if not re.match(rf"\ufeff?(?:[ \t]*(?:#.*)?\r?\n)*{ADVERSARY_TITLE}", text):
        return parse_tree(text)
    lines, rules = read_heading(text, ADVERSARY_TITLE)
    missing = "the number of guesses is missing, like: guesses 5"
    above, line = next_line(lines, text, missing)
    match = re.fullmatch("guesses ([1-9][0-9]{0,2})", line)
    if not match or int(match[1]) > MAX_DEPTH:
        raise text_error(above, "guesses", f"{quoted(line)}: {missing}, from 1 to {MAX_DEPTH}")
    guesses, top = int(match[1]), dict[Code, Answer]()
    path = [top]  # the answers at each depth that the next line may add to
    for number, line in lines:
        depth = read_depth(number, line, len(path) - 1)
        if depth == guesses:
            raise text_error(number, "depth", f"the tree replies to {guesses} guesses and to no more")
        del path[depth + 1 :]
        text, space, reply = line.lstrip(" ").partition(" ")
        if not space:
            raise text_error(number, "turn", f"{quoted(text)} is not GUESS FEEDBACK, like: 1123 1,2")
        guess, below = read_code(number, text, rules), dict[Code, Answer]()
        if guess in path[depth]:
            raise text_error(number, "repeated", f"{text} was already answered in line {path[depth][guess].line}")
        path[depth][guess] = Answer(read_feedback(number, reply, rules.pegs), below, number)
        path.append(below)
    return AdversaryTree(rules, guesses, top, above)
