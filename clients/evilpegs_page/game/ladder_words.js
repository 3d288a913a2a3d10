/**
 * Ladders in plain words: the rules, the codemaker, the clock, and whether results count.
 *
 * @typedef {import("./messages.js").ClockInfo} ClockInfo
 * @typedef {"fixed" | "evil" | "devil"} Codemaker
 * @typedef {{id: string, rules: string, codemaker: Codemaker, clock: ClockInfo | null, guess_limit: number, games: number,
 *   rated: boolean, codes: number, offered: boolean, kind?: string, opens?: number, closes?: number}} LadderDocument a ladder of `api/v1/ladders`
 */

import { momentWords } from "../components/result_words.js";
import { rulesName } from "../core/words.js";

/** @type {Readonly<Record<Codemaker, {title: string, words: string}>>} */
const CODEMAKERS = Object.freeze({
  fixed: {
    title: "A fixed secret",
    words: "The server draws a secret before your first guess and proves afterwards that it never changed it.",
  },
  evil: {
    title: "Evil",
    words: "Evil has no secret. It always gives the reply that leaves the most codes, and gives in only when it must.",
  },
  devil: {
    title: "The devil",
    words: "The devil has no secret either. It looks ahead and gives the reply after which perfect play needs the most guesses.",
  },
});

/** Return the title and a description of a codemaker. @param {string} codemaker @returns {{title: string, words: string}} */
export function codemakerWords(codemaker) {
  const known = Object.hasOwn(CODEMAKERS, codemaker);
  return known ? CODEMAKERS[/** @type {Codemaker} */ (codemaker)] : { title: codemaker, words: "" };
}

/** Return rules in words, such as "4 pegs, 6 colors". @param {string} rules such as `4x10-distinct` */
export function rulesWords(rules) {
  const found = /^(\d+)x(\d+)(-distinct)?$/.exec(rules);
  if (found === null) return rules;
  return `${found[1]} pegs, ${found[2]} colors${found[3] ? ", no color twice" : ""}`;
}

/** Return a clock in words. @param {ClockInfo | null} clock */
export function clockWords(clock) {
  if (clock === null) return "No clock: take your time.";
  const base = `${duration(clock.base_ms)} for each game`;
  return clock.increment_ms === 0 ? `${base}.` : `${base}, and ${duration(clock.increment_ms)} more after each guess.`;
}

/**
 * Return when matches can start on a ladder, such as "Matches can start from 27 Nov, 10:00 until 27 Nov, 11:00."
 * @param {{opens?: number, closes?: number}} ladder
 * @param {(ms: number) => string} show a point in time
 */
export function timesWords({ opens, closes }, show = momentWords) {
  const from = opens === undefined ? "" : ` from ${show(opens)}`;
  const before = closes === undefined ? "" : ` until ${show(closes)}`;
  return from + before === "" ? "" : `Matches can start${from}${before}.`;
}

/** Return true for a clock that no person can play by. @param {{clock: ClockInfo | null}} ladder */
export function isForBots({ clock }) {
  return clock !== null && clock.base_ms <= 5_000 && clock.increment_ms === 0;
}

/**
 * Return a short name of a way to play: practice, rated, or rated and fast, or whom it is for.
 * @param {{rated: boolean, clock: ClockInfo | null, kind?: string}} ladder
 */
export function kindName(ladder) {
  if (ladder.kind === "human") return "For people";
  if (isForBots(ladder)) return "For bots";
  if (!ladder.rated) return "Practice";
  return ladder.clock !== null && ladder.clock.base_ms < 30_000 ? "Rated, fast" : "Rated";
}

/**
 * Return the title of a ladder, such as "Practice: 4×6 against evil".
 * @param {{rated: boolean, clock: ClockInfo | null, kind?: string, rules: string, codemaker: string}} ladder
 */
export function ladderTitle(ladder) {
  const { title } = codemakerWords(ladder.codemaker);
  return `${kindName(ladder)}: ${rulesName(ladder.rules)} against ${title[0].toLowerCase()}${title.slice(1)}`;
}

/** Return what a match on a ladder means for the leaderboard. @param {{rated: boolean, games: number}} ladder */
export function ratedWords(ladder) {
  const [games, counting] = ladder.games === 1 ? ["One game", "counts"] : [`${ladder.games} games`, "count"];
  return ladder.rated ? `${games} that ${counting} on the leaderboard.` : `${games}. Nothing counts, and hints are allowed.`;
}

/** Return a duration as a clock shows it: minutes and seconds, with tenths in the last ten seconds. @param {number} ms */
export function clockFace(ms) {
  if (ms < 10_000) return (Math.floor(ms / 100) / 10).toFixed(1);
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** Return a duration in words, such as "1 minute" or "5 seconds". @param {number} ms */
export function duration(ms) {
  const [count, unit] = ms >= 60_000 && ms % 60_000 === 0 ? [ms / 60_000, "minute"] : [ms / 1000, "second"];
  return `${Number(count.toFixed(1))} ${unit}${count === 1 ? "" : "s"}`;
}

/** @type {Readonly<Record<string, string>>} */
const OUTCOMES = Object.freeze({
  solved: "Solved",
  unsolved: "Not solved",
  flagged: "Out of time",
  resigned: "Given up",
  forfeit: "Forfeited",
  void: "Not counted: server error",
});

/** Return how a game ended, in words. @param {string} outcome */
export function outcomeWords(outcome) {
  return Object.hasOwn(OUTCOMES, outcome) ? OUTCOMES[outcome] : outcome;
}
