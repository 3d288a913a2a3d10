/**
 * What follows from the seed of a game in the browser: evil's choice among tied parts, and the secret of `fixed`.
 *
 * Both are HMAC-SHA256 of a short text with the seed as key, read as a big-endian number. `evilpegs_clients.daily` is the
 * same in Python; shared test vectors keep the two alike.
 */

import { codeAt } from "./codes.js";
import { UnreadableError } from "./errors.js";
import { randomBytes } from "./random.js";
import { countCodes } from "./rules.js";
import { hmacSha256, toHex, utf8 } from "./sha256.js";

const SEED = /^[0-9A-Za-z-]{1,40}$/;

export function newSeed(bytes = randomBytes) {
  return toHex(bytes(8));
}

/** @param {string} text @throws {UnreadableError} The text is no seed. */
export function checkSeed(text) {
  if (SEED.test(text)) return;
  throw new UnreadableError(`the seed of this game must be 1 to 40 letters, digits or hyphens, not '${text.slice(0, 40)}'`);
}

/**
 * Return the index, in feedback order, of the part that evil takes among `tied` equal ones.
 * @param {string} seed
 * @param {number} turn From 1.
 * @param {number} tied
 */
export function seededTie(seed, turn, tied) {
  return Number(keyedNumber(seed, `evilpegs tie ${turn}`) % BigInt(tied));
}

/** @param {string} seed @param {import("./rules.js").Rules} rules */
export function seededSecret(seed, rules) {
  // no number is skipped: 2^256 is so large that a million codes are equally likely up to 1e-71
  return codeAt(rules, keyedNumber(seed, "evilpegs secret") % countCodes(rules));
}

/** @param {string} seed @param {string} message */
function keyedNumber(seed, message) {
  return BigInt(`0x${toHex(hmacSha256(utf8(seed), utf8(message)))}`);
}
