/** What a guess was worth: candidates before and after, luck, the parts as bars, the best guesses, and the regret. */

import { LitElement, css, html, nothing } from "../vendor/lit.js";
import { bringsNothing } from "../core/partition.js";
import { pegRow, pegStyle } from "./peg.js";
import "./reply_bars.js";
import { shared } from "./shared_style.js";
import { TOLD_NOTHING, boundsWords, costWords, count, formatNumber } from "./words.js";

/** @import { Insight } from "../replay/insight.js" */
/** @import { ReplayTurn } from "../replay/timeline.js" */

/** What the figure of each criterion is. The lexicographic one has a list of figures and is left out. */
const CRITERIA = Object.freeze({
  minimax: "Codes left at worst",
  "expected-size": "Mean codes left",
  entropy: "Mean bits",
  "most-parts": "Possible replies",
});

export class GuessWorth extends LitElement {
  static properties = {
    turn: { attribute: false },
    insight: { attribute: false },
    analysis: { attribute: false },
    codemaker: {},
  };

  static styles = [
    shared,
    pegStyle,
    css`
      :host {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: 1rem;
        --peg: 1.5rem;
      }
      .left {
        display: flex;
        align-items: baseline;
        flex-wrap: wrap;
        gap: 0 0.5rem;
        color: var(--muted);
      }
      .left strong {
        color: var(--ink);
        font-size: 1.7rem;
        letter-spacing: -0.02em;
      }
      h3 {
        margin-bottom: 0.45rem;
        font-size: 0.95rem;
      }
      table { font-size: 0.95rem; }
      th,
      td {
        padding: 0.3rem 0.5rem 0.3rem 0;
        border-top: 1px solid var(--line);
        font-weight: 500;
        text-align: left;
      }
      thead th {
        border: 0;
        color: var(--muted);
        font-size: 0.8rem;
        font-weight: 600;
      }
      .right {
        padding-right: 0;
        text-align: right;
      }
      .right + .right { padding-left: 0.7rem; }
      td .pegs {
        flex-wrap: nowrap;
        vertical-align: middle;
        --peg: 1.3rem;
      }
      .same {
        color: var(--good);
        font-weight: 650;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {ReplayTurn | null} */
    this.turn = null;
    /** @type {Insight | null} */
    this.insight = null;
    /** That of the turn in the document of the API (docs/analysis.md). @type {any} */
    this.analysis = null;
    this.codemaker = "fixed";
  }

  render() {
    const { turn, insight, analysis } = this;
    if (turn === null || insight === null) return nothing;
    const before = insight.before ?? analysis?.before ?? null;
    const after = insight.after ?? analysis?.after ?? null;
    if (before === 1 && after === 1) return html`<p>Only this code was left.</p>`;
    return html`
      <p class="left">
        ${after === null
          ? "Too many codes were left to count here."
          : html`<strong class="number">${formatNumber(after)}</strong>
              <span>${before === null ? (after === 1 ? "code left" : "codes left") : html`of ${count(before, "code")} left`}</span>`}
      </p>
      ${this.luck()} ${insight.parts === null ? nothing : this.parts(turn, insight.parts)}
      ${analysis === null ? nothing : this.best(analysis)}
    `;
  }

  luck() {
    const { turn, insight } = this;
    if (turn && insight?.parts && bringsNothing(insight.parts, turn.code.length)) return html`<p>${TOLD_NOTHING}</p>`;
    const bits = this.insight?.bits ?? this.analysis?.bits ?? null;
    const expected = this.insight?.expectedBits ?? this.analysis?.expected_bits ?? null;
    const chance = this.insight?.chance ?? this.analysis?.chance ?? null;
    if (bits === null || expected === null || this.codemaker === "evil") return nothing;
    return html`<p class="luck">
      The reply brought ${bits.toFixed(2)} bits; ${expected.toFixed(2)} were expected.
      ${chance === null ? nothing : html`A random secret gives a reply at least as good in ${percent(chance)} of cases.`}
    </p>`;
  }

  /** @param {ReplayTurn} turn @param {readonly import("../core/partition.js").Part[]} parts */
  parts(turn, parts) {
    return html`<div>
      <h3>Codes that each reply would have left</h3>
      <reply-bars .parts=${parts} .taken=${turn} mark="the reply"></reply-bars>
    </div>`;
  }

  /** @param {any} analysis */
  best(analysis) {
    // those but minimax are about secrets that were drawn
    const isShown = (/** @type {string} */ name) => (this.codemaker === "evil" ? name === "minimax" : Object.hasOwn(CRITERIA, name));
    const rows = analysis.best.filter((/** @type {any} */ each) => isShown(each.criterion));
    const table = () => html`<div class="scroll" tabindex="0" role="region" aria-label="Best guesses"><table>
      <thead><tr><th scope="col">Criterion</th><th scope="col">Best guess</th><th scope="col" class="right">Its value</th><th scope="col" class="right">Played</th></tr></thead>
      <tbody>
        ${rows.map(
          (/** @type {any} */ row) => html`<tr>
            <th scope="row">${CRITERIA[/** @type {keyof typeof CRITERIA} */ (row.criterion)]}</th>
            <td>${pegRow(row.code)}</td>
            <td class="right number">${figure(row.figure)}</td>
            <td class="right number ${figure(row.played) === figure(row.figure) ? "same" : ""}">${figure(row.played)}</td>
          </tr>`,
        )}
      </tbody>
    </table></div>`;
    return html`<div>
      <h3>Best guesses${analysis.among === "candidates" ? " among the codes left" : ""}</h3>
      ${this.codemaker === "evil" && rows.length > 0 ? html`<p class="muted">Fewest codes left is not always best.</p>` : nothing}
      ${rows.length === 0 ? html`<p class="muted">They take too long to compute here.</p>` : table()}
      ${regretWords(analysis)}
    </div>`;
  }
}

/** @param {any} analysis */
function regretWords(analysis) {
  const { regret, optimal, needed } = analysis;
  if (regret === null) return nothing;
  if (needed != null) return costsForSure(analysis);
  const isNone = regret.at_most === 0;
  return html`<p class="regret">
    ${isNone ? html`<span class="same">Regret: none.</span> No guess is better on average.` : html`Regret: ${boundsWords(regret)} guesses on average.`}
    ${optimal === null || isNone ? nothing : html`An optimal guess is ${pegRow(optimal)}.`}
  </p>`;
}

/** @param {any} analysis */
function costsForSure({ regret, optimal, needed }) {
  const { at_least: least, at_most: most } = needed;
  const more = most === 0 || least !== most ? "" : `With the best play ${count(least, "more guess was", "more guesses were")} enough after it.`;
  const isNone = regret.at_most === 0;
  return html`<p class="regret">
    ${isNone ? html`<span class="same">The guess played lost nothing.</span>` : `The guess played lost ${costWords({ regret, needed })}.`} ${more}
    ${optimal === null || isNone ? nothing : html`${pegRow(optimal)} was better.`}
  </p>`;
}

/** @param {unknown} value */
function figure(value) {
  return typeof value === "number" ? formatNumber(Number(value.toFixed(2))) : "";
}

/** @param {number} share */
function percent(share) {
  return `${Number((share * 100).toPrecision(3))}%`;
}

customElements.define("guess-worth", GuessWorth);
