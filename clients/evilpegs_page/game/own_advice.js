/**
 * Advice without a server, where there is none: what is left after the rows of a board, and the guesses that leave least,
 * by the worst reply and on average. The server compares by more criteria, and also many codes.
 */

import { enumerateCodes, formatCode, listCodes, parseCode } from "../core/codes.js";
import { feedbackNumber } from "../core/feedback.js";
import { countParts, feedbackNumbers, partition, selectCandidates } from "../core/partition.js";
import { feedbackOf } from "./own_board.js";

/** @import { Rules } from "../core/rules.js" */
/** @typedef {import("./own_board.js").Row} Row */

/** Comparisons of two codes: a tenth of a second. */
const MOST_WORK = 3_000_000;
const MOST_LISTED = 30;

/** @param {Rules} rules @param {readonly Row[]} rows @returns {import("../views/assist.js").Advice} */
export function advise(rules, rows) {
  const all = enumerateCodes(rules);
  const left = codesAfter(rules, all, rows);
  const candidates = left.length / rules.pegs;
  const after = rows.map((row) => ({ black: feedbackOf(row).black }));
  const known = { after, candidates, codes: candidates <= MOST_LISTED ? listCodes(rules, left, MOST_LISTED) : [], expected_guesses: null };
  if (candidates === 0) return { ...known, clash: clash(rules, all, rows), among: "codes", guesses: [] };
  const isWhole = candidates * (all.length / rules.pegs) <= MOST_WORK;
  const compared = isWhole ? all : left.subarray(0, Math.max(1, Math.floor(MOST_WORK / candidates)) * rules.pegs);
  return { ...known, clash: [], among: isWhole ? "codes" : "samples", guesses: best(rules, compared, left) };
}

/** Return the codes that fit all rows. @param {Rules} rules @param {Uint8Array} codes @param {readonly Row[]} rows */
function codesAfter(rules, codes, rows) {
  return rows.reduce((left, row) => selectCandidates(rules, left, feedbackNumbers(rules, left, parseCode(rules, row.code)), feedbackOf(row)), codes);
}

/** Return the rows that another reply would make fit all others, with these replies, likely ones first; else all rows. @param {Rules} rules @param {Uint8Array} all @param {readonly Row[]} rows */
function clash(rules, all, rows) {
  const found = rows.map(({ code }, index) => {
    const parts = partition(rules, codesAfter(rules, all, rows.toSpliced(index, 1)), parseCode(rules, code));
    parts.sort((one, other) => other.count - one.count);
    return { row: index + 1, fitting: parts.map(({ black, white }) => /** @type {[number, number]} */ ([black, white])) };
  });
  const fitting = found.filter((each) => each.fitting.length > 0);
  return fitting.length > 0 ? fitting : found;
}

/** Return the guesses that leave least; of equal ones, a code that is left. @param {Rules} rules @param {Uint8Array} guesses @param {Uint8Array} left */
function best(rules, guesses, left) {
  const { pegs } = rules;
  const isRight = feedbackNumber({ black: pegs, white: 0 }, pegs);
  const found = new Map(["minimax", "expected-size"].map((name) => [name, { code: "", rank: [Infinity], largest: 0, expected_size: 0 }]));
  for (let start = 0; start < guesses.length; start += pegs) {
    const guess = guesses.subarray(start, start + pegs);
    const numbers = feedbackNumbers(rules, left, guess);
    const sizes = countParts(rules, numbers).map((part) => part.count);
    const largest = Math.max(...sizes);
    const mean = sizes.reduce((sum, size) => sum + size * size, 0) / numbers.length;
    const isOut = numbers.includes(isRight) ? 0 : 1;
    for (const [name, rank] of /** @type {const} */ ([["minimax", [largest, isOut, mean]], ["expected-size", [mean, isOut, largest]]])) {
      if (isLess(rank, found.get(name)?.rank ?? [])) found.set(name, { code: formatCode(guess), rank: [...rank], largest, expected_size: mean });
    }
  }
  const codes = [...new Set([...found.values()].map(({ code }) => code))];
  return codes.map((code) => {
    const names = [...found].filter(([, each]) => each.code === code);
    const { largest, expected_size } = names[0][1];
    return { code, best_by: names.map(([name]) => name), largest, expected_size };
  });
}

/** Return whether a rank comes first, by its first number that differs. @param {readonly number[]} one @param {readonly number[]} other */
function isLess(one, other) {
  const index = one.findIndex((each, place) => each !== other[place]);
  return index >= 0 && one[index] < other[index];
}
