/** The clocks of a game: what is left of its time, and how long a turn has taken. */

import { LitElement, css, html } from "../vendor/lit.js";
import { clockFace } from "../game/ladder_words.js";
import { shared } from "./shared_style.js";
import { elapsedFace } from "./words.js";

const TICK_MS = 100;
const SECOND_MS = 1_000;
const LOW_MS = 10_000;

/** An element that draws itself again while it says how soon. */
export class TickingElement extends LitElement {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  timer = undefined;
  /** Milliseconds until the next drawing; 0 for none. */
  tickMs = 0;

  connectedCallback() {
    super.connectedCallback();
    this.requestUpdate();
  }

  disconnectedCallback() {
    clearTimeout(this.timer);
    super.disconnectedCallback();
  }

  updated() {
    clearTimeout(this.timer);
    if (this.tickMs > 0) this.timer = setTimeout(() => this.requestUpdate(), this.tickMs);
  }
}

/** Asks for the time left ten times per second while it runs, and otherwise stands still. */
export class GameClock extends TickingElement {
  static properties = { read: { attribute: false }, running: { type: Boolean }, label: {} };

  static styles = [
    shared,
    css`
      :host { display: inline-block; }
      .clock {
        display: inline-flex;
        align-items: baseline;
        gap: 0.5rem;
        padding: 0.25rem 0.8rem;
        border: 1px solid var(--line);
        border-radius: 999px;
        background: var(--sunken);
        color: var(--muted);
        font-weight: 600;
      }
      .time {
        min-width: 3.2ch;
        color: var(--ink);
        font-size: 1.35rem;
        font-weight: 750;
        font-variant-numeric: tabular-nums;
        text-align: right;
      }
      .running {
        border-color: var(--accent);
        background: var(--accent-soft);
        color: var(--ink);
      }
      .low .time { color: var(--bad); }
    `,
  ];

  constructor() {
    super();
    /** Returns the time left in milliseconds. @type {() => number} */
    this.read = () => 0;
    this.running = false;
    this.label = "Time left";
  }

  render() {
    this.tickMs = this.running ? TICK_MS : 0;
    const left = this.read();
    const isLow = this.running && left < LOW_MS;
    return html`<span class="clock ${this.running ? "running" : ""} ${isLow ? "low" : ""}">
      <span>${this.label}</span>
      <span class="time" role="timer" aria-label=${`${this.label}: ${clockFace(left)}`}>${clockFace(left)}</span>
    </span>`;
  }
}

/** The time since a moment, or until one, such as "0:12", which goes on by itself. */
export class TurnTime extends TickingElement {
  static properties = { since: { type: Number }, until: { type: Number } };

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
    /** The same; 0 for the time since a moment. */
    this.until = 0;
    this.tickMs = SECOND_MS;
  }

  render() {
    return html`${elapsedFace(this.until ? this.until - Date.now() : Date.now() - this.since)}`;
  }
}

customElements.define("game-clock", GameClock);
customElements.define("turn-time", TurnTime);
