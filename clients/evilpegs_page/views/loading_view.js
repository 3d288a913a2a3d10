/** The base of views that load documents of the server once, when they are opened. */

import { LitElement } from "../vendor/lit.js";
import { ApiError } from "../api.js";

export class LoadingView extends LitElement {
  static properties = { failure: { state: true } };

  constructor() {
    super();
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
    }
  }

  /** Load what the view shows. @param {AbortSignal} _signal is aborted when the view is left */
  async load(_signal) {}
}
