/** The time since a moment, such as "0:12", which goes on by itself. */

import { LitElement, css, html } from "../vendor/lit.js";
import { elapsedFace } from "./words.js";

const TICK_MS = 1_000;

export class TurnTime extends LitElement {
  static properties = { since: { type: Number } };

  static styles = css`
    :host {
      font-weight: 650;
      font-variant-numeric: tabular-nums;
    }
  `;

  constructor() {
    super();
    /** Unix milliseconds by the clock of the browser. */
    this.since = 0;
    /** @type {ReturnType<typeof setInterval> | undefined} */
    this.timer = undefined;
  }

  connectedCallback() {
    super.connectedCallback();
    this.timer = setInterval(() => this.requestUpdate(), TICK_MS);
  }

  disconnectedCallback() {
    clearInterval(this.timer);
    super.disconnectedCallback();
  }

  render() {
    return html`${elapsedFace(Date.now() - this.since)}`;
  }
}

customElements.define("turn-time", TurnTime);
