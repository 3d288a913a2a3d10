/**
 * The matches of the server, newest first. Filters and the page are part of the address, in the terms of the API. The
 * first page follows the server; older ones do not change.
 */

import { html, nothing } from "../vendor/lit.js";
import { getJson } from "../api.js";
import { dataStyle } from "../components/data_style.js";
import "../components/match_list.js";
import { shared } from "../components/shared_style.js";
import { LoadingView } from "./loading_view.js";

/** @import { MatchEntry } from "../components/match_list.js" */

const EVERY_MS = 5_000;
const LIMIT = 25;
const FILTERS = Object.freeze(["ladder", "player", "codemaker", "version", "since", "games"]);
const GAMES = Object.freeze(["lost", "longest"]);
const CODEMAKERS = Object.freeze(["fixed", "evil", "devil"]);

export default class MatchesView extends LoadingView {
  static properties = { ladders: { state: true }, entries: { state: true } };

  static styles = [shared, dataStyle];

  constructor() {
    super();
    /** @type {readonly string[]} */
    this.ladders = [];
    /** @type {readonly MatchEntry[] | null} */
    this.entries = null;
    /** @type {string | null} the cursor of the next page */
    this.cursor = null;
  }

  /** @param {AbortSignal} signal */
  async load(signal) {
    this.follow({
      path: `api/v1/matches?${this.request()}`,
      everyMs: EVERY_MS,
      onText: (text) => this.take(JSON.parse(text)),
    });
    // without the ladders the form still filters by the others
    const { ladders } = await getJson("api/v1/ladders", signal).catch(() => ({ ladders: [] }));
    this.ladders = ladders.map((/** @type {{id: string}} */ ladder) => ladder.id);
  }

  /** Return the parameters of the request: the filters of the address that are not empty. */
  request() {
    const given = new URLSearchParams({ limit: `${LIMIT}` });
    for (const name of [...FILTERS, "cursor"]) {
      const value = this.query.get(name);
      if (value) given.set(name, value);
    }
    return given;
  }

  /** @param {{matches: MatchEntry[], next: string | null}} page */
  take(page) {
    this.cursor = page.next === null ? null : new URLSearchParams(page.next.split("?")[1]).get("cursor");
    this.entries = page.matches;
    return this.query.has("cursor") && page.matches.every((match) => match.over);
  }

  render() {
    return html`
      <div class="intro">
        <h1>Matches</h1>
        <p>Every match can be replayed, downloaded and verified. <a href="#/verify">Verify a record from a file</a></p>
      </div>
      ${this.form()}
      ${this.problem()}
      ${this.entries === null ? this.loading() : this.list(this.entries)}
    `;
  }

  form() {
    return html`<form class="form" @submit=${this.submit} @change=${this.submit}>
      ${this.select("ladder", "Ladder", this.ladders)} ${this.select("codemaker", "Codemaker", CODEMAKERS)}
      ${this.field("player", "Player")} ${this.field("version", "Version")}
      ${this.select("games", "Games", GAMES)}
      <label>Since
        <input name="since" type="date" .value=${dateOf(this.query.get("since"))} />
      </label>
      ${FILTERS.some((name) => this.query.get(name)) ? html`<a class="button" href="#/matches">All matches</a>` : nothing}
    </form>`;
  }

  /** @param {string} name @param {string} label @param {readonly string[]} values */
  select(name, label, values) {
    const chosen = this.query.get(name) ?? "";
    const all = chosen === "" || values.includes(chosen) ? values : [chosen, ...values];
    return html`<label>${label}
      <select name=${name}>
        <option value="">all</option>
        ${all.map((value) => html`<option value=${value} ?selected=${value === chosen}>${value}</option>`)}
      </select>
    </label>`;
  }

  /** @param {string} name @param {string} label */
  field(name, label) {
    return html`<label>${label}
      <input name=${name} size="16" autocomplete="off" autocapitalize="off" spellcheck="false" .value=${this.query.get(name) ?? ""} />
    </label>`;
  }

  /** Put the filters into the address, which opens them. @param {Event} event */
  submit(event) {
    event.preventDefault();
    const given = new FormData(/** @type {HTMLFormElement} */ (event.currentTarget));
    const chosen = new URLSearchParams();
    for (const name of FILTERS) {
      const value = `${given.get(name) ?? ""}`.trim();
      if (value) chosen.set(name, name === "since" ? `${new Date(`${value}T00:00`).getTime()}` : value);
    }
    location.hash = `#/matches?${chosen}`;
  }

  /** @param {readonly MatchEntry[]} matches */
  list(matches) {
    const older = new URLSearchParams(this.query);
    older.set("cursor", this.cursor ?? "");
    const newest = new URLSearchParams(this.query);
    newest.delete("cursor");
    return html`
      ${matches.length === 0
        ? html`<p class="card empty">No matches. A match appears as soon as it starts.</p>`
        : html`<div class="card"><match-list .entries=${matches}></match-list></div>`}
      <nav class="links" aria-label="Pages">
        ${this.query.has("cursor") ? html`<a class="button" href="#/matches?${newest}">Newest</a>` : nothing}
        ${this.cursor === null ? nothing : html`<a class="button" href="#/matches?${older}">Older</a>`}
      </nav>
    `;
  }
}

/** @param {string | null} since Unix milliseconds @returns {string} the day as a date field takes it */
function dateOf(since) {
  const moment = new Date(Number(since));
  if (!since || Number.isNaN(moment.getTime())) return "";
  return `${moment.getFullYear()}-${`${moment.getMonth() + 1}`.padStart(2, "0")}-${`${moment.getDate()}`.padStart(2, "0")}`;
}
