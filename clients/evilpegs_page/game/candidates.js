/**
 * The codes that are still possible after a player's own guesses, computed in the browser.
 *
 * Everything here follows from feedback that the player has received, so it teaches nothing about a rated game that the
 * player could not compute. Rules with more than a million codes are not enumerated; for them only colors are excluded
 * that a single feedback rules out.
 */

import { canEnumerate, enumerateCodes, listCodes, parseCode } from "../core/codes.js";
import { bringsNothing, feedbackNumbers, partition, selectCandidates } from "../core/partition.js";
import { countCodes } from "../core/rules.js";

/** @import { Rules } from "../core/rules.js" */
/** @typedef {{code: string, black: number, white: number}} PlayedTurn */

/** Up to this number of codes the candidates are computed at once; more would delay the reply on the screen. */
export const QUICK_CODES = 50_000;

export class Candidates {
  /** @type {readonly PlayedTurn[]} */ #turns = [];
  /** @type {Uint8Array | null} */ #codes = null;

  /** @param {Rules} rules */
  constructor(rules) {
    this.rules = rules;
    /** True if the codes can be enumerated. */
    this.isExact = canEnumerate(rules);
    /** True if an update takes so little time that it may happen before the reply is drawn. */
    this.isQuick = !this.isExact || countCodes(rules) <= BigInt(QUICK_CODES);
    /** The number of candidates after each turn; empty if the codes cannot be enumerated. @type {number[]} */
    this.counts = [];
    /** The colors that no candidate contains, as indices in order. @type {readonly number[]} */
    this.excluded = [];
  }

  /** Follow the turns of a game. Turns that were followed before are not computed again. @param {readonly PlayedTurn[]} turns */
  follow(turns) {
    const goesOn = this.#turns.every((turn, index) => isEqual(turn, turns[index]));
    if (goesOn && turns.length === this.#turns.length) return;
    if (!goesOn) {
      this.#turns = [];
      this.#codes = null;
      this.counts = [];
    }
    if (this.isExact) for (const turn of turns.slice(this.#turns.length)) this.#filter(turn);
    this.#turns = [...turns];
    const possible = this.isExact ? this.#possibleColors() : this.#colorsNotRefuted();
    this.excluded = [...Array(this.rules.colors).keys()].filter((color) => !possible.has(color));
  }

  /** Return the first candidates as text, in code order; none before the first turn or if they cannot be enumerated. @param {number} max */
  listCandidates(max) {
    return this.#codes === null ? [] : listCodes(this.rules, this.#codes, max);
  }

  /** Return true if a guess can bring nothing; false if it has empty pegs or counting would delay the entry. @param {readonly (number | null)[]} guess */
  isIdle(guess) {
    const { rules } = this;
    if (this.#codes === null || this.#codes.length > QUICK_CODES * rules.pegs || guess.includes(null)) return false;
    return bringsNothing(partition(rules, this.#codes, Uint8Array.from(guess, Number)), rules.pegs);
  }

  /** @param {PlayedTurn} turn */
  #filter(turn) {
    const { rules } = this;
    const codes = this.#codes ?? enumerateCodes(rules);
    const numbers = feedbackNumbers(rules, codes, parseCode(rules, turn.code));
    this.#codes = selectCandidates(rules, codes, numbers, turn);
    this.counts.push(this.#codes.length / rules.pegs);
  }

  #possibleColors() {
    return this.#codes === null ? new Set(Array(this.rules.colors).keys()) : new Set(this.#codes);
  }

  #colorsNotRefuted() {
    const possible = new Set(Array(this.rules.colors).keys());
    for (const turn of this.#turns) {
      const guessed = new Set(parseCode(this.rules, turn.code));
      for (const color of [...possible]) {
        if (turn.black + turn.white === (guessed.has(color) ? 0 : this.rules.pegs)) possible.delete(color);
      }
    }
    return possible;
  }
}

/** @param {PlayedTurn} a @param {PlayedTurn | undefined} b */
function isEqual(a, b) {
  return b !== undefined && a.code === b.code && a.black === b.black && a.white === b.white;
}
