/**
 * A bot that the visitor wrote. Its code runs in a worker (bots/worker.js), which this page asks for one guess at a time
 * and ends when an answer takes too long. What the worker sends was written by anybody: it is text to be checked.
 */

import { formatCode, parseCode } from "../core/codes.js";
import { CodeError } from "../core/errors.js";
import { SYMBOLS } from "../core/rules.js";

/** @typedef {import("../core/rules.js").Rules} Rules */
/** @typedef {{code: string, black: number, white: number}} Turn */

export const CHOICE_MS = 5_000;
const MAX_TEXT = 500;
const SLOW = `no answer after ${CHOICE_MS / 1000} seconds. Look for a loop that never ends, or try fewer codes; then start it again`;

/** The bot cannot go on. The message is a sentence for its author. */
export class BotError extends Error {
  /** @param {string} message @param {number | null} [line] the line of the author's code */
  constructor(message, line = null) {
    super(message);
    this.line = line;
  }
}

export class Bot {
  /** @type {(answer: Record<string, unknown>) => void} */ #settle = () => {};
  #started;
  /** Why the worker was ended; null while it runs. @type {string | null} */ #end = null;

  /**
   * @param {{worker: Pick<Worker, "postMessage" | "terminate" | "onmessage" | "onerror">,
   *   timers: Pick<import("./connection.js").Timers, "set" | "clear">, onLog: (line: string) => void}} options
   */
  constructor({ worker, timers, onLog }) {
    this.worker = worker;
    this.timers = timers;
    this.#started = new Promise((resolve) => (this.#settle = resolve));
    worker.onmessage = ({ data }) => {
      if (typeof data?.log === "string") onLog(data.log.slice(0, MAX_TEXT));
      else this.#settle(data ?? {});
    };
    worker.onerror = () => this.close("the program that runs bots did not load; check the connection, then try again");
  }

  /** Run the code, which defines `choose`, and return the bot. @param {string} code @throws {BotError} */
  async load(code) {
    await this.#started; // how long that takes depends on the network, not on the bot
    try {
      await this.#ask({ code });
      return this;
    } catch (error) {
      this.close();
      throw blame("Your code", error, code.split("\n").length);
    }
  }

  /** Return the bot's guess, where `codes` are possible. @param {Rules} rules @param {readonly Turn[]} played @param {Uint8Array} codes @throws {BotError} */
  async choose(rules, played, codes) {
    const { pegs, colors, repeats } = rules;
    const turns = played.map(({ code, black, white }) => ({ guess: code, black, white }));
    const candidates = [];
    for (let start = 0; start < codes.length; start += pegs) candidates.push(formatCode(codes.subarray(start, start + pegs)));
    try {
      const position = { rules: { pegs, colors, repeats }, symbols: SYMBOLS.slice(0, colors), turns, candidates };
      const { guess } = await this.#ask(position);
      return formatCode(parseCode(rules, String(guess)));
    } catch (error) {
      const after = turns.map(({ guess, black, white }) => `${guess} (${black} black, ${white} white)`);
      throw blame(`Guess ${turns.length + 1}${after.length === 0 ? "" : `, after ${after.join(", ")}`}`, error);
    }
  }

  /** End the worker, and with it the answer that is awaited. @param {string} [why] */
  close(why = "it was stopped") {
    this.#end ??= why;
    this.worker.terminate();
    this.#settle({ error: why });
  }

  /** @param {object} message @returns {Promise<Record<string, unknown>>} */
  async #ask(message) {
    if (this.#end !== null) throw new BotError(this.#end);
    return new Promise((resolve, reject) => {
      const timer = this.timers.set(() => this.close(SLOW), CHOICE_MS);
      this.#settle = ({ error, line, ...answer }) => {
        this.timers.clear(timer);
        if (error === undefined) resolve(answer);
        else reject(new BotError(String(error).slice(0, MAX_TEXT), Number.isInteger(line) ? Number(line) : null));
      };
      this.worker.postMessage(message);
    });
  }
}

/** @param {string} where @param {unknown} error @param {number} [lines] the lines of the code: an end that is missing is after the last */
function blame(where, error, lines = Infinity) {
  if (!(error instanceof BotError) && !(error instanceof CodeError)) return error;
  const line = error instanceof BotError && error.line !== null ? Math.min(error.line, lines) : null;
  return new BotError(`${where}${line === null ? "" : `, line ${line}`}: ${error.message}.`, line);
}
