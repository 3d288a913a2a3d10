/** The watch over a socket that may be dead without an end: after a silence it is asked for a sign of life. */

const SILENCE_MS = 20_000;
const PONG_MS = 10_000;

export class SilenceWatch {
  /** @type {import("./connection_options.js").Timers} */ #timers;
  /** @type {{ping: () => void, dead: () => void}} */ #acts;
  /** @type {unknown} */ #timer = null;

  /**
   * @param {import("./connection_options.js").Timers} timers
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
