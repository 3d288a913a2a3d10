/** The base of views that show documents of the server: loaded once when they are opened, or followed while they are shown. */

import { LitElement } from "../vendor/lit.js";
import { ApiError } from "../api.js";
import { Follower } from "../follow.js";

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

  /** Follow a document until the view is left. @param {import("../follow.js").Following} following */
  follow(following) {
    const follower = new Follower(following);
    this.leaving.signal.addEventListener("abort", () => follower.stop());
    if (!this.leaving.signal.aborted) follower.start();
  }
}
