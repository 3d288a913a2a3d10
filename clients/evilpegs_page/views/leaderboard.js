/**
 * The leaderboard of a ladder: a table that follows the games, and charts. Without a ladder in the address it shows the
 * first rated one. `kind` in the address shows only bots or only humans, with their ranks among all.
 */

import { css, html, nothing } from "../vendor/lit.js";
import { getJson } from "../api.js";
import { dataStyle } from "../components/data_style.js";
import "../components/copy_text.js";
import "../components/result_charts.js";
import { resultCells, resultHeads, versionHead } from "../components/result_cells.js";
import { isAdjusted, isProvisional, rankWords, timeWords } from "../components/result_words.js";
import { shared } from "../components/shared_style.js";
import { formatNumber } from "../components/words.js";
import { clockWords, codemakerWords, ladderTitle, rulesName } from "../game/ladder_words.js";
import { LoadingView } from "./loading_view.js";

/** @import { LadderDocument } from "../game/ladder_words.js" */
/** @import { Row } from "../components/result_words.js" */

const EVERY_MS = 3_000;
const KINDS = Object.freeze({ bot: "bots", human: "humans" });

export default class LeaderboardView extends LoadingView {
  static properties = {
    ...LoadingView.properties,
    params: { attribute: false },
    query: { attribute: false },
    ladders: { state: true },
    rows: { state: true },
    server: { state: true },
  };

  static styles = [
    shared,
    dataStyle,
    css`
      .rank {
        width: 3.5rem;
        font-weight: 700;
      }
      details {
        margin-top: 1rem;
      }
      .note {
        margin-top: 0.8rem;
        color: var(--muted);
        font-size: 0.92rem;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {Record<string, string>} */
    this.params = {};
    this.query = new URLSearchParams();
    /** @type {readonly LadderDocument[] | null} */
    this.ladders = null;
    /** @type {readonly Row[] | null} */
    this.rows = null;
    this.server = "";
  }

  /** @param {AbortSignal} signal */
  async load(signal) {
    const [{ ladders }, { url }] = await Promise.all([getJson("api/v1/ladders", signal), getJson("api/v1/game", signal)]);
    this.ladders = ladders.filter((/** @type {LadderDocument} */ each) => each.rated);
    this.server = url ?? "";
    if (this.ladder === undefined) {
      this.failure = "This server has no leaderboard of that name. Choose a ladder.";
      return;
    }
    this.follow({
      path: this.path(this.ladder),
      everyMs: EVERY_MS,
      onText: (text) => {
        this.failure = "";
        const { rows, places = [] } = JSON.parse(text);
        this.rows = rows.map((/** @type {Row} */ row, /** @type {number} */ index) => ({ ...row, place: places[index] ?? index + 1 }));
      },
      onFailure: (error) => {
        this.failure = error.message;
      },
    });
  }

  /** @param {LadderDocument} ladder */
  path(ladder) {
    return `api/v1/ladders/${encodeURIComponent(ladder.id)}/leaderboard${this.kind && `?${new URLSearchParams({ kind: this.kind })}`}`;
  }

  /** The kind of players in the address; no text for all. */
  get kind() {
    return this.query.get("kind") ?? "";
  }

  /** The ladder of the address; undefined if there is none. */
  get ladder() {
    /** @type {readonly LadderDocument[]} */
    const ladders = this.ladders ?? [];
    return this.params.ladder === undefined ? ladders[0] : ladders.find((each) => each.id === this.params.ladder);
  }

  render() {
    const { ladder } = this;
    return html`
      <div class="intro">
        <h1>${ladder === undefined ? "Leaderboard" : `Leaderboard of ${ladder.id}`}</h1>
        ${ladder === undefined ? nothing : html`<p>${ladderTitle(ladder)}. ${clockWords(ladder.clock)}</p>`}
      </div>
      ${this.ladders === null ? nothing : this.chooser(this.ladders)}
      ${this.failure ? html`<p class="failure" role="alert">${this.failure}</p>` : nothing}
      ${this.rows === null || ladder === undefined ? this.waiting() : this.rows.length === 0 ? this.empty(ladder) : this.board(this.rows, ladder)}
    `;
  }

  waiting() {
    return this.failure ? nothing : html`<p class="muted" role="status">Loading…</p>`;
  }

  /** @param {readonly LadderDocument[]} ladders */
  chooser(ladders) {
    const rules = [...new Set(ladders.map((each) => each.rules))];
    return html`<div class="form">
      <label
        >Ladder
        <select id="ladder" @change=${this.choose}>
          ${this.ladder === undefined ? html`<option selected value="">Choose a ladder</option>` : nothing}
          ${rules.map(
            (each) => html`<optgroup label=${rulesName(each)}>
              ${ladders
                .filter((ladder) => ladder.rules === each)
                .map((ladder) => html`<option value=${ladder.id} ?selected=${ladder === this.ladder}>${optionWords(ladder)}</option>`)}
            </optgroup>`,
          )}
        </select>
      </label>
      <label
        >Players
        <select id="kind" @change=${this.choose}>
          <option value="">all</option>
          ${Object.entries(KINDS).map(([kind, words]) => html`<option value=${kind} ?selected=${kind === this.kind}>${words}</option>`)}
        </select>
      </label>
      ${this.ladder?.offered ? html`<a class="button" href="#/server/${encodeURIComponent(this.ladder.id)}">Play here</a>` : nothing}
      ${this.ladder === undefined ? nothing : html`<a class="button" href="#/matches?${new URLSearchParams({ ladder: this.ladder.id })}">Matches</a>
            <a class="button" href="#/watch/${encodeURIComponent(this.ladder.id)}">Projector</a>`}
    </div>`;
  }

  /** Put both choices into the address, which opens them. */
  choose() {
    const [ladder, kind] = ["ladder", "kind"].map((id) => /** @type {HTMLSelectElement} */ (this.renderRoot.querySelector(`#${id}`)).value);
    location.hash = `#/ladder/${encodeURIComponent(ladder)}${kind && `?kind=${kind}`}`;
  }

  /** @param {LadderDocument} ladder */
  empty(ladder) {
    if (this.kind) return html`<p class="card empty">No player of this kind has played here yet.</p>`;
    return html`<div class="card empty">
      <h2>Nobody has played here yet</h2>
      <p>Run a bot for one match, and it appears here:</p>
      <copy-text code label="Command" .text=${`evilpegs bot minimax --ladder ${ladder.id} --server ${this.server}`}></copy-text>
      <p><a href="#/bots">Write a bot of your own</a>${ladder.offered ? html`, or <a href="#/server/${encodeURIComponent(ladder.id)}">play yourself</a>` : nothing}.</p>
    </div>`;
  }

  /** @param {readonly Row[]} rows @param {LadderDocument} ladder */
  board(rows, ladder) {
    return html`
      <div class="card">
        <div class="scroll" tabindex="0" role="region" aria-label="Leaderboard">${this.table(rows)}</div>
        ${this.note(rows, ladder)}
      </div>
      <section aria-label="Charts">
        <result-charts .rows=${rows} .limit=${ladder.guess_limit}></result-charts>
        <details>
          <summary>Guesses per game as a table</summary>
          <div class="scroll" tabindex="0" role="region" aria-label="Guesses per game">${histogramTable(rows, ladder.guess_limit)}</div>
        </details>
      </section>
    `;
  }

  /** @param {readonly Row[]} rows */
  table(rows) {
    const adjusted = isAdjusted(rows);
    return html`<table>
      <thead>
        <tr>
          <th scope="col">Rank</th>
          <th scope="col">Player</th>
          ${resultHeads(adjusted)}
          <th scope="col" class="right">95 % within</th>
          <th scope="col">Kind</th>
          ${versionHead}
        </tr>
      </thead>
      <tbody>
        ${rows.map((row) => this.row(row, adjusted))}
      </tbody>
    </table>`;
  }

  /** @param {Row} row @param {boolean} adjusted */
  row(row, adjusted) {
    return html`<tr>
      <td class="rank">
        ${row.rank === null ? html`<span aria-hidden="true">${rankWords(row)}</span><span class="hidden">no rank yet, place ${row.place}</span>` : rankWords(row)}
        ${row.undecided ? html`<small>not decided</small>` : nothing}
      </td>
      <th scope="row"><a href="#/player/${encodeURIComponent(row.player)}">${row.player}</a></th>
      ${resultCells(row, adjusted)}
      <td class="right">${timeWords(row.p95_ms)}</td>
      <td>${row.kind}</td>
      <td class="long">${row.client}</td>
    </tr>`;
  }

  /** @param {readonly Row[]} rows @param {LadderDocument} ladder */
  note(rows, ladder) {
    const shared = rows.find((row) => row.rank !== null && row.rank !== row.rank_worst);
    return html`<p class="note">
      A game that was not solved counts as ${ladder.guess_limit + 1} guesses.
      ${isAdjusted(rows) ? "Ranks follow from the adjusted mean: the guesses per game without the luck of the feedback." : nothing}
      ${rows.some((row) => row.all_games > row.games) ? "Only games of a player’s latest version count." : nothing}
      ${shared === undefined ? nothing : html`Rank ${rankWords(shared)}: not decided, because the intervals allow each of these ranks.`}
      ${rows.some(isProvisional) ? `In brackets: no rank yet, which takes ${ladder.codemaker === "fixed" ? 100 : 20} games.` : nothing}
      The version is what a player’s program says about itself; nobody checks it.
      Times are per guess. The table updates as games end.
      <a href=${this.path(ladder)}>As JSON</a>
    </p>`;
  }
}

/** @param {LadderDocument} ladder */
function optionWords(ladder) {
  return `${ladder.id}: ${codemakerWords(ladder.codemaker).title.toLowerCase()}`;
}

/** @param {readonly Row[]} rows @param {number} limit */
function histogramTable(rows, limit) {
  const scores = [...new Set(rows.flatMap((row) => row.histogram.map(([score]) => score)))].sort((a, b) => a - b);
  return html`<table>
    <thead>
      <tr>
        <th scope="col">Player</th>
        ${scores.map((score) => html`<th scope="col" class="right">${score > limit ? "Not solved" : score}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map((row) => {
        const games = new Map(row.histogram);
        return html`<tr>
          <th scope="row">${row.player}</th>
          ${scores.map((score) => html`<td class="right">${formatNumber(games.get(score) ?? 0)}</td>`)}
        </tr>`;
      })}
    </tbody>
  </table>`;
}
