/**
 * The results of the games that the page plays by itself, and what they add up to.
 *
 * They are the guesses of each game by its name, 0 if it was not solved. The name is `4x6-evil 7f3a` with the seed, so
 * that a game counts once, with its first result, however often it is played again or imported. A game of the day is
 * `4x6-evil daily 2026-11-22` if it ended on its day, and `4x6-evil late 2026-11-22` if it ended later.
 *
 * @typedef {Readonly<Record<string, number>>} Results
 */

import { UnreadableError } from "./errors.js";
import { formatRules } from "./rules.js";

const NAME = /^([0-9a-z-]{3,40}) ([0-9A-Za-z-]{1,40}|(daily|late) (\d{4}-\d{2}-\d{2}))$/;
const FORMAT = "evilpegs results";
const MOST = 1_000;

/**
 * Return the results with that of a finished game, unless they have one of it or it had hints.
 * @param {Results} results @param {import("./local_game.js").LocalGame} game
 * @param {string} date that of a game of the day, else no text
 * @param {string} today
 * @returns {Results}
 */
export function withResult(results, game, date, today) {
  const which = date ? `${date === today ? "daily" : "late"} ${date}` : game.seed;
  if (game.over === null || game.hinted || !which) return results;
  const name = `${formatRules(game.rules)}-${game.codemaker} ${which}`;
  return { [name]: game.over === "solved" ? game.turns.length : 0, ...results };
}

/** Return those of the results that are well-formed; none if it is no object of results. @param {unknown} value @returns {Results} */
export function cleanResults(value) {
  const isWhole = (/** @type {unknown} */ count) => Number.isInteger(count) && 0 <= Number(count) && Number(count) < MOST;
  return Object.fromEntries(Object.entries(value ?? {}).filter(([name, guesses]) => NAME.test(name) && isWhole(guesses)));
}

/**
 * Return how many games were played and solved by rules, the most played first, and how many took how many guesses; the
 * unsolved ones come last, with 0 guesses.
 * @param {Results} results
 */
export function sumUp(results) {
  const names = Object.keys(results);
  const rows = [...new Set(names.map((name) => name.split(" ", 1)[0]))].map((rules) => {
    const games = names.filter((name) => name.startsWith(`${rules} `)).map((name) => results[name]);
    const lengths = [...new Set(games)].sort((one, other) => (one || MOST) - (other || MOST));
    const histogram = lengths.map((guesses) => ({ guesses, games: games.filter((each) => each === guesses).length }));
    return { rules, played: games.length, solved: games.filter(Boolean).length, histogram };
  });
  return rows.sort((one, other) => other.played - one.played);
}

/**
 * Return on how many days in a row up to today the game of the day was solved on its day. Today may still be open.
 * @param {Results} results @param {string} today
 */
export function streak(results, today) {
  const days = new Set(Object.entries(results).flatMap(([name, guesses]) => (guesses > 0 && name.includes(" daily ") ? [name.slice(-today.length)] : [])));
  const day = new Date(`${today}T00:00Z`);
  const isSolved = () => days.has(day.toISOString().slice(0, 10));
  if (!isSolved()) day.setUTCDate(day.getUTCDate() - 1);
  let length = 0;
  for (; isSolved(); length++) day.setUTCDate(day.getUTCDate() - 1);
  return length;
}

export const formatResults = (/** @type {Results} */ results) => `${JSON.stringify({ format: FORMAT, results }, null, 1)}\n`;

/** @param {string} text @returns {Results} @throws {UnreadableError} The text is no file of results. */
export function parseResults(text) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    // said below
  }
  if (value?.format !== FORMAT) throw new UnreadableError("this is not a file of results that this page saved");
  return cleanResults(value.results);
}
