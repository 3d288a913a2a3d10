/** The game of the day, which is the same for everybody, and its result as text to share. */

import { html } from "../vendor/lit.js";
import { dailyGame, dateText, shareText } from "../core/daily.js";
import "../components/copy_text.js";
import { forgetGames, loadGame } from "../components/stored_game.js";
import { LocalView } from "./local_view.js";

const LONG_DATE = new Intl.DateTimeFormat("en-US", { dateStyle: "long", timeZone: "UTC" });

export default class DailyView extends LocalView {
  constructor() {
    super();
    this.date = dateText(new Date());
    this.name = `daily.${this.date}`;
    this.game = this.stored() ?? dailyGame(this.date);
    forgetGames("daily.", this.name);
  }

  /** Return the stored game of the date, unless something else was stored under its name. */
  stored() {
    const game = loadGame(this.name);
    const first = dailyGame(this.date).toJSON();
    const isSame = JSON.stringify(game && { ...game.toJSON(), guesses: first.guesses }) === JSON.stringify(first);
    return isSame && game?.turns[0]?.code === first.guesses[0] ? game : null;
  }

  render() {
    const game = /** @type {import("../core/local_game.js").LocalGame} */ (this.game);
    return html`
      <div class="intro">
        <h1>Game of the day, ${LONG_DATE.format(new Date(`${this.date}T00:00Z`))}</h1>
        <p>
          The date has chosen the first guess, and evil’s reply is on the board. Everybody plays this game today;
          <code>evilpegs play --daily</code> plays it in a terminal.
        </p>
      </div>
      <local-board .game=${game} @played=${this.store}>
        <div slot="over">
          ${game.over ? html`<copy-text .text=${shareText(game, this.date)} label="Your result to share"></copy-text>` : ""}
          <p><a href="#/">Play another game against evil</a></p>
        </div>
      </local-board>
    `;
  }
}
