/**
 * The game of the day: everyone plays the same game on a date, without a server.
 *
 * From `WEEKDAYS_BEGIN` on, rules and codemaker follow from the weekday, and the codemaker draws from the seed
 * `daily-2026-12-08`. Earlier dates keep their game, which is against evil on 4x6 without a seed.
 *
 * Against evil the date also makes the first guess, from the SHA-256 of the text `evilpegs daily 2026-11-22`: its bytes
 * are read two by two as big-endian numbers. Numbers from the largest multiple of the number of codes up to 65,536 on are
 * skipped, so that every code is equally likely; the others give the code at that number modulo the number of codes in
 * code order. Codes of a single color are skipped too, because they tell little as a guess. Should all 16 numbers be
 * skipped, the SHA-256 of `evilpegs daily 2026-11-22 2` follows, and so on.
 *
 * `evilpegs_clients.daily` is the same in Python; shared test vectors keep the two alike.
 */

import { codeAt, formatCode } from "./codes.js";
import { UnreadableError } from "./errors.js";
import { LocalGame } from "./local_game.js";
import { countCodes, parseRules } from "./rules.js";
import { sha256, utf8 } from "./sha256.js";

export const WEEKDAYS_BEGIN = "2026-12-07";
/** From Sunday on. */
const WEEK = ["4x6-evil", "4x6-evil", "4x10-distinct-fixed", "5x8-evil", "4x6-fixed", "4x10-distinct-evil", "5x8-fixed"];

const DATE = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;
const DRAWN_VALUES = 65_536;

/** Return the rules, the codemaker and the seed of a date. @param {string} date YYYY-MM-DD. @throws {UnreadableError} The text is no date. */
export function dailyTerms(date) {
  checkDate(date);
  const isOld = date < WEEKDAYS_BEGIN;
  const text = isOld ? "4x6-evil" : WEEK[new Date(`${date}T00:00Z`).getUTCDay()];
  const codemaker = /** @type {"evil" | "fixed"} */ (text.endsWith("-evil") ? "evil" : "fixed");
  const rules = parseRules(text.slice(0, -codemaker.length - 1));
  return { rules, codemaker, seed: isOld ? undefined : `daily-${date}` };
}

/**
 * Return the game of a date; against evil with the date's guess and evil's reply on the board.
 *
 * @param {string} date YYYY-MM-DD.
 * @throws {UnreadableError} The text is no date.
 */
export function dailyGame(date) {
  const terms = dailyTerms(date);
  const game = new LocalGame(terms);
  if (terms.codemaker === "evil") game.guess(firstGuess(date, terms.rules));
  return game;
}

/** @param {string} date @param {import("./rules.js").Rules} rules */
function firstGuess(date, rules) {
  const codes = Number(countCodes(rules));
  const accepted = DRAWN_VALUES - (DRAWN_VALUES % codes);
  for (let round = 1; ; round++) {
    const digest = new DataView(sha256(utf8(`evilpegs daily ${date}${round === 1 ? "" : ` ${round}`}`)).buffer);
    for (let place = 0; place < digest.byteLength; place += 2) {
      const drawn = digest.getUint16(place);
      const code = codeAt(rules, BigInt(drawn % codes));
      if (drawn < accepted && new Set(code).size > 1) return formatCode(code);
    }
  }
}

/** Return the date of the reader's calendar as text. @param {Date} moment @returns {string} YYYY-MM-DD. */
export function dateText(moment) {
  const numbers = [moment.getMonth() + 1, moment.getDate()].map((number) => String(number).padStart(2, "0"));
  return [String(moment.getFullYear()).padStart(4, "0"), ...numbers].join("-");
}

/** Return when the day ends in the reader's time zone, in Unix milliseconds. @param {Date} moment */
export function dayEnd(moment) {
  return new Date(moment.getFullYear(), moment.getMonth(), moment.getDate() + 1).getTime();
}

/** @param {string} date */
function checkDate(date) {
  const moment = new Date(DATE.test(date) && date >= "0001" ? `${date}T00:00Z` : "");
  // a day after the end of its month becomes one of the next month
  if (Number.isNaN(moment.getTime()) || moment.toISOString().slice(0, 10) !== date) {
    throw new UnreadableError(`not a date: '${date.slice(0, 40)}'; write YYYY-MM-DD like 2026-11-22`);
  }
}
