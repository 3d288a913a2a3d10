/**
 * The requests of a connection: those that were sent and await their one answer, those that wait for a connection, and
 * those that wait because the server asked for a pause.
 */

import { LostAnswerError, RefusedError } from "./refusals.js";

/** @import { ServerMessage, ClientMessage, ErrorMessage } from "./messages.js" */

/**
 * @typedef {{message: ClientMessage, attempt: number, resolve: (answer: ServerMessage) => void, reject: (error: Error) => void}} Pending
 *   the message has no id; `attempt` is how often the server has asked for a pause
 */

const MAX_ATTEMPTS = 8;

export class Requests {
  /** @type {import("./connection.js").Timers} */ #timers;
  /** @type {(pending: Pending) => void} */ #repeat;
  /** Those that await an answer, by id. @type {Map<string, Pending>} */
  sent = new Map();
  /** Those that wait for a connection. @type {Pending[]} */
  waiting = [];
  /** @type {Map<Pending, unknown>} with the timer of each */ #paused = new Map();
  #nextId = 1;

  /**
   * @param {import("./connection.js").Timers} timers
   * @param {(pending: Pending) => void} repeat is called with a request after the pause that the server asked for
   */
  constructor(timers, repeat) {
    this.#timers = timers;
    this.#repeat = repeat;
  }

  /** Count a request as sent, and return its message with an id. @param {Pending} pending */
  send(pending) {
    const id = String(this.#nextId++);
    this.sent.set(id, pending);
    return { ...pending.message, id };
  }

  /** Return the request that a message answers, which then awaits no other answer. @param {ServerMessage} message */
  take(message) {
    if (typeof message.re !== "string") return undefined;
    const pending = this.sent.get(message.re);
    this.sent.delete(message.re);
    return pending;
  }

  /**
   * End a request with its answer, or repeat it after the pause that the server asked for.
   * @param {Pending} pending @param {ServerMessage} answer
   * @returns {RefusedError | null} the refusal that ended it; null if none did
   */
  settle(pending, answer) {
    if (answer.type !== "error") {
      pending.resolve(answer);
      return null;
    }
    const refusal = new RefusedError(/** @type {ErrorMessage} */ (/** @type {unknown} */ (answer)));
    if (mayRepeat(pending, refusal)) {
      this.#pause(pending, refusal.retryAfterMs ?? 0);
      return null;
    }
    pending.reject(refusal);
    return refusal;
  }

  /** @param {Pending} pending @param {number} ms */
  #pause(pending, ms) {
    const timer = this.#timers.set(() => {
      this.#paused.delete(pending);
      this.#repeat({ ...pending, attempt: pending.attempt + 1 });
    }, ms);
    this.#paused.set(pending, timer);
  }

  /** Fail what was sent on a connection that is gone, or was to be sent on it again after a pause. */
  loseSent() {
    const lost = [...this.sent.values(), ...this.#paused.keys()];
    for (const timer of this.#paused.values()) this.#timers.clear(timer);
    this.#paused.clear();
    this.sent.clear();
    for (const pending of lost) pending.reject(new LostAnswerError());
  }

  /** Fail what waits for a connection. @param {Error} error */
  failWaiting(error) {
    for (const pending of this.waiting.splice(0)) pending.reject(error);
  }
}

/** @param {Pending} pending @param {RefusedError} refusal */
function mayRepeat(pending, refusal) {
  if (refusal.code !== "rate_limited" || refusal.retryAfterMs === null || refusal.fatal) return false;
  return pending.message.type !== "hello" && pending.attempt < MAX_ATTEMPTS;
}
