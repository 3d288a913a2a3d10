/**
 * Following live matches by server-sent events: a guess shows at once, and nothing is asked for while nothing happens.
 * EventSource connects again by itself, and goes on after the last event that it has.
 */

import { BROWSER } from "./follow.js";

const STREAMING = {
  ...BROWSER,
  /** @param {string} path */
  open: (path) => new EventSource(path),
  /** @param {() => void} callback */
  frame: (callback) => requestAnimationFrame(callback),
};
const RETRY_MS = 1_500;

/**
 * @typedef {object} Watching
 * @property {string} path
 * @property {string} text the record so far
 * @property {number} seq that of its last event
 * @property {(text: string) => boolean | void} onText takes a longer record; true if there will be no longer one
 * @property {(isLost: boolean) => void} onLost takes whether the server cannot be reached
 * @property {() => void} onRefused the server refuses the stream; a request for the record says why
 */

export class MatchStream {
  /** @param {Watching} watching @param {typeof STREAMING} [browser] */
  constructor(watching, browser = STREAMING) {
    this.watching = watching;
    this.browser = browser;
    this.text = watching.text;
    this.seq = watching.seq;
    this.errors = 0;
    this.isDrawing = false;
    this.leaving = new AbortController();
    /** @type {EventSource | null} */
    this.source = null;
    /** @type {any} */
    this.timer = null;
  }

  start() {
    this.browser.onVisible(() => this.attend(), this.leaving.signal);
    this.attend();
  }

  stop() {
    this.leaving.abort();
    this.browser.clear(this.timer);
    this.source?.close();
  }

  /** Be connected while the page is visible. */
  attend() {
    if (this.browser.isHidden()) {
      // a browser has six connections to a server at most, for all its tabs
      this.source?.close();
      this.source = null;
    } else {
      this.source ??= this.open();
    }
  }

  open() {
    const source = this.browser.open(this.watching.path);
    source.onopen = () => this.note(0);
    source.onmessage = ({ data }) => this.add(data);
    source.onerror = () => {
      if (source.readyState !== source.CLOSED) return this.note(this.errors + 1);
      this.stop();
      this.timer = this.browser.set(this.watching.onRefused, RETRY_MS);
    };
    return source;
  }

  /** @param {number} errors those since the stream was open */
  note(errors) {
    this.errors = errors;
    // one may be no more than the end of a connection
    this.watching.onLost(errors > 1);
  }

  /** @param {string} line an event, perhaps one that the record has */
  add(line) {
    const { seq } = JSON.parse(line);
    if (seq <= this.seq) return;
    this.seq = seq;
    this.text += `${line}\n`;
    if (!this.isDrawing) this.browser.frame(() => this.draw());
    this.isDrawing = true;
  }

  draw() {
    this.isDrawing = false;
    if (!this.leaving.signal.aborted && this.watching.onText(this.text) === true) this.stop();
  }
}

/** Following all matches of a ladder, or of the server. `onPlace` is called when the stream begins in the middle. */
export class LadderStream extends MatchStream {
  /** @param {Pick<Watching, "path" | "onLost" | "onRefused"> & {onEvent: (event: any) => void, onPlace: () => void}} watching @param {typeof STREAMING} [browser] */
  constructor(watching, browser) {
    super({ ...watching, text: "", seq: 0, onText: () => {} }, browser);
    this.add = (/** @type {string} */ line) => watching.onEvent(JSON.parse(line));
    this.open = () => {
      const source = super.open();
      for (const type of ["place", "reset"]) source.addEventListener(type, watching.onPlace);
      return source;
    };
  }
}
