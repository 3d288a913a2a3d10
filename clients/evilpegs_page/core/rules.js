/**
 * Rules: how many pegs and colors a code has, and whether a color may repeat.
 *
 * The text form is `4x6` (pegs x colors), or `4x10-distinct` if no color may occur twice.
 *
 * @typedef {{pegs: number, colors: number, repeats: boolean}} Rules
 */

import { RulesError } from "./errors.js";

/** The symbol of each color, in order of the color indices; I and O are left out. */
export const SYMBOLS = "1234567890ABCDEFGHJKLMNPQRSTUVWXYZ";
export const MAX_PEGS = 16;
export const MAX_COLORS = 34;

export const PRESETS = Object.freeze({
  classic: "4x6",
  "bulls-and-cows": "4x10-distinct",
  super: "5x8",
  grand: "6x10",
  huge: "8x10",
  monster: "10x12",
  colossus: "12x14",
});

const TEXT = /^(0?[0-9]|[1-9][0-9]{1,39})x(0?[0-9]|[1-9][0-9]{1,39})(-distinct)?$/;

/**
 * Return frozen rules; throw RulesError if a number is out of range or distinct colors do not suffice.
 * @param {number} pegs @param {number} colors @param {boolean} [repeats] @returns {Readonly<Rules>}
 */
export function makeRules(pegs, colors, repeats = true) {
  checkRange("pegs", pegs, MAX_PEGS);
  checkRange("colors", colors, MAX_COLORS);
  if (!repeats && colors < pegs) throw new RulesError(`${pegs} distinct pegs need at least ${pegs} colors, not ${colors}`);
  return Object.freeze({ pegs, colors, repeats });
}

/** Read `4x6`, `4x10-distinct` or a preset such as `classic`; throw RulesError for anything else. @param {string} text @returns {Readonly<Rules>} */
export function parseRules(text) {
  const preset = Object.hasOwn(PRESETS, text) ? PRESETS[/** @type {keyof typeof PRESETS} */ (text)] : text;
  const found = TEXT.exec(preset);
  if (found === null) {
    const hint = `write PEGSxCOLORS like 4x6 or 4x10-distinct, or one of ${Object.keys(PRESETS).join(", ")}`;
    throw new RulesError(`not rules: '${text.slice(0, 40)}'; ${hint}`);
  }
  return makeRules(Number(found[1]), Number(found[2]), found[3] === undefined);
}

/** Return the text form of rules. @param {Rules} rules */
export function formatRules(rules) {
  return `${rules.pegs}x${rules.colors}${rules.repeats ? "" : "-distinct"}`;
}

/** Return the exact number of codes; on the largest rules it exceeds 2^53. @param {Rules} rules */
export function countCodes(rules) {
  let count = 1n;
  for (let peg = 0; peg < rules.pegs; peg++) count *= BigInt(rules.repeats ? rules.colors : rules.colors - peg);
  return count;
}

/** @param {string} name @param {number} value @param {number} highest */
function checkRange(name, value, highest) {
  if (!Number.isInteger(value) || value < 1 || value > highest) {
    const shown = Math.abs(value) < 1e9 ? value : "a number over 10^9";
    throw new RulesError(`${name} must be 1 to ${highest}, not ${shown}`);
  }
}
