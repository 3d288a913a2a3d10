/** The first view: a game against evil on 4x6, with nothing to choose and nothing to read before. */

import { html } from "../vendor/lit.js";
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
  }

  /** Ask the server for rounds once the game is shown; without an answer there is nothing to say. */
  async firstUpdated() {
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
    </p><p class="today"><a href="#/how">How to play</a></p>`;
  }
}
