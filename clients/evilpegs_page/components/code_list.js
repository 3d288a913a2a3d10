/** The codes left, once they are few, and the colors that none of them contains. */

import { LitElement, css, html, nothing } from "../vendor/lit.js";
import { SYMBOLS } from "../core/rules.js";
import { peg, pegRow, pegStyle } from "./peg.js";
import { shared } from "./shared_style.js";
import { count } from "./words.js";

const FEW = 48;

export class CodeList extends LitElement {
  static properties = { game: { attribute: false }, left: { type: Number } };

  static styles = [
    shared,
    pegStyle,
    css`
      :host { --peg: 1.35rem; }
      ul {
        gap: 0.5rem 1rem;
        margin: 0.7rem 0 0;
      }
      .excluded {
        gap: 0.3rem;
        margin-top: 0.6rem;
        color: var(--muted);
        font-size: 0.9rem;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {import("../core/local_game.js").LocalGame} */
    this.game;
    /** The codes left, which tells this element that the game went on. */
    this.left = 0;
  }

  render() {
    return html`${this.codes()} ${this.excluded()}`;
  }

  codes() {
    if (this.left > FEW) return nothing;
    const codes = this.game.listCandidates(FEW);
    return html`<details ?open=${this.left <= 1}>
      <summary>Show the ${this.left === 1 ? "code" : count(this.left, "code")} left</summary>
      <ul class="row plain">${codes.map((code) => html`<li>${pegRow(code)}</li>`)}</ul>
    </details>`;
  }

  excluded() {
    const colors = this.game.excludedColors();
    if (colors.length === 0) return nothing;
    return html`<p class="excluded row">
      Ruled out: <span class="hidden">${colors.map((color) => SYMBOLS[color]).join(", ")}</span>
      ${colors.map((color) => peg(color))}
    </p>`;
  }
}

customElements.define("code-list", CodeList);
