/**
 * What a guess did: candidates before and after, the parts, and how much the feedback brought.
 *
 * They follow from the rules and the guesses alone, so they are computed here where the rules have at most a million
 * codes. Elsewhere a practice record has the sizes of the parts, and the server's analysis has the candidates.
 */

import { canEnumerate, enumerateCodes, parseCode } from "../core/codes.js";
import { countCodes } from "../core/rules.js";
import { isAllBlack } from "../core/feedback.js";
import { countParts, feedbackNumbers, selectCandidates } from "../core/partition.js";

/** @import { Rules } from "../core/rules.js" */
/** @import { Part } from "../core/partition.js" */
/** @import { ReplayGame, ReplayTurn } from "./timeline.js" */

/**
 * @typedef {object} Insight what is unknown is null
 * @property {number | null} before
 * @property {number | null} after
 * @property {readonly Part[] | null} parts in feedback order
 * @property {number | null} bits how often the feedback halved the candidates
 * @property {number | null} expectedBits the mean of that over all candidates
 * @property {number | null} chance the probability of a feedback at least as good
 */

/** @type {Insight} */
const UNKNOWN = Object.freeze({ before: null, after: null, parts: null, bits: null, expectedBits: null, chance: null });

/** Return what each guess of a game did. @param {Rules} rules @param {readonly ReplayTurn[]} turns @returns {Insight[]} */
export function insights(rules, turns) {
  return canEnumerate(rules) ? fromCodes(rules, turns) : turns.map((turn, index) => fromRecord(rules, turn, index));
}

/** @param {Rules} rules @param {readonly ReplayTurn[]} turns @returns {Insight[]} */
function fromCodes(rules, turns) {
  let left = enumerateCodes(rules);
  return turns.map((turn) => {
    const numbers = feedbackNumbers(rules, left, parseCode(rules, turn.code));
    left = selectCandidates(rules, left, numbers, turn);
    return judge(rules.pegs, countParts(rules, numbers), turn);
  });
}

/** @param {Rules} rules @param {ReplayTurn} turn @param {number} index @returns {Insight} */
function fromRecord(rules, turn, index) {
  if (turn.parts !== null) return judge(rules.pegs, turn.parts.map(([black, white, size]) => ({ black, white, count: size })), turn);
  return index === 0 ? { ...UNKNOWN, before: Number(countCodes(rules)) } : UNKNOWN;
}

/**
 * Judge a feedback among the parts. With no candidates, or a feedback that no candidate gives, there is no luck.
 * @param {number} pegs @param {readonly Part[]} parts @param {{black: number, white: number}} given @returns {Insight}
 */
function judge(pegs, parts, given) {
  const before = sum(parts);
  const after = parts.find((part) => part.black === given.black && part.white === given.white)?.count ?? 0;
  if (before === 0 || after === 0) return { ...UNKNOWN, before, after, parts };
  const expectedBits = parts.reduce((bits, part) => bits + (part.count / before) * Math.log2(before / part.count), 0);
  const asGood = parts.filter((part) => isAllBlack(part, pegs) || (!isAllBlack(given, pegs) && part.count <= after));
  return { before, after, parts, bits: Math.log2(before / after), expectedBits, chance: sum(asGood) / before };
}

/** @param {readonly Part[]} parts */
function sum(parts) {
  return parts.reduce((codes, part) => codes + part.count, 0);
}

/**
 * Return the guesses of a match that cost most by the server's analysis, the costliest first.
 * @param {readonly ReplayGame[]} games
 * @param {(game: ReplayGame, index: number) => any} worthOf returns the analysis of a guess; null without one
 */
export function costliest(games, worthOf, most = 5) {
  return games
    .flatMap((game, index) => game.turns.map(({ code }, turn) => ({ game: index, turn: turn + 1, code, worth: worthOf(game, turn) })))
    .filter(({ worth }) => worth?.regret?.at_least >= 0.005)
    .sort((one, other) => other.worth.regret.at_least - one.worth.regret.at_least)
    .slice(0, most);
}

/**
 * Return the luck of a game in guesses, positive if it was good; null if the analysis lacks that of a guess. In JSON
 * it is positive if it was bad.
 *
 * @param {readonly ({luck?: number | null} | null)[]} analyses of its turns
 * @returns {number | null}
 */
export function luckOf(analyses) {
  return analyses.reduce((/** @type {number | null} */ sum, each) => (sum === null || each?.luck == null ? null : sum - each.luck), 0);
}
