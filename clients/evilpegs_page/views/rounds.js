/** The rounds of the server, or one: its terms, how far the entrants are, and the results once the last game has ended. */

import { css, html, nothing } from "../vendor/lit.js";
import { getJson, isPublished } from "../api.js";
import { dataStyle } from "../components/data_style.js";
import { momentWords, progressWords } from "../components/result_words.js";
import { shared } from "../components/shared_style.js";
import { count, formatNumber, rulesName } from "../components/words.js";
import { clockWords, codemakerWords, ladderTitle } from "../game/ladder_words.js";
import { Players } from "../game/players.js";
import { browserStorage } from "../game/storage.js";
import { LoadingView } from "./loading_view.js";

/**
 * @typedef {{place: number, mean: number | null, games: number, failed: number, not_played: number, ahead_of: readonly string[],
 *   plays_better_than: readonly string[], fails_less_than: readonly string[]}} Result
 * @typedef {{player: string | null, progress: import("../components/result_words.js").Progress, ended: number | null, excluded: string | null, result: Result | null}} Entrant
 * @typedef {{id: string, ladder: import("../game/ladder_words.js").LadderDocument, sealed: boolean, state: keyof typeof STATES,
 *   opens: number, closes: number | null, adjusted: boolean | null, changed: number | null, entrants: readonly Entrant[]}} Round
 */

const STATES = Object.freeze({ planned: "not open yet", open: "open", closing: "last games", over: "over" });
const NUMBERS = new Set(["Mean", "Games", "Played"]);

export default class RoundsView extends LoadingView {
  static properties = { document: { state: true }, players: { state: true }, opened: { state: true } };

  static styles = [
    shared,
    dataStyle,
    css`
      :host { overflow-wrap: anywhere; }
      .words { white-space: normal; }
      .after { margin-top: 0.8rem; }
      .more:not(.open) { display: none; }
      @media print {
        .more { display: table-row !important; }
      }
    `,
  ];

  constructor() {
    super();
    /** @type {Round & {rounds: readonly Round[]} | null} that of the address: a round, or the list */
    this.document = null;
    /** @type {Players | null} */
    this.players = null;
    /** The players whose other figures are shown. @type {ReadonlySet<string>} */
    this.opened = new Set();
  }

  /** @param {AbortSignal} signal */
  async load(signal) {
    this.players = new Players(browserStorage(), (await getJson("api/v1/game", signal)).url ?? "");
    this.follow({
      path: this.path,
      everyMs: 15_000,
      onText: (text) => {
        this.document = JSON.parse(text);
        return this.document?.state === "over";
      },
      missing: "This server has no such round.",
    });
  }

  get path() {
    return `api/v1/rounds${this.params.round === undefined ? "" : `/${encodeURIComponent(this.params.round)}`}`;
  }

  render() {
    const { document, params } = this;
    return html`
      <div class="intro">
        <h1>${params.round === undefined ? "Contests" : `Round ${params.round}`}</h1>
        <p>Each entrant plays one match on the same terms. Results appear when the last game has ended.</p>
        ${document === null || document.rounds ? nothing : this.terms(document)}
      </div>
      ${this.problem()}
      ${document === null ? this.loading() : document.rounds ? list(document.rounds) : this.entrants(document)}
    `;
  }

  /** @param {Round} round */
  terms(round) {
    const { ladder, sealed, state } = round;
    return html`<p>${ladderTitle(ladder)}. ${clockWords(ladder.clock)} ${count(ladder.games, "game")} of at most ${ladder.guess_limit} guesses. <a href="#/rounds">All rounds</a> · <a href="#/watch/${round.id}">Projector</a></p>
      <p role="status"><strong>${stateWords(round)}</strong> ${sealed && state !== "over" ? "Sealed: until the round is over, nobody sees the games of others. Who plays or has finished is shown once a minute." : nothing}</p>
      ${this.play(round)}`;
  }

  /** The way into the round for a name of this browser that is an entrant. @param {Round} round */
  play({ id, state, entrants }) {
    const names = [this.players?.current, ...(this.players?.names ?? [])];
    const found = names.flatMap((name) => entrants.filter((each) => each.player === name && each.excluded === null))[0];
    if (state !== "open" || isPublished) return nothing;
    if (found?.player == null) return html`<p>You enter under the name that you were given: <a href="#/join">enter your name and token</a>.</p>`;
    const { player, progress } = found;
    if (progress === "finished") return html`<p><strong>${player}</strong> has finished.</p>`;
    return html`<p><a class="button primary" href="#/server/${id}" @click=${() => this.players?.choose(player)}>Enter this round</a> as <strong>${player}</strong></p>`;
  }

  /** @param {Round} round */
  entrants(round) {
    const { entrants, state, sealed } = round;
    const named = entrants.filter((each) => each.player !== null);
    const excluded = named.filter((each) => each.excluded !== null);
    const withdrawn = entrants.length - named.length;
    const shown = named.filter((each) => each.excluded === null);
    return html`${state === "over" ? this.results(round, shown) : table(["Player", sealed ? "Progress" : "Played"], shown.map((each) => this.row(round, each)))}
      ${excluded.length + withdrawn === 0 ? nothing : html`<ul aria-label="Left out">
        ${excluded.map(({ player, excluded }) => html`<li><bdi>${player}</bdi> is excluded: ${excluded}</li>`)}
        ${withdrawn === 0 ? nothing : html`<li>${count(withdrawn, "entrant")} withdrew.</li>`}
      </ul>`}
      <p class="muted after">${state === "over" ? note(round) : sealed ? "The table changes once a minute." : "The table follows the games."} ${isPublished ? nothing : html`<a href=${this.path}>As JSON</a>`}</p>`;
  }

  /** @param {Round} round @param {Entrant} entrant */
  row({ id, ladder, sealed }, entrant) {
    const { player } = entrant;
    const link = html`<a href="#/matches?${new URLSearchParams({ ladder: id, player: player ?? "" })}">${player}</a>`;
    return html`<th scope="row">${sealed ? player : link}</th><td class=${sealed ? "words" : "right"}>${progressWords(entrant, ladder.games)}</td>`;
  }

  /** @param {Round} round @param {readonly Entrant[]} shown */
  results({ id, ladder }, shown) {
    const rows = /** @type {(Entrant & {player: string, result: Result})[]} */ (shown.filter(({ result }) => result !== null));
    const absent = new Set(rows.filter(({ result }) => result.not_played === ladder.games).map(({ player }) => player));
    return html`<div class="card board"><table>
      <thead><tr>${["Place", "Player", "Mean", "Ahead of"].map((head) => html`<th scope="col" class=${NUMBERS.has(head) ? "right" : nothing}>${head}</th>`)}</tr></thead>
      <tbody>${rows.map(({ player, result }) => this.result(id, player, result, absent))}</tbody>
    </table></div>`;
  }

  /** @param {string} id @param {string} player @param {Result} result @param {ReadonlySet<string>} absent who never played, so that nobody is told to be ahead of them */
  result(id, player, { place, mean, games, failed, not_played, ...claims }, absent) {
    const [ahead, better, safer] = [claims.ahead_of, claims.plays_better_than, claims.fails_less_than].map((names) => names.filter((name) => !absent.has(name)));
    const isOpen = this.opened.has(player);
    const list = (/** @type {readonly string[]} */ names) => names.map((name, index) => html`${index ? ", " : ""}<bdi>${name}</bdi>`);
    const facts = Object.entries({
      "Games": `${formatNumber(games)}, ${failed === 0 ? "all solved" : `${formatNumber(failed)} not solved`}${not_played === 0 ? "" : `, ${formatNumber(not_played)} of them never begun`}`,
      "Ahead of": ahead.length > 0 && list(ahead),
      "Plays better than": better.length > 0 && list(better),
      "Fails less than": safer.length > 0 && list(safer),
    });
    return html`<tr @click=${() => this.toggle(player)}>
        <td>${place}</td>
        <th scope="row"><button class="name" aria-expanded=${isOpen}>${player}</button></th>
        <td class="right">${mean?.toFixed(3) ?? "none"}</td>
        <td>${absent.has(player) ? "did not play" : ahead.length === 0 ? "nobody" : count(ahead.length, "player")}</td>
      </tr>
      <tr class="more ${isOpen ? "open" : ""}"><td colspan="4">
        <dl>${facts.map(([name, words]) => (words === false ? nothing : html`<div><dt class="muted">${name}:</dt> <dd>${words}</dd></div>`))}</dl>
        <a href="#/matches?${new URLSearchParams({ ladder: id, player })}">The match of ${player}</a>
      </td></tr>`;
  }

  /** @param {string} player */
  toggle(player) {
    const opened = new Set(this.opened);
    if (!opened.delete(player)) opened.add(player);
    this.opened = opened;
  }
}

/** @param {Round} round */
function note({ adjusted, ladder }) {
  return `The mean is that of the guesses per game; the luck of the replies is ${adjusted ? "" : "not "}removed. A game that was not solved
    counts as ${ladder.guess_limit + 1} guesses. A player is ahead of those who play worse or fail more games, by more than luck explains, and not the other way round. Nobody is ahead of those who did not play.`;
}

/** @param {Round} round @returns {string} whether one can play, and until when */
function stateWords({ state, opens, closes, changed }) {
  const since = changed === null ? "" : ` Who is in these results was last changed ${momentWords(changed)}.`;
  if (state === "over") return `Over. It closed ${momentWords(closes ?? opens)}.${since}`;
  if (state === "closing") return "Closed. The last games are being played.";
  const until = closes === null ? "until the person who runs this server closes it" : `until ${momentWords(closes)}`;
  return state === "open" ? `Open ${until}.` : `Opens ${momentWords(opens)}, ${until}.`;
}

/** @param {readonly Round[]} rounds */
function list(rounds) {
  if (rounds.length === 0) return html`<p class="card empty">No rounds yet.</p>`;
  const heads = ["Round", "State", "Rules", "Codemaker", "Games", "Opens", "Closes", "Sealed"];
  return table(heads, rounds.map(({ id, state, ladder, opens, closes, sealed }) => html`<th scope="row"><a href="#/round/${id}">${id}</a></th>
    <td class="action">${STATES[state]}</td><td>${rulesName(ladder.rules)}</td><td>${codemakerWords(ladder.codemaker).title}</td><td class="right" data-head="Games">${formatNumber(ladder.games)}</td>
    <td data-head="Opens">${momentWords(opens)}</td><td data-head="Closes">${closes === null ? "by hand" : momentWords(closes)}</td><td data-head="Sealed">${sealed ? "yes" : "no"}</td>`));
}

/** @param {readonly string[]} heads @param {readonly unknown[]} rows */
function table(heads, rows) {
  return html`<div class="card"><div class="scroll" tabindex="0" role="region" aria-label="Table">
    <table class=${heads.length > 2 ? "stacked" : ""}>
      <thead><tr>${heads.map((head) => html`<th scope="col" class=${NUMBERS.has(head) ? "right" : nothing}>${head}</th>`)}</tr></thead>
      <tbody>${rows.map((row) => html`<tr>${row}</tr>`)}</tbody>
    </table>
  </div></div>`;
}
