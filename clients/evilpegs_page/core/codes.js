/**
 * Codes: one color index per peg, their text form, and all codes of the rules in code order.
 *
 * A code is a `Uint8Array` of color indices. Many codes are one flat `Uint8Array`, code after code, `pegs` bytes each.
 * Code order is the order of the codes as sequences of color indices.
 */

import { CodeError, TooLargeError } from "./errors.js";
import { countCodes, formatRules, SYMBOLS } from "./rules.js";
import { count } from "./words.js";

/** @import { Rules } from "./rules.js" */

/** The most codes that are enumerated: a million takes some 50 ms and 6 MB. */
export const MAX_ENUMERATED = 1_000_000;

const SHOWN = 40;

/**
 * Read a code such as `1122`. Lower case letters count as upper case, and spaces are not allowed.
 * @param {Rules} rules @param {string} text
 * @throws {CodeError} The message says what is wrong, in the words of a player.
 */
export function parseCode(rules, text) {
  const colors = Array.from(text.toUpperCase(), (symbol) => SYMBOLS.indexOf(symbol));
  if (colors.includes(-1)) {
    const symbols = SYMBOLS.slice(0, rules.colors);
    throw new CodeError(`not a code: '${shorten(text)}'; use ${rules.pegs} of ${symbols}${letterHint(rules, text)}`);
  }
  const reason = whyIllegal(rules, colors);
  if (reason !== null) throw new CodeError(`'${shorten(text)}' ${reason}`);
  return Uint8Array.from(colors);
}

/** Return the text form of a code: one symbol per peg. @param {ArrayLike<number>} code */
export function formatCode(code) {
  return Array.from(code, (color) => SYMBOLS[color]).join("");
}

/**
 * Return the code at `index` (from 0) in code order, for rules of any size.
 * @param {Rules} rules
 * @param {bigint} index At least 0 and less than `countCodes(rules)`.
 */
export function codeAt(rules, index) {
  const free = Array.from({ length: rules.colors }, (_, color) => color);
  const code = new Uint8Array(rules.pegs);
  let remaining = countCodes(rules);
  if (index < 0n || index >= remaining) throw new RangeError(`index ${index} is not in 0 to ${remaining - 1n}`);
  let rest = index;
  for (let peg = 0; peg < rules.pegs; peg++) {
    remaining /= BigInt(free.length);
    const choice = Number(rest / remaining);
    rest %= remaining;
    code[peg] = free[choice];
    if (!rules.repeats) free.splice(choice, 1);
  }
  return code;
}

/** Return true if the rules have at most `MAX_ENUMERATED` codes, so that this page can go through all of them. @param {Rules} rules */
export function canEnumerate(rules) {
  return countCodes(rules) <= BigInt(MAX_ENUMERATED);
}

/**
 * Return every code of the rules in code order, as one flat array.
 * @param {Rules} rules
 * @throws {TooLargeError} The rules have more than `MAX_ENUMERATED` codes.
 */
export function enumerateCodes(rules) {
  if (!canEnumerate(rules)) {
    const codes = countCodes(rules).toLocaleString("en-US");
    throw new TooLargeError(`${formatRules(rules)} has ${codes} codes, too many for this page; play it on the server`);
  }
  const { pegs } = rules;
  const flat = new Uint8Array(Number(countCodes(rules)) * pegs);
  const code = Uint8Array.from({ length: pegs }, (_, peg) => (rules.repeats ? 0 : peg));
  for (let start = 0; start < flat.length; start += pegs) {
    flat.set(code, start);
    advance(rules, code);
  }
  return flat;
}

/** Return the first codes of a flat array as text. @param {Rules} rules @param {Uint8Array} codes @param {number} max */
export function listCodes({ pegs }, codes, max) {
  return Array.from({ length: Math.min(max, codes.length / pegs) }, (_, index) => formatCode(codes.subarray(index * pegs, (index + 1) * pegs)));
}

/** Change a code into the next one in code order; the last code becomes something that is no code. @param {Rules} rules @param {Uint8Array} code */
function advance(rules, code) {
  let peg = rules.pegs - 1;
  do {
    code[peg]++;
  } while (code[peg] < rules.colors ? isUsedBefore(rules, code, peg) : --peg >= 0);
  for (let later = Math.max(peg, 0) + 1; later < rules.pegs; later++) {
    code[later] = 0;
    while (isUsedBefore(rules, code, later)) code[later]++;
  }
}

/** @param {Rules} rules @param {Uint8Array} code @param {number} peg */
function isUsedBefore(rules, code, peg) {
  return !rules.repeats && code.indexOf(code[peg]) < peg;
}

/** @param {Rules} rules @param {number[]} colors @returns {string | null} Why the colors are not a code, or null if they are one. */
function whyIllegal(rules, colors) {
  const name = formatRules(rules);
  if (colors.length !== rules.pegs) return `has ${count(colors.length, "peg")}; ${name} needs ${rules.pegs}`;
  if (Math.max(...colors) >= rules.colors) return `has a color that ${name} lacks; use ${SYMBOLS.slice(0, rules.colors)}`;
  if (!rules.repeats && new Set(colors).size < colors.length) return `repeats a color; ${name} allows each once`;
  return null;
}

/** @param {string} text */
function shorten(text) {
  return Array.from(text).slice(0, SHOWN).join("");
}

/**
 * @param {Rules} rules @param {string} text
 * @returns {string} An addition to the message for a text that uses I for 1 or O for 0, if the rules have a color 0.
 */
function letterHint(rules, text) {
  const typed = text.toUpperCase();
  const fits = rules.colors > SYMBOLS.indexOf("0") && /[IO]/.test(typed) && /^[0-9A-Z]*$/.test(typed);
  return fits ? "; there is no I and no O; the tenth color is 0" : "";
}
