/**
 * A game that is played in the browser alone, against evil or a fixed secret.
 *
 * The game keeps the codes left as one flat array, so rules of more than a million codes are refused with a
 * TooLargeError whose message sends the player to the server.
 *
 * `guess` answers at once: well under 10 ms on 4x6 and some 50 ms on a million codes. `guessInSteps` does the same work
 * in steps of a few milliseconds and lets the page draw in between; a view uses it when `isLarge` is true. A Web Worker
 * would need the codes sent to and fro and is not worth it at this size.
 */

import { enumerateCodes, formatCode, listCodes, parseCode } from "./codes.js";
import { GameError, UnreadableError } from "./errors.js";
import { chooseReply } from "./evil.js";
import { feedback, isAllBlack } from "./feedback.js";
import { bringsNothing, countParts, feedbackNumbers, numberCodes, partition, selectCandidates } from "./partition.js";
import { formatRules, parseRules } from "./rules.js";
import { checkSeed, seededSecret, seededTie } from "./seed.js";

/** @import { Rules } from "./rules.js" */
/** @import { Part } from "./partition.js" */

/**
 * @typedef {"evil" | "fixed"} LocalCodemaker
 * @typedef {null | "solved" | "unsolved" | "resigned"} LocalOutcome
 *
 * @typedef {{code: string, black: number, white: number, parts: Part[], before: number, left: number}} LocalTurn `parts` are what each
 *   possible reply would have left, in feedback order; `before` and `left` are the codes before and after the reply
 *
 * @typedef {object} LocalGameOptions
 * @property {Rules} rules
 * @property {LocalCodemaker} [codemaker] `evil` by default.
 * @property {number} [limit] Guesses until the game is lost; by default that of the rules.
 * @property {string | undefined} [seed] Decides evil's ties, or the secret of a fixed codemaker.
 * @property {string} [secret] The secret of a fixed codemaker without a seed.
 *
 * @typedef {{rules: string, codemaker: LocalCodemaker, limit: number, seed?: string, secret?: string, guesses: string[],
 *   resigned?: boolean, hints?: boolean}} StoredGame
 */

/** Games of more codes take longer than a frame of the screen per guess; use `guessInSteps` for them. */
export const LARGE = 100_000;
const STEP = 50_000;
/** The guesses of a game, which are those of the ladders on the server; 20 on rules without a ladder. */
const LIMITS = new Map([["4x6", 10], ["4x10-distinct", 12], ["5x8", 14]]);
/** @param {string} rules */
export const guessLimit = (rules) => LIMITS.get(rules) ?? 20;

export class LocalGame {
  /** @type {Uint8Array} */ #candidates;
  /** @type {Uint8Array | null} */ #secret = null;
  #resigned = false;
  #busy = false;

  /** @param {LocalGameOptions} options */
  constructor({ rules, codemaker = "evil", limit = guessLimit(formatRules(rules)), seed, secret }) {
    if (codemaker !== "evil" && codemaker !== "fixed") {
      throw new GameError("a game in the browser is against evil or a fixed secret; play others on the server");
    }
    if (!Number.isInteger(limit) || limit < 1) throw new GameError(`a game has at least 1 guess, not ${limit}`);
    this.rules = rules;
    this.codemaker = codemaker;
    this.limit = limit;
    this.seed = seed;
    if (seed !== undefined) checkSeed(seed);
    /** @type {LocalTurn[]} */
    this.turns = [];
    /** Whether the player was shown a best guess. */
    this.hinted = false;
    this.#candidates = enumerateCodes(rules);
    if (codemaker === "fixed") {
      if (seed === undefined && secret === undefined) throw new GameError("a fixed secret needs a seed");
      this.#secret = seed === undefined ? parseCode(rules, secret ?? "") : seededSecret(seed, rules);
    }
  }

  get candidates() {
    return this.#candidates.length / this.rules.pegs;
  }

  /** True if a guess may take longer than a frame of the screen. */
  get isLarge() {
    return this.candidates > LARGE;
  }

  /** How the game ended; null while it is open. @returns {LocalOutcome} */
  get over() {
    const last = this.turns.at(-1);
    if (last !== undefined && isAllBlack(last, this.rules.pegs)) return "solved";
    if (this.#resigned) return "resigned";
    return this.turns.length >= this.limit ? "unsolved" : null;
  }

  /** The secret, or against evil the first code that fits every reply; null until the game is over. */
  get secret() {
    if (this.over === null) return null;
    return formatCode(this.#secret ?? this.#candidates.subarray(0, this.rules.pegs));
  }

  /**
   * Play a guess and return the turn.
   * @param {string} text @returns {LocalTurn}
   * @throws {GameError} The text is not a code of the rules (a CodeError), or the game is over.
   */
  guess(text) {
    const guess = this.#parseGuess(text);
    return this.#reply(guess, feedbackNumbers(this.rules, this.#candidates, guess));
  }

  /**
   * Play a guess and return the turn, without keeping the page from drawing for longer than some 5 ms. Until it is done,
   * further guesses are refused with a GameError.
   * @param {string} text
   * @param {() => Promise<unknown>} [pause] Called between steps; by default the next task of the event loop.
   */
  async guessInSteps(text, pause = () => new Promise((resolve) => setTimeout(resolve, 0))) {
    const guess = this.#parseGuess(text);
    const numbers = new Uint8Array(this.candidates);
    this.#busy = true;
    try {
      for (let start = 0; start < numbers.length; start += STEP) {
        const stop = Math.min(start + STEP, numbers.length);
        numberCodes(this.rules, this.#candidates, guess, numbers, start, stop);
        await pause();
      }
    } finally {
      this.#busy = false;
    }
    return this.#reply(guess, numbers);
  }

  /** Return true if a guess can bring nothing; false if it has empty pegs or counting would delay the entry. @param {readonly (number | null)[]} guess */
  isIdle(guess) {
    return !this.isLarge && !guess.includes(null) && bringsNothing(partition(this.rules, this.#candidates, Uint8Array.from(guess, Number)), guess.length);
  }

  resign() {
    this.#checkOpen();
    this.#resigned = true;
  }

  /** Return the first codes left, as text, in code order. @param {number} max @returns {string[]} */
  listCandidates(max) {
    return listCodes(this.rules, this.#candidates, max);
  }

  /** Return the indices of the colors that no code left contains. @returns {number[]} */
  excludedColors() {
    return [...Array(this.rules.colors).keys()].filter((color) => !this.#candidates.includes(color));
  }

  /** Return the game as plain data, from which `fromJSON` makes the same game. @returns {StoredGame} */
  toJSON() {
    /** @type {StoredGame} */
    const stored = {
      rules: formatRules(this.rules),
      codemaker: this.codemaker,
      limit: this.limit,
      guesses: this.turns.map((turn) => turn.code),
    };
    if (this.seed !== undefined) {
      stored.seed = this.seed;
    } else if (this.#secret !== null) {
      stored.secret = formatCode(this.#secret);
    }
    if (this.hinted) stored.hints = true;
    return this.#resigned ? { ...stored, resigned: true } : stored;
  }

  /**
   * Return the game that `toJSON` described; replies are computed again, so nothing stored can be wrong about them.
   * @param {unknown} value
   * @throws {UnreadableError} The value describes no game.
   */
  static fromJSON(value) {
    try {
      const stored = checkStored(value);
      const game = new LocalGame({ ...stored, rules: parseRules(stored.rules) });
      stored.guesses.forEach((text) => game.guess(text));
      if (stored.resigned === true) game.resign();
      game.hinted = stored.hints === true;
      return game;
    } catch (error) {
      if (error instanceof GameError) throw new UnreadableError(`the game cannot be read: ${error.message}`);
      throw error;
    }
  }

  /** @param {string} text */
  #parseGuess(text) {
    this.#checkOpen();
    return parseCode(this.rules, text);
  }

  #checkOpen() {
    if (this.over !== null) throw new GameError("the game is over; start a new one");
    if (this.#busy) throw new GameError("the previous guess has no reply yet");
  }

  /** @param {Uint8Array} guess @param {Uint8Array} numbers @returns {LocalTurn} */
  #reply(guess, numbers) {
    const { rules } = this;
    const parts = countParts(rules, numbers);
    const before = this.candidates;
    const { seed } = this;
    const tie = seed === undefined ? undefined : (/** @type {number} */ tied) => seededTie(seed, this.turns.length + 1, tied);
    const { black, white } = this.#secret === null ? chooseReply(parts, rules.pegs, tie) : feedback(guess, this.#secret);
    this.#candidates = selectCandidates(rules, this.#candidates, numbers, { black, white });
    const turn = { code: formatCode(guess), black, white, parts, before, left: this.candidates };
    this.turns.push(turn);
    return turn;
  }
}

/** @param {unknown} value @returns {StoredGame} */
function checkStored(value) {
  const stored = /** @type {Partial<StoredGame> | null} */ (typeof value === "object" ? value : null);
  const guesses = stored?.guesses;
  const isText = (/** @type {unknown} */ text) => typeof text === "string";
  const hasSeed = isText(stored?.seed);
  const hasSecret = isText(stored?.secret) === (stored?.codemaker === "fixed" && !hasSeed) && hasSeed === (stored?.seed !== undefined);
  if (!isText(stored?.rules) || !Array.isArray(guesses) || !guesses.every(isText) || !hasSecret) {
    throw new UnreadableError("it is incomplete");
  }
  return /** @type {StoredGame} */ (stored);
}
