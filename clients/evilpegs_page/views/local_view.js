/** What the views of games in the browser share: the stored game, the board, and what comes after the end. */

import { LitElement, css, html, nothing } from "../vendor/lit.js";
import { LocalGame } from "../core/local_game.js";
import { formatRules } from "../core/rules.js";
import "../components/local_board.js";
import "../components/rules_chooser.js";
import { shared } from "../components/shared_style.js";
import { loadGame, saveGame } from "../components/stored_game.js";

/** The guesses of a game, which are those of the ladders on the server; 20 on rules without a ladder. */
const LIMITS = Object.freeze({ "4x6": 10, "4x10-distinct": 12, "5x8": 14 });

const viewStyle = css`
  .intro p {
    font-size: 1.05rem;
  }
  @media (max-width: 50rem) {
    .intro {
      margin-bottom: 0.8rem;
    }
    .intro p {
      font-size: 1rem;
    }
    .begun p {
      display: none;
    }
  }
  .other {
    margin-top: 1.25rem;
  }
`;

export class LocalView extends LitElement {
  static properties = {
    params: { attribute: false },
    game: { state: true },
  };

  static styles = [shared, viewStyle];

  constructor() {
    super();
    /** @type {Record<string, string>} */
    this.params = {};
    /** @type {LocalGame | null} */
    this.game = null;
    /** The name under which the game is stored. */
    this.name = "";
  }

  /**
   * Continue the stored game of these rules, or begin one.
   * @param {import("../core/rules.js").Rules} rules @param {"evil" | "fixed"} codemaker
   */
  open(rules, codemaker) {
    this.name = `${formatRules(rules)}-${codemaker}`;
    this.game = loadGame(this.name) ?? newGame(rules, codemaker);
    this.store();
  }

  begin() {
    if (this.game === null) return;
    this.game = newGame(this.game.rules, this.game.codemaker);
    this.store();
  }

  store() {
    if (this.game !== null) saveGame(this.name, this.game);
    this.requestUpdate();
  }

  render() {
    if (this.game === null) return nothing;
    const { rules, turns, over } = this.game;
    return html`
      <div class="intro ${turns.length > 0 ? "begun" : ""}">${this.intro()}</div>
      <local-board .game=${this.game} @played=${this.store}>
        ${turns.length > 0 && over === null ? html`<button class="quiet" slot="playing" @click=${this.begin}>Start again</button>` : nothing}
        <div class="buttons" slot="over">
          <button class="primary" @click=${this.begin}>New game</button>
          <a class="button" href="#/daily">Game of the day</a>
        </div>
      </local-board>
      <details class="other card" ?open=${over !== null}>
        <summary>Other rules</summary>
        <rules-chooser
          .pegs=${rules.pegs}
          .colors=${rules.colors}
          .repeats=${rules.repeats}
          .codemaker=${this.game.codemaker}
        ></rules-chooser>
      </details>
    `;
  }

  /** @returns {unknown} */
  intro() {
    return nothing;
  }
}

/** @param {import("../core/rules.js").Rules} rules @param {"evil" | "fixed"} codemaker */
function newGame(rules, codemaker) {
  const name = formatRules(rules);
  const limit = Object.hasOwn(LIMITS, name) ? LIMITS[/** @type {keyof typeof LIMITS} */ (name)] : 20;
  return new LocalGame({ rules, codemaker, limit });
}
