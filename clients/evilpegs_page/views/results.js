/** The results of the page's own games, which only this browser keeps: sums, histograms, and the file to take along. */

import { LitElement, css, html, nothing } from "../vendor/lit.js";
import "../components/game_clock.js";
import { dataStyle } from "../components/data_style.js";
import { saveText } from "../components/save_text.js";
import { shared } from "../components/shared_style.js";
import { loadResults, saveResults } from "../components/stored_game.js";
import { count, formatNumber, sentence } from "../components/words.js";
import { dateText, dayEnd } from "../core/daily.js";
import { UnreadableError } from "../core/errors.js";
import { formatResults, parseResults, streak, sumUp } from "../core/results.js";

export default class ResultsView extends LitElement {
  static properties = { results: { state: true }, said: { state: true }, failure: { state: true } };

  static styles = [
    shared,
    dataStyle,
    css`
      .sums strong {
        font-size: 1.7rem;
        white-space: nowrap;
      }
      td:nth-child(2) { width: 100%; }
      i {
        display: block;
        width: calc(var(--share) * 100%);
        height: 1.2rem;
        border-radius: 3px;
        background: var(--accent);
        forced-color-adjust: none;
      }
    `,
  ];

  constructor() {
    super();
    this.results = loadResults();
    this.said = "";
    this.failure = "";
  }

  render() {
    const now = new Date();
    const rows = sumUp(this.results);
    const played = Object.keys(this.results).length;
    return html`
      <div class="intro">
        <h1>Your results</h1>
        <p>Only this browser has these results. A game counts once, with its first result. Games with hints and games on the server are not among them.</p>
      </div>
      <section class="card" aria-label="Sums">
        <p class="sums">
          <strong>${formatNumber(played)}</strong> played · <strong>${formatNumber(Object.values(this.results).filter(Boolean).length)}</strong> solved ·
          <strong>${count(streak(this.results, dateText(now)), "day")}</strong> in a row ·
          <strong><turn-time until=${dayEnd(now)}></turn-time></strong> until the next game of the day
        </p>
        <div class="links"><a class="button primary" href="#/daily">Game of the day</a> <a class="button" href="#/">Play</a></div>
      </section>
      ${rows.map((row) => this.histogram(row))} ${this.file(played)}
    `;
  }

  /** @param {ReturnType<typeof sumUp>[number]} row */
  histogram({ rules, played, solved, histogram }) {
    const most = Math.max(...histogram.map(({ games }) => games));
    return html`<section class="card" aria-label=${rules}>
      <table>
        <caption>${rules.replace("-evil", " against evil").replace("-fixed", " against a fixed secret")}: ${formatNumber(solved)} of ${count(played, "game")} solved</caption>
        <thead><tr><th scope="col" colspan="2">Guesses</th><th scope="col" class="right">Games</th></tr></thead>
        <tbody>
          ${histogram.map(
            ({ guesses, games }) => html`<tr>
              <th scope="row">${guesses || "not solved"}</th>
              <td aria-hidden="true"><i .style=${`--share: ${games / most}`}></i></td>
              <td class="right">${formatNumber(games)}</td>
            </tr>`,
          )}
        </tbody>
      </table>
    </section>`;
  }

  /** @param {number} played */
  file(played) {
    return html`<section class="card" aria-labelledby="file">
      <h2 id="file">Move to another browser</h2>
      <p>Save the results as a file, and add them in another browser. Results that are there already stay as they are.</p>
      <div class="links form">
        <button ?disabled=${played === 0} @click=${() => saveText("evilpegs-results.json", formatResults(this.results), "application/json")}>
          Save as a file
        </button>
        <label>Add from a file<input type="file" accept=".json,application/json" @change=${this.add} /></label>
      </div>
      <p role="status">${this.said}</p>
      ${this.failure ? html`<p class="failure" role="alert">${this.failure}</p>` : nothing}
    </section>`;
  }

  /** @param {Event} event */
  async add({ target }) {
    const field = /** @type {HTMLInputElement} */ (target);
    const text = await field.files?.[0]?.text();
    field.value = "";
    this.said = this.failure = "";
    if (text === undefined) return;
    try {
      const before = loadResults();
      this.results = { ...parseResults(text), ...before };
      const added = Object.keys(this.results).length - Object.keys(before).length;
      const isKept = saveResults(this.results);
      this.said = `${count(added, "game")} added.${isKept ? "" : " This browser keeps them only until the page is closed."}`;
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error;
      this.failure = sentence(error.message);
    }
  }
}
