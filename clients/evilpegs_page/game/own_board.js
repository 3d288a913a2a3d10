/** A board of one's own: guesses and what they got, as in the address `#/assist/4x6?turns=1122:1,0;3344:0,2&v=1`. */

import { formatCode, parseCode } from "../core/codes.js";
import { GameError } from "../core/errors.js";

/**
 * @typedef {object} Row
 * @property {string} code
 * @property {readonly number[]} marks for each peg of the feedback 0, or 1 if it is black, or 2 if it is white
 */

export const MAX_ROWS = 20;
const TURN = /^([^:]+):([0-9]{1,2}),([0-9]{1,2})$/;

/** Read the rows of an address. @param {import("../core/rules.js").Rules} rules @param {string} text @returns {Row[]} @throws {GameError} */
export function readRows(rules, text) {
  const turns = text.split(";").filter(Boolean);
  if (turns.length > MAX_ROWS) throw new GameError(`the address has ${turns.length} rows; a board has at most ${MAX_ROWS}`);
  return turns.map((turn) => {
    const [, code, black, white] = TURN.exec(turn) ?? [];
    const [blacks, whites] = [Number(black), Number(white)];
    if (!(blacks + whites <= rules.pegs)) throw new GameError(`'${turn.slice(0, 40)}' in the address is not a row of this board, such as 1122:1,0 on 4x6`);
    const marks = Array.from({ length: rules.pegs }, (_, peg) => (peg < blacks ? 1 : peg < blacks + whites ? 2 : 0));
    return { code: formatCode(parseCode(rules, code)), marks };
  });
}

/** Return the black and white pegs of a row. @param {Row} row */
export function feedbackOf({ marks }) {
  const count = (/** @type {number} */ wanted) => marks.filter((mark) => mark === wanted).length;
  return { black: count(1), white: count(2) };
}

/** @param {readonly Row[]} rows @returns {string} such as "1122:1,0;3344:0,2" */
export function formatRows(rows) {
  return rows.map((row) => `${row.code}:${feedbackOf(row).black},${feedbackOf(row).white}`).join(";");
}
