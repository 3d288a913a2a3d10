/**
 * Following a document of the API: it is asked for every few seconds with its entity tag, so that the server answers
 * with 304 and nothing else while it has not changed. While the page is hidden, nothing is asked for.
 */

import { ApiError, getChanged } from "./api.js";

const RETRY_MS = 2_000;

/** What following needs of the browser; tests give their own. */
export const BROWSER = {
  get: getChanged,
  isHidden: () => document.hidden,
  /** Call when the page is visible again, or the network is back. @param {() => void} listener @param {AbortSignal} signal */
  onVisible: (listener, signal) => {
    document.addEventListener("visibilitychange", listener, { signal });
    addEventListener("online", listener, { signal });
  },
  /** @param {() => void} callback @param {number} ms */
  set: (callback, ms) => setTimeout(callback, ms),
  /** @param {number} timer */
  clear: (timer) => clearTimeout(timer),
};

/**
 * @typedef {object} Following
 * @property {string} path
 * @property {number} everyMs the pause between two requests
 * @property {(text: string, date: number) => boolean | void} onText takes a new document and the server's time of the
 *   answer; true if there will be no newer one
 * @property {(error: ApiError) => boolean | void} onFailure takes a refusal; true if asking again is of no use
 * @property {() => void} [onUnchanged] is called when the document is still the one before, perhaps after a failure
 */

export class Follower {
  /** @param {Following} following @param {typeof BROWSER} [browser] */
  constructor(following, browser = BROWSER) {
    this.following = following;
    this.browser = browser;
    this.etag = "";
    this.isAsking = false;
    this.leaving = new AbortController();
    /** @type {any} */
    this.timer = null;
  }

  start() {
    this.browser.onVisible(() => this.ask(), this.leaving.signal);
    void this.ask();
  }

  stop() {
    this.leaving.abort();
    this.browser.clear(this.timer);
  }

  /** Ask once, unless the page is hidden or an answer is awaited, and then again after the pause. */
  async ask() {
    const { signal } = this.leaving;
    if (signal.aborted || this.isAsking || this.browser.isHidden()) return;
    this.browser.clear(this.timer);
    this.isAsking = true;
    const isDone = await this.askOnce(signal);
    this.isAsking = false;
    if (isDone) this.stop();
    else if (!signal.aborted) this.timer = this.browser.set(() => this.ask(), this.following.everyMs);
  }

  /** @param {AbortSignal} signal @returns {Promise<boolean>} whether nothing newer will come */
  async askOnce(signal) {
    const { path, onText, onFailure, onUnchanged } = this.following;
    try {
      const answer = await this.browser.get(path, this.etag, signal);
      if (signal.aborted) return false;
      if (answer === null) return onUnchanged?.() ?? false;
      this.etag = answer.etag;
      return onText(answer.text, answer.date) === true;
    } catch (error) {
      if (signal.aborted) return true;
      if (!(error instanceof ApiError)) throw error;
      return onFailure(error) === true;
    }
  }
}

/**
 * Ask for a document that the server may have to compute, until there is one or a refusal that stays; `stop` ends it.
 * @param {string} path @param {(answer: any) => void} onAnswer
 * @param {(failure: string, status: number) => void} onFailure takes a sentence and the status, 0 if there is no server; no
 *   text while the server is busy, because it answers later
 */
export function askUntilAnswer(path, onAnswer, onFailure) {
  const onText = (/** @type {string} */ text) => (onAnswer(JSON.parse(text)), true);
  const whenFailed = (/** @type {ApiError} */ { status, message }) => (onFailure(status === 503 ? "" : message, status), status !== 503 && status !== 0);
  const follower = new Follower({ path, everyMs: RETRY_MS, onText, onFailure: whenFailed });
  follower.start();
  return follower;
}
