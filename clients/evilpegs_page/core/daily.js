/**
 * The game of the day: everyone plays the same game against evil on 4x6, without a server.
 *
 * The date draws the first guess, and evil's reply to it is already on the board. The guess comes from the SHA-256 of
 * the text `evilpegs daily 2026-11-22`: its bytes are read two by two as big-endian numbers. Numbers from 65,536 -
 * 65,536 mod 1,296 on are skipped, so that every code is equally likely; the others give the code at that number modulo
 * 1,296 in code order. Codes of a single color are skipped too, because they tell little as a guess. Should all 16
 * numbers be skipped, the SHA-256 of `evilpegs daily 2026-11-22 2` follows, and so on.
 *
 * `evilpegs_clients.daily` is the same in Python; shared test vectors keep the two alike.
 */

import { codeAt, formatCode } from "./codes.js";
import { UnreadableError } from "./errors.js";
import { LocalGame } from "./local_game.js";
import { countCodes, makeRules } from "./rules.js";
import { sha256, utf8 } from "./sha256.js";

export const DAILY_RULES = makeRules(4, 6);
/** The guesses of a daily game, the one of the date included. */
export const DAILY_LIMIT = 10;

const DATE = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/;
const DRAWN_VALUES = 65_536;

/**
 * Return the game of a date, with the date's guess and evil's reply on the board.
 *
 * @param {string} date YYYY-MM-DD.
 * @returns {LocalGame}
 * @throws {UnreadableError} The text is no date.
 */
export function dailyGame(date) {
  const game = new LocalGame({ rules: DAILY_RULES, codemaker: "evil", limit: DAILY_LIMIT });
  game.guess(firstGuess(date));
  return game;
}

/**
 * Return the guess that a date draws.
 *
 * @param {string} date YYYY-MM-DD.
 * @returns {string}
 * @throws {UnreadableError} The text is no date.
 */
export function firstGuess(date) {
  checkDate(date);
  const codes = Number(countCodes(DAILY_RULES));
  const accepted = DRAWN_VALUES - (DRAWN_VALUES % codes);
  for (let round = 1; ; round++) {
    const digest = new DataView(sha256(utf8(`evilpegs daily ${date}${round === 1 ? "" : ` ${round}`}`)).buffer);
    for (let place = 0; place < digest.byteLength; place += 2) {
      const drawn = digest.getUint16(place);
      const code = codeAt(DAILY_RULES, BigInt(drawn % codes));
      if (drawn < accepted && new Set(code).size > 1) {
        return formatCode(code);
      }
    }
  }
}

/**
 * Return the date of the reader's calendar as text.
 *
 * @param {Date} moment
 * @returns {string} YYYY-MM-DD.
 */
export function dateText(moment) {
  const numbers = [moment.getMonth() + 1, moment.getDate()].map((number) => String(number).padStart(2, "0"));
  return [String(moment.getFullYear()).padStart(4, "0"), ...numbers].join("-");
}

/**
 * Return the result of a finished game as text that gives no code away: the date, the guesses and a row per feedback.
 *
 * The guesses include that of the date. A game that was not solved has X instead of their number.
 *
 * @param {LocalGame} game
 * @param {string} date
 * @param {{ letters?: boolean }} [options] `letters` writes B, W and . instead of symbols.
 * @returns {string}
 */
export function shareText(game, date, { letters = false } = {}) {
  const [black, white, neither] = letters ? ["B", "W", "."] : ["⚫", "⚪", "·"];
  const rows = game.turns.map((turn) => {
    const rest = game.rules.pegs - turn.black - turn.white;
    return black.repeat(turn.black) + white.repeat(turn.white) + neither.repeat(rest);
  });
  const score = game.over === "solved" ? game.turns.length : "X";
  return [`evilpegs daily ${date} ${score}/${game.limit}`, ...rows].join("\n");
}

/** @param {string} date */
function checkDate(date) {
  const found = DATE.exec(date);
  const [year, month, day] = (found ?? []).slice(1).map(Number);
  if (found === null || year < 1 || month < 1 || month > 12 || day < 1 || day > daysOf(year, month)) {
    throw new UnreadableError(`not a date: '${date.slice(0, 40)}'; write YYYY-MM-DD like 2026-11-22`);
  }
}

/**
 * @param {number} year
 * @param {number} month From 1.
 */
function daysOf(year, month) {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
}
