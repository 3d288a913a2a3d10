/**
 * A player: the results of every version of their client by ladder, and their last matches. With a ladder and another
 * player in the address, both stand side by side, with their difference as the server computes it.
 */

import { html, nothing } from "../vendor/lit.js";
import { dataStyle } from "../components/data_style.js";
import { versionHead } from "../components/match_list.js";
import "../components/result_charts.js";
import { intervalWords, isAdjusted, meanWords, momentWords, scoreWords, shareWords, timeWords } from "../components/result_words.js";
import { shared } from "../components/shared_style.js";
import { formatNumber } from "../components/words.js";
import { LoadingView } from "./loading_view.js";

/** @import { MatchEntry } from "../components/match_list.js" */
/** @import { Row } from "../components/result_words.js" */
/** @typedef {{rows: readonly Row[], lines: readonly string[]}} Comparison */
/** @typedef {{name: string, kind: string, created_at: number, results: readonly {ladder: string, row: Row}[]}} Player */

const EVERY_MS = 5_000;
const LIMIT = 10;
const LATEST_VERSIONS = 12;
/** @type {Readonly<Record<string, string>>} */
const KINDS = Object.freeze({ bot: "A bot", human: "A person", guest: "A guest" });

export default class PlayerView extends LoadingView {
  static properties = { player: { state: true }, entries: { state: true }, comparison: { state: true }, refusal: { state: true } };

  static styles = [shared, dataStyle];

  constructor() {
    super();
    /** @type {Player | null} */
    this.player = null;
    /** @type {readonly MatchEntry[]} */
    this.entries = [];
    /** @type {Comparison | null} */
    this.comparison = null;
    this.refusal = "";
  }

  /** Follow the player and the matches; what goes wrong is said once, in the words for the player. */
  async load() {
    const name = encodeURIComponent(this.params.player);
    this.follow({
      path: `api/v1/players/${name}`,
      everyMs: EVERY_MS,
      onText: (text) => void (this.player = JSON.parse(text)),
      missing: "This server has no such player.",
    });
    this.follow({
      path: `api/v1/matches?player=${name}&limit=${LIMIT}`,
      everyMs: EVERY_MS,
      onText: (text) => void (this.entries = JSON.parse(text).matches),
      tell: () => {},
    });
    const [ladder, other] = [this.query.get("ladder"), this.query.get("against")];
    if (ladder && other) {
      this.follow({
        path: `api/v1/ladders/${encodeURIComponent(ladder)}/leaderboard?${new URLSearchParams({ between: `${this.params.player},${other}` })}`,
        everyMs: EVERY_MS,
        onText: (text) => void (this.comparison = JSON.parse(text)),
        tell: (words) => void (this.refusal = words),
      });
    }
  }

  render() {
    const { player } = this;
    return html`
      <div class="intro">
        <h1>${this.params.player}</h1>
        ${player === null ? nothing : html`<p>${KINDS[player.kind] ?? player.kind}, here since ${momentWords(player.created_at)}.</p>`}
      </div>
      ${this.problem()}
      ${player === null ? this.loading() : this.document(player)}
    `;
  }

  /** @param {Player} player */
  document(player) {
    return html`
      ${this.query.has("against") ? this.compared(player) : nothing}
      <section class="card" aria-labelledby="results">
        <h2 id="results">Results by ladder and version</h2>
        ${player.results.length === 0
          ? html`<p>No finished rated games yet. Practice games do not count.</p>`
          : html`<div class="scroll" tabindex="0" role="region" aria-label="Results">${resultTable("Ladder", player.results.map(({ ladder, row }) => ({ name: ladder, address: `#/ladder/${encodeURIComponent(ladder)}`, row })))}</div>`}
      </section>
      ${this.versions(player)}
      <section class="card" aria-labelledby="matches">
        <h2 id="matches">Last matches</h2>
        ${this.entries.length === 0 ? html`<p>No matches yet.</p>` : html`<match-list .entries=${this.entries} label="Table of the last matches"></match-list>`}
        <div class="links">
          <a class="button" href="#/matches?${new URLSearchParams({ player: player.name })}">All matches</a>
          <a class="button" href="#/matches?${new URLSearchParams({ player: player.name, games: "lost" })}">Lost games</a>
          <a class="button" href="#/matches?${new URLSearchParams({ player: player.name, games: "longest" })}">Longest games</a>
        </div>
      </section>
      ${player.results.length === 0 || this.query.has("against") ? nothing : this.compared(player)}
    `;
  }

  /** Return charts of the ladders on which the player has several versions, the latest last. @param {Player} player */
  versions({ results }) {
    return laddersOf(results).map((ladder) => {
      const rows = results.filter((each) => each.ladder === ladder).map(({ row }) => ({ ...row, player: row.client }));
      if (rows.length < 2) return nothing;
      rows.sort((one, other) => (one.version ?? 0) - (other.version ?? 0));
      return html`<section aria-label="Versions on ${ladder}">
        <h2>Versions on ${ladder}</h2>
        <result-charts .rows=${rows.slice(-LATEST_VERSIONS)}></result-charts>
      </section>`;
    });
  }

  /** @param {Player} player */
  compared({ results }) {
    const { comparison, query } = this;
    return html`<section class="card" aria-labelledby="compare">
      <h2 id="compare">Compare with another player</h2>
      <form class="form" @submit=${this.compare}>
        <label>Ladder
          <select name="ladder">
            ${laddersOf(results).map((ladder) => html`<option ?selected=${ladder === query.get("ladder")}>${ladder}</option>`)}
          </select>
        </label>
        <label>Other player
          <input name="against" required size="16" autocomplete="off" autocapitalize="off" spellcheck="false" .value=${query.get("against") ?? ""} />
        </label>
        <button class="primary">Compare</button>
      </form>
      ${this.refusal ? html`<p class="failure" role="alert">${this.refusal}</p>` : nothing}
      ${comparison === null
        ? nothing
        : html`<ul>
              ${comparison.lines.map((line) => html`<li>${line}</li>`)}
            </ul>
            <div class="scroll" tabindex="0" role="region" aria-label="Two players">
              ${resultTable("Player", comparison.rows.map((row) => ({ name: row.player, address: `#/player/${encodeURIComponent(row.player)}`, row })))}
            </div>
            <section><result-charts .rows=${comparison.rows}></result-charts></section>`}
    </section>`;
  }

  /** @param {SubmitEvent} event */
  compare(event) {
    event.preventDefault();
    const given = new FormData(/** @type {HTMLFormElement} */ (event.currentTarget));
    const query = new URLSearchParams([...given].map(([name, value]) => [name, `${value}`.trim()]));
    location.hash = `#/player/${encodeURIComponent(this.params.player)}?${query}`;
  }
}

/** @param {Player["results"]} results */
function laddersOf(results) {
  return [...new Set(results.map(({ ladder }) => ladder))];
}

/** @param {string} head @param {readonly {name: string, address: string, row: Row}[]} results */
function resultTable(head, results) {
  const adjusted = isAdjusted(results.map(({ row }) => row));
  const few = html`<span class="muted">too few games</span>`;
  return html`<table class="stacked">
    <thead>
      <tr>
        <th scope="col">${head}</th>
        ${versionHead}
        <th scope="col" class="right">Score</th>
        <th scope="col">95 % interval</th>
        ${adjusted ? html`<th scope="col" class="right">Mean with luck</th>` : nothing}
        ${["Games", "Worst", "Solved", "Mean time"].map((name) => html`<th scope="col" class="right">${name}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${results.map(
        ({ name, address, row }) => html`<tr>
          <th scope="row"><a href=${address}>${name}</a></th>
          <td class="long" data-head="self-reported">${row.client}</td>
          <td class="right" data-head="Score">${scoreWords(row)}</td>
          <td data-head="95 % interval">${intervalWords(row) || few}</td>
          ${adjusted ? html`<td class="right" data-head="Mean with luck">${meanWords(row.mean)}</td>` : nothing}
          <td class="right" data-head="Games">${formatNumber(row.games)}</td>
          <td class="right" data-head="Worst">${row.worst}</td>
          <td class="right" data-head="Solved">${shareWords(row.solved)}</td>
          <td class="right" data-head="Mean time">${timeWords(row.mean_ms)}</td>
        </tr>`,
      )}
    </tbody>
  </table>`;
}
