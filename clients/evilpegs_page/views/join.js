/**
 * The way in with a name that somebody was given: a link with the name and its token, as on the slips of `evilpegs players
 * add --slips`, or both typed. The token leaves the address at once, so that neither the history nor a look at the screen
 * gives it away; it is sent to the server when the player connects.
 */

import { css, html } from "../vendor/lit.js";
import { ApiError, getJson, isPublished } from "../api.js";
import { shared } from "../components/shared_style.js";
import { Players, isGuest, tokenProblem } from "../game/players.js";
import { browserStorage } from "../game/storage.js";
import { LoadingView } from "./loading_view.js";

export default class JoinView extends LoadingView {
  static properties = { players: { state: true }, rounds: { state: true } };

  static styles = [
    shared,
    css`
      form {
        display: grid;
        gap: 0.8rem;
        max-width: 34rem;
        margin-top: 1rem;
      }
      label {
        display: grid;
        gap: 0.2rem;
        font-weight: 600;
      }
      .ways { margin: 0.8rem 0; }
    `,
  ];

  constructor() {
    super();
    /** @type {Players | null} */
    this.players = null;
    /** The rounds that can be entered now. @type {readonly {id: string}[]} */
    this.rounds = [];
  }

  /** @param {AbortSignal} signal */
  async load(signal) {
    if (isPublished) throw new ApiError("A name is for a server: this site shows what was played.", 404);
    const [{ rounds }, { url }] = await Promise.all([getJson("api/v1/rounds", signal), getJson("api/v1/game", signal)]);
    this.rounds = rounds.filter((/** @type {{state: string}} */ { state }) => state === "open");
    this.players = new Players(browserStorage(), url ?? "");
    const [name, token] = [this.query.get("name"), this.query.get("token")];
    if (name !== null && token !== null) this.take(name, token);
  }

  /** @param {string} name @param {string} token */
  take(name, token) {
    this.failure = tokenProblem(name, token) ?? "";
    if (this.failure) return;
    this.players?.add(name, token);
    history.replaceState(null, "", "#/join");
    this.requestUpdate();
  }

  /** @param {SubmitEvent} event */
  submit(event) {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    const given = new FormData(form);
    this.take(`${given.get("name")}`.trim(), `${given.get("token")}`.replace(/\s/g, "").toLowerCase());
    if (!this.failure) form.reset();
  }

  render() {
    const { players } = this;
    return html`
      <h1>Your name</h1>
      ${this.problem()} ${players === null ? this.loading() : html`${this.named(players)} ${this.form()}`}
    `;
  }

  /** @param {Players} players */
  named({ current, isLasting }) {
    if (current === null || isGuest(current)) return html`<p>Enter the name and the token that you were given.</p>`;
    return html`<p role="status">You play as <strong>${current}</strong>. ${isLasting ? "This browser keeps the name." : "This browser keeps nothing: the name lasts until you close the page."}</p>
      <p class="ways row">
        ${this.rounds.map(({ id }) => html`<a class="button primary" href="#/server/${id}">Enter the round ${id}</a>`)}
        <a class="button ${this.rounds.length === 0 ? "primary" : ""}" href="#/ladders">Choose a game</a>
      </p>
      <p class="muted">Not you? Enter your own name below.</p>`;
  }

  form() {
    const field = (/** @type {string} */ name, /** @type {string} */ label) =>
      html`<label>${label}<input name=${name} required autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="80" /></label>`;
    return html`<form class="card" @submit=${this.submit}>${field("name", "Name")} ${field("token", "Token")} <button>Play under this name</button></form>`;
  }
}
