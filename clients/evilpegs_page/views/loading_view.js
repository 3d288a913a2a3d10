/** The base of views that show documents of the server: loaded once when they are opened, or followed while they are shown. */

import { LitElement, html, nothing } from "../vendor/lit.js";
import { ApiError } from "../api.js";
import { Follower } from "../follow.js";

export class LoadingView extends LitElement {
  /** @type {import("../vendor/lit.js").PropertyDeclarations} */
  static properties = { params: { attribute: false }, query: { attribute: false }, failure: { state: true } };

  /** After how long a view that could not be loaded tries again. */
  retryMs = 2_000;

  constructor() {
    super();
    /** The named parts of the address. @type {Record<string, string>} */
    this.params = {};
    this.query = new URLSearchParams();
    /** What went wrong, as a sentence for the visitor; no text if nothing did. */
    this.failure = "";
    /** Tries again what failed; null if that is of no use. @type {(() => unknown) | null} */
    this.retry = null;
    /** Ends the requests when the view is left. */
    this.leaving = new AbortController();
  }

  connectedCallback() {
    super.connectedCallback();
    addEventListener("online", () => this.retry?.(), { signal: this.leaving.signal });
    void this.tryLoad();
  }

  disconnectedCallback() {
    this.leaving.abort();
    super.disconnectedCallback();
  }

  /** Load, and show a refusal of the server unless the view was left meanwhile. What may succeed later is tried again. */
  async tryLoad() {
    const { signal } = this.leaving;
    const said = this.failure;
    this.retry = null;
    try {
      await this.load(signal);
      if (this.failure === said) this.failure = "";
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ApiError)) throw error;
      this.failure = error.message;
      if (!mayPass(error)) return;
      /** @type {() => unknown} */
      const retry = () => this.retry === retry && this.tryLoad();
      this.retry = retry;
      setTimeout(() => signal.aborted || retry(), this.retryMs);
    }
  }

  /** What went wrong, with a way to try again if it may pass. */
  problem() {
    if (!this.failure) return nothing;
    return html`<div class="failure" role="alert">${this.failure} ${this.retry ? html`The page tries again by itself. <button @click=${() => this.retry?.()}>Try again now</button>` : nothing}</div>`;
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
    const follower = this.attend(new Follower({
      path,
      everyMs,
      onText: (text, date) => {
        tell("");
        return onText(text, date);
      },
      onUnchanged: () => tell(""),
      onFailure: (error) => {
        this.retry = mayPass(error) ? () => follower.ask() : null;
        tell(error.status === 404 ? (missing ?? error.message) : error.message);
        return error.status === 400 || error.status === 404;
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

/** Return true if the same request may succeed later. @param {ApiError} error */
function mayPass({ status }) {
  return status === 0 || status === 429 || status >= 500;
}
