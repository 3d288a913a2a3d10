/** The game of a day, which is the same for everybody, its result as text to share, and the days before. */

import { html, nothing } from "../vendor/lit.js";
import { dailyGame, dailyTerms, dateText, dayEnd } from "../core/daily.js";
import { UnreadableError } from "../core/errors.js";
import "../components/game_clock.js";
import { loadGame } from "../components/stored_game.js";
import { LocalView, describe } from "./local_view.js";

/** @typedef {import("../core/local_game.js").LocalGame} LocalGame */

const LONG_DATE = new Intl.DateTimeFormat("en-US", { dateStyle: "long", timeZone: "UTC" });
const FULL_DATE = new Intl.DateTimeFormat("en-US", { dateStyle: "full", timeZone: "UTC" });
const DAY_MS = 86_400_000;
const LISTED = 28;

export default class DailyView extends LocalView {
  static properties = { ...LocalView.properties, listed: { state: true }, now: { state: true } };

  constructor() {
    super();
    this.today = dateText(new Date());
    /** The date by the clock, a later one once midnight has passed in the open view. */
    this.now = this.today;
    /** @type {any} */
    this.timer = null;
    /** The days before today that are listed; none before somebody asks for them, because stored games are replayed. */
    this.listed = 0;
  }

  connectedCallback() {
    super.connectedCallback();
    document.addEventListener("visibilitychange", this.lookAtClock);
    this.lookAtClock();
  }

  disconnectedCallback() {
    document.removeEventListener("visibilitychange", this.lookAtClock);
    clearTimeout(this.timer);
    super.disconnectedCallback();
  }

  /** Note the date, at once and after midnight, also when the device wakes up. */
  lookAtClock = () => {
    const moment = new Date();
    this.now = dateText(moment);
    clearTimeout(this.timer);
    this.timer = setTimeout(this.lookAtClock, dayEnd(moment) - moment.getTime());
  };

  read() {
    const date = this.params.date ?? this.today;
    const game = dailyGame(date);
    if (date > this.today) throw new UnreadableError(`the game of ${date} begins on that day, and today is ${this.today}`);
    this.date = date;
    this.given = game.turns.length;
    this.name = `daily.${date}`;
    this.game = this.stored(game) ?? game;
  }

  /** Return the stored game of the date, unless something else was stored under its name. @param {LocalGame} begun */
  stored(begun) {
    const game = loadGame(this.name);
    const first = begun.toJSON();
    const isSame = JSON.stringify(game && { ...game.toJSON(), guesses: first.guesses }) === JSON.stringify(first);
    return isSame && first.guesses.every((code, turn) => game?.turns[turn]?.code === code) ? game : null;
  }

  heading() {
    return `Game of the day, ${LONG_DATE.format(moment(this.date))}`;
  }

  opening() {
    return html`<p>
      ${describe(/** @type {LocalGame} */ (this.game))}, the same for everybody. ${this.given > 0 ? "The first guess is given." : nothing}
    </p>`;
  }

  again() {
    return nothing; // the first result of a day is the one that counts
  }

  next() {
    return html`<a class="button primary" href="#/">Play another game</a>
      ${this.date === this.now ? html`<p class="muted">Next game of the day in <turn-time until=${dayEnd(new Date())}></turn-time></p>` : nothing}`;
  }

  others() {
    const now = moment(this.today).getTime();
    const days = Array.from({ length: this.listed }, (_, index) => new Date(now - (index + 1) * DAY_MS).toISOString().slice(0, 10));
    return html`
      <p role="status">${this.now === this.today ? nothing : html`A new day has begun: <a href="#/daily/${this.now}">play its game</a>.`}</p>
      <details class="other card" @toggle=${this.list}>
        <summary>Earlier days</summary>
        <p>In a terminal: <code>evilpegs play --daily${this.date === this.today ? "" : ` --date ${this.date}`}</code></p>
        ${this.date === this.today ? nothing : html`<p><a href="#/daily">Today’s game</a></p>`}
        <ol class="days">
          ${days.map((date) => this.day(date))}
        </ol>
        <button @click=${() => (this.listed += LISTED)}>Show older days</button>
      </details>
    `;
  }

  /** @param {Event} event */
  list(event) {
    this.listed = /** @type {HTMLDetailsElement} */ (event.target).open ? LISTED : 0;
  }

  /** @param {string} date */
  day(date) {
    const game = loadGame(`daily.${date}`);
    const played = game === null ? "" : game.over === "solved" ? `, solved in ${game.turns.length}` : game.over ? ", not solved" : ", started";
    return html`<li>
      <a href="#/daily/${date}" aria-current=${date === this.date ? "page" : nothing}>${FULL_DATE.format(moment(date))}</a>
      <span class="muted">${describe(dailyTerms(date))}${played}</span>
    </li>`;
  }

  instead() {
    return html`<p><a class="button primary" href="#/daily">Play today’s game</a></p>`;
  }
}

/** @param {string} date */
function moment(date) {
  return new Date(`${date}T00:00Z`);
}
