/**
 * Partitions: how many of the codes left would give each feedback to a guess.
 *
 * The codes that would give the same feedback are a part. Codes come as one flat array, `pegs` bytes each (codes.js).
 * The loop over the codes allocates nothing, because it runs up to a million times per guess.
 */

import { allFeedbacks, feedbackNumber, isAllBlack } from "./feedback.js";
import { MAX_COLORS } from "./rules.js";

/** @import { Rules } from "./rules.js" */
/** @import { Feedback } from "./feedback.js" */

/** @typedef {{black: number, white: number, count: number}} Part `count` is that of the codes in the part, at least 1. */

/**
 * Return the non-empty parts of a guess, in feedback order.
 * @param {Rules} rules
 * @param {Uint8Array} candidates The codes left, as one flat array.
 * @param {Uint8Array} guess @returns {Part[]}
 */
export function partition(rules, candidates, guess) {
  return countParts(rules, feedbackNumbers(rules, candidates, guess));
}

/** Return true if a guess can bring nothing: whatever the code is, it has the same reply. @param {readonly Part[]} parts @param {number} pegs */
export function bringsNothing(parts, pegs) {
  return parts.length === 1 && !isAllBlack(parts[0], pegs);
}

/**
 * Return the number of the feedback that each candidate would give to a guess: one byte per candidate.
 * @param {Rules} rules @param {Uint8Array} candidates @param {Uint8Array} guess
 */
export function feedbackNumbers(rules, candidates, guess) {
  const numbers = new Uint8Array(candidates.length / rules.pegs);
  numberCodes(rules, candidates, guess, numbers, 0, numbers.length);
  return numbers;
}

/**
 * Write the feedback numbers of the candidates from `start` up to but not including `stop` into `numbers`.
 * @param {Rules} rules @param {Uint8Array} candidates @param {Uint8Array} guess @param {Uint8Array} numbers
 * @param {number} start @param {number} stop
 */
export function numberCodes(rules, candidates, guess, numbers, start, stop) {
  const { pegs } = rules;
  const wanted = new Int8Array(MAX_COLORS);
  for (const color of guess) wanted[color]++;
  let place = start * pegs;
  for (let index = start; index < stop; index++) {
    let black = 0;
    let matches = 0;
    for (let peg = 0; peg < pegs; peg++) {
      const color = candidates[place + peg];
      black += color === guess[peg] ? 1 : 0;
      matches += wanted[color] > 0 ? 1 : 0;
      wanted[color]--;
    }
    for (let peg = 0; peg < pegs; peg++) wanted[candidates[place + peg]]++;
    place += pegs;
    numbers[index] = matches + ((black * (2 * pegs + 1 - black)) >> 1); // feedbackNumber, with white = matches - black
  }
}

/**
 * Return the non-empty parts, in feedback order, given the feedback number of each candidate.
 * @param {Rules} rules @param {Uint8Array} numbers @returns {Part[]}
 */
export function countParts(rules, numbers) {
  const feedbacks = allFeedbacks(rules.pegs);
  const counts = new Uint32Array(feedbacks.length);
  for (let index = 0; index < numbers.length; index++) counts[numbers[index]]++;
  return feedbacks.map((given, number) => ({ ...given, count: counts[number] })).filter((part) => part.count > 0);
}

/**
 * Return the candidates that would give this feedback, in the order they had, as one flat array.
 * @param {Rules} rules @param {Uint8Array} candidates
 * @param {Uint8Array} numbers The feedback number of each candidate.
 * @param {Feedback} given
 */
export function selectCandidates(rules, candidates, numbers, given) {
  const { pegs } = rules;
  const number = feedbackNumber(given, pegs);
  let count = 0;
  for (let index = 0; index < numbers.length; index++) count += numbers[index] === number ? 1 : 0;
  const selected = new Uint8Array(count * pegs);
  let end = 0;
  for (let index = 0; index < numbers.length; index++) {
    if (numbers[index] === number) {
      for (let peg = 0; peg < pegs; peg++) selected[end++] = candidates[index * pegs + peg];
    }
  }
  return selected;
}
