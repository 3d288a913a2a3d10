/**
 * The line above a match that says what is wrong with the connection, with a button where the player can help.
 *
 * Connecting usually takes a few milliseconds, so it is shown only when it takes longer than anybody would overlook.
 */

import { css, html, nothing } from "../vendor/lit.js";
import { connectionStatus } from "../game/status_words.js";
import { TickingElement } from "./game_clock.js";
import { shared } from "./shared_style.js";

const TICK_MS = 500;
const OVERLOOKED_MS = 400;
const CONNECTING = new Set(["connecting", "greeting", "resuming"]);

export class ConnectionStatus extends TickingElement {
  static properties = { play: { attribute: false }, change: { type: Number } };

  static styles = [
    shared,
    css`
      .status {
        justify-content: space-between;
        gap: 0.5rem 1rem;
        margin-bottom: 1rem;
        padding: 0.6rem 1rem;
        border: 1px solid var(--accent);
        border-radius: var(--radius);
        background: var(--accent-soft);
        font-weight: 600;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {import("../game/server_play.js").ServerPlay | null} */
    this.play = null;
    /** Counts the changes of the play, so that this element follows them. */
    this.change = 0;
    /** When the page began to connect; null while it does not. @type {number | null} */
    this.since = null;
  }

  render() {
    const { play } = this;
    if (play === null) return nothing;
    const { match } = play;
    const now = performance.now();
    const facts = { hasMatch: match !== null, isTimed: match?.started?.clock != null, now };
    const status = connectionStatus(play.connection, facts);
    const isConnecting = CONNECTING.has(play.connection.state);
    this.since = isConnecting ? (this.since ?? now) : null;
    this.tickMs = isConnecting || play.connection.state === "waiting" ? TICK_MS : 0;
    const isOverlooked = this.since !== null && now - this.since < OVERLOOKED_MS;
    return html`<div role="status">${status === null || isOverlooked ? nothing : this.line(status)}</div>`;
  }

  /** @param {import("../game/status_words.js").Status} status */
  line({ text, action }) {
    return html`<div class="status row">
      <span>${text}</span>
      ${action === "take back" ? html`<button class="primary" @click=${() => this.play?.takeBack()}>Take it back here</button>` : nothing}
      ${action === "try now" ? html`<button @click=${() => this.play?.connection.wake()}>Try now</button>` : nothing}
    </div>`;
  }
}

customElements.define("connection-status", ConnectionStatus);
