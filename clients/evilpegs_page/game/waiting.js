/** How long a connection waits: before the next attempt to connect, and for a sign of life from a socket that may be dead without an end. */

const FIRST_MS = 200;
const LONGEST_MS = 10_000;
const SILENCE_MS = 20_000;
const PONG_MS = 10_000;

/**
 * Return the milliseconds to wait before an attempt: a little longer each time, and never in step with other clients.
 * The bounds double up to the longest; each wait is drawn from the upper half of its bound.
 * @param {number} attempt the number of the attempt, from 0
 * @param {() => number} random returns a number from 0 up to 1
 */
export function retryDelay(attempt, random) {
  const bound = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt, 20));
  return bound / 2 + (random() * bound) / 2;
}

export class SilenceWatch {
  /** @type {import("./connection.js").Timers} */ #timers;
  /** @type {{ping: () => void, dead: () => void}} */ #acts;
  /** @type {unknown} */ #timer = null;

  /**
   * @param {import("./connection.js").Timers} timers
   * @param {{ping: () => void, dead: () => void}} acts `ping` asks for a sign of life, `dead` is called if none came
   */
  constructor(timers, acts) {
    this.#timers = timers;
    this.#acts = acts;
  }

  /** Begin the silence again: a ping after 20 s, and the end after 10 s more. */
  watch() {
    this.#set(SILENCE_MS, () => {
      this.limit(PONG_MS);
      this.#acts.ping();
    });
  }

  /** Call the socket dead after some milliseconds, without a ping. @param {number} ms */
  limit(ms) {
    this.#set(ms, this.#acts.dead);
  }

  end() {
    this.#timers.clear(this.#timer);
  }

  /** @param {number} ms @param {() => void} callback */
  #set(ms, callback) {
    this.end();
    this.#timer = this.#timers.set(callback, ms);
  }
}
