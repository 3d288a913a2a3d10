/**
 * The rule of the evil codemaker: it has no secret and gives the reply that leaves the most codes.
 *
 * All-black is given only if it is the only part. Among equally large parts a seed decides, or the tie rule `largest`
 * takes the first in feedback order: fewest blacks, then fewest whites. `evilpegs_game.codemakers` states the same rule in Python.
 */

import { isAllBlack } from "./feedback.js";

/** @import { Part } from "./partition.js" */

/** Return the largest parts, which evil may keep. @param {readonly Part[]} parts in feedback order; at least one @param {number} pegs */
export function largestParts(parts, pegs) {
  const others = parts.filter((part) => !isAllBlack(part, pegs));
  const allowed = others.length > 0 ? others : parts;
  const most = allowed.reduce((most, part) => Math.max(most, part.count), 0);
  return allowed.filter((part) => part.count === most);
}

/**
 * Return the part that evil keeps.
 * @param {readonly Part[]} parts in feedback order; at least one @param {number} pegs
 * @param {(tied: number) => number} [tie] From the number of equally large parts to an index; the first by default.
 */
export function chooseReply(parts, pegs, tie = () => 0) {
  const largest = largestParts(parts, pegs);
  return largest[largest.length === 1 ? 0 : tie(largest.length)];
}
