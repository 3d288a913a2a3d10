/**
 * The games of a match as its record tells them: what a replay shows, from a server or from a file.
 *
 * A record is read as it is, also one that does not hold; `verifyRecord` says what is wrong with it. Whatever a replay
 * cannot show, because its fields are not those of the protocol, is left out.
 */

import { parseCode } from "../core/codes.js";
import { GameError, UnreadableError } from "../core/errors.js";
import { formatRules, parseRules } from "../core/rules.js";

/** @import { RecordEvent } from "../core/verification/event_fields.js" */
/** @import { Rules } from "../core/rules.js" */

/**
 * @typedef {{code: string, black: number, white: number, tookMs: number | null, leftMs: number | null, method: string | null,
 *   parts: readonly (readonly number[])[] | null}} ReplayTurn `method` is how a devil found its reply; practice games alone
 *   have `parts`, which are sizes
 * @typedef {object} ReplayGame
 * @property {number} game from 1
 * @property {readonly ReplayTurn[]} turns
 * @property {string | null} outcome null while it is played
 * @property {string | null} secret
 * @property {number | null} lastAt when its newest event happened, in Unix milliseconds of the server
 * @typedef {{match: string, player: string, client: string, ladder: string, rulesText: string, rules: Rules, codemaker: string,
 *   at: number, over: boolean, games: readonly ReplayGame[]}} Replay `games` are those that have begun or were given up before
 */

/**
 * Return the games in the events of a match.
 * @param {readonly RecordEvent[]} events @returns {Replay}
 * @throws {UnreadableError} The match does not say which rules it has.
 */
export function readReplay(events) {
  const [started] = events;
  const rules = readRules(started);
  const numbers = [...new Set(events.flatMap((event) => (Number.isSafeInteger(event.game) ? [event.game] : [])))];
  return {
    match: String(started.match),
    player: String(started.player),
    client: started.client ? `${started.client.name} ${started.client.version}` : "",
    ladder: String(started.ladder),
    rulesText: started.rules,
    rules,
    codemaker: String(started.codemaker),
    at: Number(started.at),
    over: events.some((event) => event.type === "match_over"),
    games: numbers.sort((a, b) => a - b).map((number) => readGame(rules, number, events)),
  };
}

/** Return a game of the page's own as a match of one game. @param {import("../core/local_game.js").LocalGame} game @returns {Replay} */
export function ownReplay({ rules, codemaker, turns, over, secret }) {
  const shown = turns.map((turn) => ({ ...turn, tookMs: null, leftMs: null, method: null, parts: null }));
  const rulesText = formatRules(rules);
  const games = [{ game: 1, turns: shown, outcome: over, secret, lastAt: null }];
  return { match: "", player: rulesText, client: "", ladder: "", rulesText, rules, codemaker, at: 0, over: true, games };
}

/** @param {RecordEvent} started @returns {Rules} */
function readRules(started) {
  try {
    return parseRules(String(started.rules));
  } catch (error) {
    if (!(error instanceof GameError)) throw error;
    throw new UnreadableError(`this is not a record that can be shown: ${error.message}`);
  }
}

/** @param {Rules} rules @param {number} number @param {readonly RecordEvent[]} events @returns {ReplayGame} */
function readGame(rules, number, events) {
  const own = events.filter((event) => event.game === number);
  const over = own.find((event) => event.type === "game_over");
  const turns = own.filter((event) => event.type === "feedback" && isTurn(rules, event));
  return {
    game: number,
    turns: turns.map((event) => ({
      code: event.code,
      black: event.black,
      white: event.white,
      tookMs: wholeOrNull(event.took_ms),
      leftMs: wholeOrNull(event.left_ms),
      method: typeof event.method === "string" ? event.method : null,
      parts: isParts(event.parts) ? event.parts : null,
    })),
    outcome: over === undefined ? null : String(over.outcome),
    secret: over !== undefined && isCode(rules, over.secret) ? over.secret : null,
    lastAt: wholeOrNull(own.at(-1)?.at),
  };
}

/** @param {Rules} rules @param {RecordEvent} event */
function isTurn(rules, event) {
  const { black, white } = event;
  return isCode(rules, event.code) && [black, white].every((count) => Number.isSafeInteger(count) && count >= 0 && count <= rules.pegs);
}

/** @param {Rules} rules @param {unknown} code */
function isCode(rules, code) {
  if (typeof code !== "string") return false;
  try {
    parseCode(rules, code);
    return true;
  } catch (error) {
    if (!(error instanceof GameError)) throw error;
    return false;
  }
}

/** @param {unknown} value */
function wholeOrNull(value) {
  return Number.isSafeInteger(value) ? /** @type {number} */ (value) : null;
}

/** @param {unknown} parts */
function isParts(parts) {
  return Array.isArray(parts) && parts.length > 0 && parts.every((part) => Array.isArray(part) && part.length === 3 && part.every(Number.isSafeInteger));
}
