/**
 * The figures of a leaderboard row as the page writes them.
 *
 * @typedef {{player: string, client: string, games: number, mean: number, low: number | null, high: number | null,
 *   worst: number, solved: number, p95_ms: number, mean_ms: number, histogram: readonly (readonly [number, number])[],
 *   version?: number,
 *   rank: number | null, rank_worst: number | null, adjusted_mean: number | null, adjusted_low: number | null,
 *   adjusted_high: number | null, all_games: number, kind?: string, place?: number, undecided?: boolean | null,
 *   score: number | null, placed: boolean}} Row
 *   a row of `api/v1/ladders/LADDER/leaderboard`: `all_games` are those of all versions, `kind` is "bot" or "human", `place`
 *   is that among all players, from `places`, `undecided` is true if the intervals leave other ranks possible, `score` is
 *   the mean that is shown and orders the rows, and `placed` is false with too few games for a place
 * @typedef {{ladder: string, guess_limit: number, ranked_from: number, placed_from: number, rows: Row[]}} Leaderboard
 */

import { formatNumber } from "./words.js";

/** Return a leaderboard whose rows have their places among all players. @param {string} text @returns {Leaderboard} */
export function readLeaderboard(text) {
  const board = JSON.parse(text);
  return { ...board, rows: board.rows.map((/** @type {Row} */ row, /** @type {number} */ index) => ({ ...row, place: board.places[index] })) };
}

/** @param {Row} row @returns {string} such as "1" or "1–3"; without a rank the place, as "(4)", or "–" */
export function rankWords(row) {
  if (row.rank === null) return isProvisional(row) && row.placed ? `(${row.place})` : "–";
  return row.rank_worst === null || row.rank_worst === row.rank ? `${row.rank}` : `${row.rank}–${row.rank_worst}`;
}

/** @param {number} mean @returns {string} such as "4.47" */
export function meanWords(mean) {
  return mean.toFixed(2);
}

/** Return the number that orders a row, such as "4.47"; "(4.47)" on a leaderboard without a rank. @param {Row} row */
export function scoreWords(row) {
  if (row.score === null) return "–";
  return isProvisional(row) ? `(${meanWords(row.score)})` : meanWords(row.score);
}

/** @param {Row} row @returns {boolean} true for a row of a leaderboard without a rank */
export function isProvisional(row) {
  return row.rank === null && typeof row.place === "number";
}

/** Return the ends of the interval around the score; null if there are too few games. @param {Row} row */
export function scoreInterval(row) {
  return row.score === row.adjusted_mean ? [row.adjusted_low, row.adjusted_high] : [row.low, row.high];
}

/** @param {Row} row @returns {string} such as "4.36–4.58"; no text if there are too few games */
export function intervalWords(row) {
  const [low, high] = scoreInterval(row);
  return low === null || high === null ? "" : `${meanWords(low)}–${meanWords(high)}`;
}

/** @param {readonly Row[]} rows @returns {boolean} true if luck-adjusted means are known on this ladder */
export function isAdjusted(rows) {
  return rows.some((row) => typeof row.adjusted_mean === "number");
}

/** @param {number} share @returns {string} such as "99.5 %", never 100 % for less than all */
export function shareWords(share) {
  if (share === 1) return "100 %";
  return `${(Math.floor(share * 1000) / 10).toFixed(1)} %`;
}

/** @param {number} ms @returns {string} such as "3 ms", "1.2 s" */
export function timeWords(ms) {
  if (ms < 10) return `${Number(ms.toFixed(1))} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${(ms / 60_000).toFixed(1)} min`;
}

/** @param {number} at Unix milliseconds @returns {string} such as "Nov 22, 2026, 14:05" in the reader's time zone */
export function momentWords(at) {
  return new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" }).format(at);
}

/**
 * Return how far an entrant of a round is; the number of games is null while the round is sealed.
 *
 * @typedef {"not_started" | "playing" | "finished"} Progress
 * @param {{progress: Progress, ended: number | null}} entrant @param {number} games
 */
export function progressWords({ progress, ended }, games) {
  return ended === null ? progress.replace("_", " ") : `${formatNumber(ended)} of ${formatNumber(games)}`;
}
