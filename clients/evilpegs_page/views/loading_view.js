/** The base of views that show documents of the server: loaded once when they are opened, or followed while they are shown. */

import { LitElement, html, nothing } from "../vendor/lit.js";
import { ApiError } from "../api.js";
import { Follower } from "../follow.js";

export class LoadingView extends LitElement {
  /** @type {import("../vendor/lit.js").PropertyDeclarations} */
  static properties = { params: { attribute: false }, query: { attribute: false }, failure: { state: true } };

  /** After how long a view that could not be loaded tries again; 0 for never. */
  retryMs = 0;

  constructor() {
    super();
    /** The named parts of the address. @type {Record<string, string>} */
    this.params = {};
    this.query = new URLSearchParams();
    /** What went wrong, as a sentence for the visitor; no text if nothing did. */
    this.failure = "";
    /** Ends the requests when the view is left. */
    this.leaving = new AbortController();
  }

  connectedCallback() {
    super.connectedCallback();
    void this.tryLoad();
  }

  disconnectedCallback() {
    this.leaving.abort();
    super.disconnectedCallback();
  }

  /** Load, and show a refusal of the server unless the view was left meanwhile. */
  async tryLoad() {
    const { signal } = this.leaving;
    try {
      await this.load(signal);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ApiError)) throw error;
      this.failure = error.message;
      if (this.retryMs > 0) setTimeout(() => signal.aborted || this.tryLoad(), this.retryMs);
    }
  }

  loading() {
    return this.failure ? nothing : html`<p class="muted" role="status">Loading…</p>`;
  }

  /** Load what the view shows. @param {AbortSignal} _signal is aborted when the view is left @returns {void | Promise<void>} */
  load(_signal) {}

  /**
   * Follow a document until the view is left or the server refuses it for good.
   * @param {Omit<import("../follow.js").Following, "onFailure"> & {missing?: string, tell?: (words: string) => void}} following
   *   `missing` is said if there is no such document; `tell` takes what went wrong, and no text with each document
   */
  follow({ path, everyMs, onText, missing, tell = (words) => void (this.failure = words) }) {
    this.attend(new Follower({
      path,
      everyMs,
      onText: (text, date) => {
        tell("");
        return onText(text, date);
      },
      onUnchanged: () => tell(""),
      onFailure: ({ status, message }) => {
        tell(status === 404 ? (missing ?? message) : message);
        return status === 400 || status === 404;
      },
    }));
  }

  /** Keep something going until the view is left. @template {{start: () => void, stop: () => void}} Going @param {Going} going */
  attend(going) {
    const { signal } = this.leaving;
    signal.addEventListener("abort", () => going.stop());
    if (!signal.aborted) going.start();
    return going;
  }
}
