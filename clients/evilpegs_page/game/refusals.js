/**
 * Refusals of the server in the words of a player: what happened, and what to do about it.
 *
 * The codes are those of protocol version 1. The texts are the page's own, because a server's message is written for
 * people who know the protocol; it is appended where it names a limit or a rule that the page cannot know.
 */

/** @import { ErrorMessage } from "./messages.js" */

/** @type {Readonly<Record<string, string>>} */
const WORDS = {
  bad_json: "The server could not read what this page sent. Reload the page; if it happens again, the page has a bug.",
  bad_message: "The server could not use what this page sent. Reload the page; if it happens again, the page has a bug.",
  unknown_type: "This server is older than the page and cannot do that.",
  too_big: "The server refused a message that was too long. Reload the page; if it happens again, the page has a bug.",
  auth_required: "Guests play practice games only. Choose a name to play rated games, or enter the name and the token that you were given.",
  auth_failed: "The server no longer knows the token of this name. Choose another name, or play as a guest.",
  banned: "The person who runs this server does not let this player in any more.",
  name_taken: "You cannot have this name. Choose another.",
  bad_name: "The server does not accept this name. Choose another.",
  unknown_ladder: "This server does not offer that game. Choose another from the list.",
  too_large: "This game is too large for this server. Choose a smaller one.",
  too_many_matches: "Too many matches are open. Finish one of yours first, or come back later.",
  draining: "The server is about to stop. Your match is kept; it goes on when the server is back.",
  storage_unavailable: "The server cannot store results at the moment. Try again soon.",
  not_your_match: "This server has no such match of yours. Start a new one.",
  not_ready: "This game has not started yet. Start it first.",
  stale_turn: "That turn was already played. The page has caught up.",
  future_turn: "The match has not reached that turn. The page has caught up.",
  illegal_code: "That is not a code of this game.",
  flagged: "Your time ran out before the guess arrived.",
  game_over: "That game was over before the message arrived.",
  not_practice: "Hints are for practice games only.",
  rate_limited: "Too many requests. Try again in a moment.",
  moved: "This server shows that on its site.",
  internal: "The server failed. Try again; if it happens again, tell the person who runs it.",
  round_closed: "No match can start on this ladder or in this round now.",
  already_entered: "You have entered this round already, and it is one match. If your match is open, continue it; when it is over, the page shows it within a minute or so.",
  not_an_entrant: "This name is not on the list of players here. Choose another, or ask the person who runs this server.",
};

/** Codes whose `message` names a limit or a rule that the player needs. */
const WITH_MESSAGE = new Set([
  "auth_required", "auth_failed", "bad_name", "banned", "illegal_code", "name_taken", "rate_limited", "round_closed",
  "too_large", "too_many_matches",
]);

/** Refusals that may pass: the same request may be accepted a little later. */
export const TEMPORARY = new Set(["draining", "storage_unavailable", "rate_limited"]);

/** Refusals of a move because the match has changed meanwhile; the missing events are requested. */
export const CHANGED = new Set(["stale_turn", "future_turn", "not_ready", "flagged", "game_over", "internal"]);

export const ERROR_CODES = Object.freeze(Object.keys(WORDS));

export class RefusedError extends Error {
  /** @param {ErrorMessage} refusal */
  constructor(refusal) {
    super(refusalWords(refusal));
    this.code = refusal.code;
    this.fatal = refusal.fatal === true;
    this.retryAfterMs = typeof refusal.retry_after_ms === "number" ? refusal.retry_after_ms : null;
  }
}

/** The connection ended before the answer arrived, so it is unknown whether the server acted on the request. */
export class LostAnswerError extends Error {
  constructor() {
    super("The connection was lost before the server answered.");
  }
}

/** Return what a refusal means for the player, and what to do. @param {{code: string, message?: unknown}} refusal */
export function refusalWords(refusal) {
  const message = typeof refusal.message === "string" ? refusal.message : "";
  if (!Object.hasOwn(WORDS, refusal.code)) return `The server refused this${message ? `: ${message}` : ""}. Try again, or reload the page.`;
  const words = WORDS[refusal.code];
  return WITH_MESSAGE.has(refusal.code) && message ? `${words} The server says: ${message}.` : words;
}
