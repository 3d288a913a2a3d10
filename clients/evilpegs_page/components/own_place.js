/** A player's place on a leaderboard after a rated match, from the first game on; it follows the count of the games. */

import { html } from "../vendor/lit.js";
import { LoadingView } from "../views/loading_view.js";
import { bracketsWords, isProvisional, placedRows, rankWords, rankedMeanWords } from "./result_words.js";
import { shared } from "./shared_style.js";
import { count } from "./words.js";

/** @import { Row } from "./result_words.js" */

export class OwnPlace extends LoadingView {
  static properties = { rows: { state: true } };
  static styles = shared;

  constructor() {
    super();
    this.ladder = this.player = this.codemaker = "";
    /** @type {readonly Row[]} */
    this.rows = [];
  }

  async load() {
    this.follow({
      path: `api/v1/ladders/${encodeURIComponent(this.ladder)}/leaderboard`,
      everyMs: 1_000, // a leaderboard changes at most twice per second
      onText: (text) => void (this.rows = placedRows(text)),
    });
  }

  render() {
    const row = this.rows.find((each) => each.player === this.player);
    if (row === undefined) return html`<p class="muted" role="status">${this.failure || "Counting your games…"}</p>`;
    return html`<p role="status">
      <strong>${row.rank === null ? "Place" : "Rank"} ${rankWords(row)} of ${this.rows.length}</strong> on ${this.ladder}:
      mean ${rankedMeanWords(row, row.mean)} over ${count(row.games, "game")}.
      ${isProvisional(row) ? bracketsWords(this.codemaker) : ""}
    </p>`;
  }
}

customElements.define("own-place", OwnPlace);
