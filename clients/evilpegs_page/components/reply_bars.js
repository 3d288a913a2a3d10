/** Bars of how many codes each possible reply to a guess would have left, the largest first, with the given one marked. */

import { LitElement, css, html } from "../vendor/lit.js";
import { feedbackPegs, feedbackStyle } from "./feedback_pegs.js";
import { shared } from "./shared_style.js";
import { formatNumber, noun } from "./words.js";

export class ReplyBars extends LitElement {
  static properties = { parts: { attribute: false }, taken: { attribute: false }, mark: {} };

  static styles = [
    shared,
    feedbackStyle,
    css`
      ol {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: 0.2rem;
        font-size: 0.92rem;
      }
      li {
        display: grid;
        grid-template-columns: calc(max(2, var(--wide)) * 0.72rem) minmax(0, 1fr);
        align-items: center;
        gap: 0.6rem;
        min-height: 1.6rem;
      }
      .feedback { font-size: 0.68rem; }
      .bar {
        display: flex;
        align-items: center;
        gap: 0.5rem;
        white-space: nowrap;
      }
      .bar i {
        flex: none;
        width: calc(var(--share) * (100% - var(--room)));
        min-width: 3px;
        height: 1.25rem;
        overflow: hidden;
        border-radius: 3px;
        background: var(--bar);
        forced-color-adjust: none;
        transform-origin: left;
        animation: grow 0.35s ease-out;
      }
      .taken { font-weight: 700; }
      .taken .bar i {
        background: var(--accent);
        color: var(--accent-ink);
        padding-left: 0.6rem;
        font: 650 0.82rem/1.25rem var(--font);
      }
      .mark {
        padding: 0.05rem 0.5rem;
        border-radius: 999px;
        background: var(--accent-soft);
        font-size: 0.8rem;
        font-weight: 650;
      }
      /* there is no room for words besides such numbers, and the reply is bold */
      @media (max-width: 40rem) {
        .large .bar i { text-indent: 100vw; }
        .large .mark { display: none; }
      }
      @keyframes grow {
        from { transform: scaleX(0); }
      }
    `,
  ];

  constructor() {
    super();
    /** @type {readonly import("../core/partition.js").Part[]} */
    this.parts = [];
    /** The guess with the reply that was given. @type {{code: string, black: number, white: number} | null} */
    this.taken = null;
    this.mark = "evil’s reply";
  }

  render() {
    const most = Math.max(...this.parts.map((part) => part.count));
    const sorted = [...this.parts].sort((one, other) => other.count - one.count);
    const digits = formatNumber(most).length;
    const pegs = this.taken?.code.length ?? 0;
    return html`<ol class="plain ${digits > 9 ? "large" : ""}" .style=${`--room: ${0.9 + 0.62 * digits}rem; --wide: ${Math.ceil(pegs / 2)}`}>
      ${sorted.map((part) => this.bar(part, part.count / most, pegs))}
    </ol>`;
  }

  /** @param {import("../core/partition.js").Part} part @param {number} share @param {number} pegs */
  bar(part, share, pegs) {
    const isTaken = part.black === this.taken?.black && part.white === this.taken?.white;
    const isLong = share > 0.6;
    return html`<li class=${isTaken ? "taken" : ""}>
      ${feedbackPegs(part, pegs)}
      <span class="bar">
        <i .style=${`--share: ${share}`}>${isTaken && isLong ? this.mark : ""}</i>
        <span class="number">${formatNumber(part.count)}<span class="hidden"> ${noun(part.count, "code")}</span></span>
        ${isTaken && !isLong ? html`<span class="mark">${this.mark}</span>` : ""}
      </span>
    </li>`;
  }
}

customElements.define("reply-bars", ReplyBars);
