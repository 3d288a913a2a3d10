/** A player's place on a leaderboard after a rated match, from the first game on; it follows the count of the games. */

import { html } from "../vendor/lit.js";
import { LoadingView } from "../views/loading_view.js";
import { meanWords, rankWords, readLeaderboard, scoreWords } from "./result_words.js";
import { shared } from "./shared_style.js";
import { count } from "./words.js";

/** @import { Leaderboard } from "./result_words.js" */

export class OwnPlace extends LoadingView {
  static properties = { board: { state: true } };
  static styles = shared;

  constructor() {
    super();
    this.ladder = this.player = "";
    /** @type {Leaderboard | null} */
    this.board = null;
  }

  async load() {
    this.follow({
      path: `api/v1/ladders/${encodeURIComponent(this.ladder)}/leaderboard`,
      everyMs: 1_000, // a leaderboard changes at most once per second
      onText: (text) => void (this.board = readLeaderboard(text)),
    });
  }

  render() {
    const { board } = this;
    const row = board?.rows.find((each) => each.player === this.player);
    if (!board || row === undefined) return html`<p class="muted" role="status">${this.failure || "Counting your games…"}</p>`;
    const others = board.rows.filter((each) => each.placed).length - 1;
    const among = others === 0 ? ", so far nobody else has one" : ` of ${others + 1}`;
    const standing = !row.placed ? "No place yet" : row.rank === null ? `Place ${row.place}${among}` : `Rank ${rankWords(row)}${among}`;
    const byLuck = row.score !== null && row.score === row.adjusted_mean;
    const mean = byLuck ? `${scoreWords(row)} guesses per game without the luck of the replies, ${meanWords(row.mean)} with it,` : `${meanWords(row.mean)} guesses per game`;
    return html`<p role="status">
      <strong>${standing}</strong> on ${this.ladder}: ${mean} over ${count(row.games, "game")}.
      ${row.placed ? "" : `A place takes ${count(board.placed_from, "game")}.`}
      ${row.rank === null ? `A rank takes ${count(board.ranked_from, "game")}.` : ""}
    </p>`;
  }
}

customElements.define("own-place", OwnPlace);
