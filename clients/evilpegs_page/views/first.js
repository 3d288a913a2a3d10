/** The first view: a game against evil on 4x6, with nothing to choose and nothing to read before. */

import { html, nothing } from "../vendor/lit.js";
import { count } from "../components/words.js";
import { loadResults } from "../components/stored_game.js";
import { streak } from "../core/results.js";
import { makeRules } from "../core/rules.js";
import { LocalView } from "./local_view.js";

export default class FirstView extends LocalView {
  read() {
    this.open(makeRules(4, 6), "evil");
  }

  constructor() {
    super();
    /** The rounds that can be entered now. @type {readonly {id: string, state: string}[]} */
    this.rounds = [];
    /** Today's date, once the game is shown. */
    this.day = "";
  }

  /** Look at the calendar, and ask the server for rounds, once the game is shown; without an answer there is nothing to say. */
  async firstUpdated() {
    this.day = (await import("../core/daily.js")).dateText(new Date());
    this.requestUpdate();
    const { getJson, isPublished } = await import("../api.js");
    if (isPublished) return;
    const { rounds } = await getJson("api/v1/rounds").catch(() => ({ rounds: [] }));
    this.rounds = rounds.filter((/** @type {{state: string}} */ { state }) => state === "open");
    this.requestUpdate();
  }

  notice() {
    return this.rounds.map(({ id }) => html`<p role="status">The round <strong>${id}</strong> is open. <a href="#/round/${id}">Enter it</a></p>`);
  }

  heading() {
    return "Find the code that evil has not chosen";
  }

  opening() {
    return html`<p>
      Pick four colors and press Guess; marks say how close you are. Evil has no secret code: it gives the reply that
      leaves the most codes possible. Leave it only one, and you win.
    </p>${this.dayWords()}`;
  }

  /** One line on a phone: how to play, today's game, and on how many days in a row it was solved. */
  dayWords() {
    const results = loadResults();
    const [, guesses] = Object.entries(results).find(([name]) => name.endsWith(` daily ${this.day}`)) ?? [];
    const days = this.day && streak(results, this.day);
    return html`<p class="today">
      ${days || guesses !== undefined ? nothing : html`<a href="#/how">How to play</a>`}
      ${this.day ? html`<a href="#/daily">${guesses === undefined ? "Play today’s game" : `Today: ${guesses ? `solved in ${guesses}` : "not solved"}`}</a>` : nothing}
      ${days ? html`<a href="#/results">${count(days, "day")} in a row</a>` : nothing}
    </p>`;
  }

  others() {
    return html`${this.game?.turns.length ? this.dayWords() : nothing} ${super.others()}`;
  }
}
