/** A player: the results of every version of their client by ladder, and their last matches. */

import { html, nothing } from "../vendor/lit.js";
import { dataStyle } from "../components/data_style.js";
import "../components/match_list.js";
import { resultCells, resultHeads, versionHead } from "../components/result_cells.js";
import { isAdjusted, momentWords } from "../components/result_words.js";
import { shared } from "../components/shared_style.js";
import { LoadingView } from "./loading_view.js";

/** @import { MatchEntry } from "../components/match_list.js" */
/** @import { Row } from "../components/result_words.js" */
/** @typedef {{name: string, kind: string, created_at: number, results: readonly {ladder: string, row: Row}[]}} Player */

const EVERY_MS = 5_000;
const LIMIT = 10;
const KINDS = Object.freeze({ bot: "A bot", human: "A person", guest: "A guest" });

export default class PlayerView extends LoadingView {
  static properties = {
    ...LoadingView.properties,
    params: { attribute: false },
    player: { state: true },
    entries: { state: true },
  };

  static styles = [shared, dataStyle];

  constructor() {
    super();
    /** @type {Record<string, string>} */
    this.params = {};
    /** @type {Player | null} */
    this.player = null;
    /** @type {readonly MatchEntry[]} */
    this.entries = [];
  }

  /** Follow the player and the matches; what goes wrong is said once, in the words for the player. */
  async load() {
    const name = encodeURIComponent(this.params.player);
    this.follow({
      path: `api/v1/players/${name}`,
      everyMs: EVERY_MS,
      onText: (text) => {
        this.failure = "";
        this.player = JSON.parse(text);
      },
      onFailure: (error) => {
        this.failure = error.status === 404 ? "This server has no such player." : error.message;
        return error.status === 404;
      },
    });
    this.follow({
      path: `api/v1/matches?player=${name}&limit=${LIMIT}`,
      everyMs: EVERY_MS,
      onText: (text) => {
        this.entries = JSON.parse(text).matches;
      },
      onFailure: (error) => error.status === 400,
    });
  }

  render() {
    const { player } = this;
    return html`
      <div class="intro">
        <h1>${this.params.player}</h1>
        ${player === null ? nothing : html`<p>${kindWords(player.kind)}, here since ${momentWords(player.created_at)}.</p>`}
      </div>
      ${this.failure ? html`<p class="failure" role="alert">${this.failure}</p>` : nothing}
      ${player === null ? (this.failure ? nothing : html`<p class="muted" role="status">Loading…</p>`) : this.document(player)}
    `;
  }

  /** @param {Player} player */
  document(player) {
    return html`
      <section class="card" aria-labelledby="results">
        <h2 id="results">Results by ladder and version</h2>
        ${player.results.length === 0
          ? html`<p>No finished rated games yet. Practice games do not count.</p>`
          : html`<div class="scroll" tabindex="0" role="region" aria-label="Results">${resultTable(player.results)}</div>`}
      </section>
      <section class="card" aria-labelledby="matches">
        <h2 id="matches">Last matches</h2>
        ${this.entries.length === 0 ? html`<p>No matches yet.</p>` : html`<match-list .entries=${this.entries} label="Table of the last matches"></match-list>`}
        <div class="links"><a class="button" href="#/matches?${new URLSearchParams({ player: player.name })}">All matches</a></div>
      </section>
    `;
  }
}

/** @param {string} kind */
function kindWords(kind) {
  return Object.hasOwn(KINDS, kind) ? KINDS[/** @type {keyof typeof KINDS} */ (kind)] : kind;
}

/** @param {Player["results"]} results */
function resultTable(results) {
  const adjusted = isAdjusted(results.map(({ row }) => row));
  return html`<table>
    <thead>
      <tr>
        <th scope="col">Ladder</th>
        ${versionHead}
        ${resultHeads(adjusted)}
      </tr>
    </thead>
    <tbody>
      ${results.map(
        ({ ladder, row }) => html`<tr>
          <th scope="row"><a href="#/ladder/${encodeURIComponent(ladder)}">${ladder}</a></th>
          <td class="long">${row.client}</td>
          ${resultCells(row, adjusted)}
        </tr>`,
      )}
    </tbody>
  </table>`;
}
