/**
 * The leaderboard of a ladder: a table that follows the games, and charts. Without a ladder in the address it shows the
 * first rated one. `kind` in the address shows only bots or only humans, with their ranks among all. A row has what fits
 * on a phone; its button shows the rest below it.
 */

import { css, html, nothing } from "../vendor/lit.js";
import { getJson } from "../api.js";
import { dataStyle } from "../components/data_style.js";
import "../components/copy_text.js";
import "../components/result_charts.js";
import { intervalWords, isAdjusted, meanWords, rankWords, readLeaderboard, scoreWords, shareWords, timeWords } from "../components/result_words.js";
import { shared } from "../components/shared_style.js";
import { count, formatNumber, rulesName } from "../components/words.js";
import { clockWords, codemakerWords, isForBots, ladderTitle } from "../game/ladder_words.js";
import { Players } from "../game/players.js";
import { browserStorage } from "../game/storage.js";
import { LoadingView } from "./loading_view.js";

/** @import { LadderDocument } from "../game/ladder_words.js" */
/** @import { Leaderboard, Row } from "../components/result_words.js" */

const EVERY_MS = 3_000;
const PIECE = 100;
const MANY = 30;
const KINDS = Object.freeze({ bot: "bots", human: "people" });

export default class LeaderboardView extends LoadingView {
  static properties = { ladders: { state: true }, board: { state: true }, server: { state: true }, opened: { state: true }, drawn: { state: true }, sought: { state: true } };

  static styles = [
    shared,
    dataStyle,
    css`
      .rank { font-weight: 700; }
      .board small { white-space: nowrap; }
      .board .group {
        padding-top: 0.9rem;
        color: var(--muted);
        font-weight: 600;
      }
      .provisional td,
      .provisional .name { color: var(--muted); }
      .own { background: var(--accent-soft); }
      @media (max-width: 40rem) {
        td .interval { display: block; }
        th .interval,
        .rank small { display: none; }
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
    /** @type {readonly LadderDocument[] | null} */
    this.ladders = null;
    /** @type {Leaderboard | null} */
    this.board = null;
    this.server = "";
    /** The players whose other figures are shown. @type {ReadonlySet<string>} */
    this.opened = new Set();
    /** How many rows are drawn; one's own always are. */
    this.drawn = PIECE;
    /** What the names of the rows contain. */
    this.sought = "";
    /** The names that this browser plays under. @type {ReadonlySet<string>} */
    this.own = new Set();
  }

  /** @param {AbortSignal} signal */
  async load(signal) {
    const [{ ladders }, { url }] = await Promise.all([getJson("api/v1/ladders", signal), getJson("api/v1/game", signal)]);
    this.ladders = ladders.filter((/** @type {LadderDocument} */ each) => each.rated);
    this.server = url ?? "";
    this.own = new Set(new Players(browserStorage(), this.server).names);
    if (this.ladder === undefined) this.failure = "This server has no leaderboard of that name. Choose a ladder.";
    else this.follow({ path: this.path(this.ladder), everyMs: EVERY_MS, onText: (text) => void (this.board = readLeaderboard(text)) });
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
      ${this.problem()}
      ${this.board === null || ladder === undefined ? this.loading() : this.board.rows.length === 0 ? this.empty(ladder) : this.table(this.board)}
    `;
  }

  /** @param {readonly LadderDocument[]} ladders */
  chooser(ladders) {
    const rules = [...new Set(ladders.map((each) => each.rules))];
    return html`<div class="form">
      <label>Ladder
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
      <label>Players
        <select id="kind" @change=${this.choose}>
          <option value="">all</option>
          ${Object.entries(KINDS).map(([kind, words]) => html`<option value=${kind} ?selected=${kind === this.kind}>${words}</option>`)}
        </select>
      </label>
      ${this.ladder === undefined ? nothing : this.entry(this.ladder)}
      ${this.ladder === undefined ? nothing : html`<a class="button" href="#/matches?${new URLSearchParams({ ladder: this.ladder.id })}">Matches</a>
            <a class="button" href="#/watch/${encodeURIComponent(this.ladder.id)}">Projector</a>`}
    </div>`;
  }

  /** Return the way onto a ladder. @param {LadderDocument} ladder */
  entry(ladder) {
    if (!ladder.offered) return nothing;
    if (isForBots(ladder)) return html`<a href="#/bots">Start a bot</a>`;
    return html`<a class="button" href="#/server/${encodeURIComponent(ladder.id)}">Start a match</a>`;
  }

  /** Put both choices into the address, which opens them. */
  choose() {
    const [ladder, kind] = ["ladder", "kind"].map((id) => /** @type {HTMLSelectElement} */ (this.renderRoot.querySelector(`#${id}`)).value);
    location.hash = `#/ladder/${encodeURIComponent(ladder)}${kind && `?kind=${kind}`}`;
  }

  /** @param {LadderDocument} ladder */
  empty(ladder) {
    if (this.kind) return html`<p class="card empty">No player of this kind has played here yet.</p>`;
    const heading = html`<h2>Nobody has played here yet</h2>`;
    if (!ladder.offered) return html`<div class="card empty">${heading}<p>This server does not offer the game now: it is too large for it, or was removed.</p></div>`;
    if (ladder.kind === "human") return html`<div class="card empty">${heading}<p>After your first game you are on this list.</p></div>`;
    // most strategies consider every code
    const strategy = ladder.codes > 1_000_000 ? "sampled" : "minimax";
    return html`<div class="card empty">
      ${heading}
      <p>Run a bot for one match, and it appears here:</p>
      <copy-text code label="Command" .text=${`evilpegs bot ${strategy} --ladder ${ladder.id} --server ${this.server}`}></copy-text>
      <p><a href="#/bots">Write a bot of your own</a></p>
    </div>`;
  }

  /** @param {Leaderboard} board */
  table(board) {
    const { rows } = board;
    const found = rows.filter((row) => row.player.toLowerCase().includes(this.sought.toLowerCase()));
    const more = found.slice(this.drawn);
    /** @type {[string, Row[]][]} */
    const groups = [];
    for (const row of [...found.slice(0, this.drawn), ...more.filter((each) => this.own.has(each.player))]) {
      const heading = more.includes(row) ? "You, further down" : groupWords(row, board);
      if (groups.at(-1)?.[0] !== heading) groups.push([heading, []]);
      groups.at(-1)?.[1].push(row);
    }
    return html`
      <div class="card board">
        ${rows.length <= MANY ? nothing : html`<div class="form">
          <label>Player<input type="search" autocomplete="off" .value=${this.sought} @input=${this.seek} /></label>
          <span class="muted" role="status">${this.sought ? `${formatNumber(found.length)} of ` : nothing}${count(rows.length, "player")}</span>
        </div>`}
        <table>
          <thead>
            <tr>
              <th scope="col">Rank</th>
              <th scope="col">Player</th>
              <th scope="col">Score <span class="interval">95 % interval</span></th>
              <th scope="col" class="right">Games</th>
            </tr>
          </thead>
          ${groups.map(
            ([heading, group]) => html`<tbody>
              ${heading ? html`<tr><th class="group" colspan="4" scope="rowgroup">${heading}</th></tr>` : nothing}
              ${group.map((row) => this.row(row, board.guess_limit))}
            </tbody>`,
          )}
        </table>
        ${more.length === 0 ? nothing : html`<p><button @click=${() => (this.drawn += PIECE)}>Show ${Math.min(PIECE, more.length)} more</button> <span class="muted">${count(more.length, "player is", "players are")} further down</span></p>`}
        ${this.note(board)}
      </div>
      <section aria-label="Charts"><result-charts .rows=${rows}></result-charts></section>
    `;
  }

  /** @param {Row} row @param {number} limit */
  row(row, limit) {
    const isOwn = this.own.has(row.player);
    const isOpen = this.opened.has(row.player);
    return html`<tr class="${isOwn ? "own" : ""} ${row.rank === null ? "provisional" : ""}" @click=${() => this.toggle(row.player)}>
        <td class="rank">
          ${row.rank === null ? html`<span aria-hidden="true">${rankWords(row)}</span><span class="hidden">${row.placed ? `place ${row.place}` : "no place yet"}</span>` : rankWords(row)}
        </td>
        <th scope="row">
          <button class="name" aria-expanded=${isOpen}>${row.player}</button>
          <small>${row.kind === "human" ? "person" : row.kind}</small> ${isOwn ? html`<small><strong>you</strong></small>` : nothing}
        </th>
        <td>${scoreWords(row)} <small class="interval">${intervalWords(row)}</small></td>
        <td class="right">${formatNumber(row.games)}</td>
      </tr>
      ${isOpen ? html`<tr class="more"><td colspan="4">${this.more(row, limit)}</td></tr>` : nothing}`;
  }

  /** @param {Event} event */
  seek({ target }) {
    this.sought = /** @type {HTMLInputElement} */ (target).value.trim();
    this.drawn = PIECE;
  }

  /** @param {string} player */
  toggle(player) {
    const opened = new Set(this.opened);
    if (!opened.delete(player)) opened.add(player);
    this.opened = opened;
  }

  /** @param {Row} row @param {number} limit */
  more(row, limit) {
    const isByLuck = row.score === row.adjusted_mean;
    const facts = Object.entries({
      "Rank": row.rank === null ? "none yet" : row.undecided ? `${rankWords(row)}, not decided yet` : rankWords(row),
      "Score": `${scoreWords(row)}, ${intervalWords(row) || "too few games for an interval"}`,
      "Mean with luck": isByLuck && meanWords(row.mean),
      "Games by guesses": row.histogram.map(([score, games]) => `${score > limit ? "✗" : score}: ${formatNumber(games)}`).join(", "),
      "Solved": shareWords(row.solved),
      "Time per guess": `${timeWords(row.mean_ms)}, 95 % within ${timeWords(row.p95_ms)}`,
      "Games of all versions": row.all_games > row.games && formatNumber(row.all_games),
      "Version (self-reported)": row.client,
    });
    return html`<dl>
        ${facts.map(([name, words]) => (words === false ? nothing : html`<div><dt class="muted">${name}:</dt> <dd>${words}</dd></div>`))}
      </dl>
      <a href="#/player/${encodeURIComponent(row.player)}">Results and matches of ${row.player}</a>`;
  }

  /** @param {Leaderboard} board */
  note({ rows, guess_limit: limit }) {
    const shared = rows.find((row) => row.undecided);
    return html`<p class="note">
      The score is the mean number of guesses per game: fewer are better, and a game that was not solved counts as ${limit + 1}.
      ${isAdjusted(rows) ? "It is corrected for lucky replies, so it can differ from the plain mean." : nothing}
      ${rows.some((row) => intervalWords(row)) ? "The range beside it is where the true score lies, with 95\u00a0% certainty; it is not the best and the worst game." : nothing}
      ${rows.some((row) => row.all_games > row.games) ? "Only games of a player’s latest version count." : nothing}
      ${shared === undefined ? nothing : html`Rank ${rankWords(shared)}: after the games so far, the true rank may be any of these.`}
      ${rows.some((row) => row.rank === null) ? "Numbers in brackets are provisional: too few games for a rank, so these rows stand below all with one, whatever their score." : nothing}
      The table updates as games end.
      <a href=${this.path(/** @type {LadderDocument} */ (this.ladder))}>As JSON</a>
    </p>`;
  }
}

/** Return what the rows around one have in common; no text for decided ranks. @param {Row} row @param {Leaderboard} board */
function groupWords(row, { ranked_from: ranked, placed_from: placed }) {
  if (row.rank !== null) return row.undecided ? "Not decided yet: the games so far do not settle this order" : "";
  return row.placed ? `No rank yet: it takes ${ranked} games` : `Fewer than ${placed} games, so no place yet: most games first`;
}

/** @param {LadderDocument} ladder */
function optionWords(ladder) {
  return `${ladder.id}: ${codemakerWords(ladder.codemaker).title.toLowerCase()}`;
}
