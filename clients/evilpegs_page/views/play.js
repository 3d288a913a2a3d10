/** A game in the browser by its rules, such as `#/play/5x8-evil`; without a codemaker it is against evil. */

import { html } from "../vendor/lit.js";
import { GameError } from "../core/errors.js";
import { formatRules, parseRules } from "../core/rules.js";
import { sentence } from "../components/words.js";
import { LocalView } from "./local_view.js";

const CODEMAKER = /-(evil|fixed)$/;

export default class PlayView extends LocalView {
  constructor() {
    super();
    this.failure = "";
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has("params")) this.read(this.params.rules ?? "");
  }

  /** @param {string} text */
  read(text) {
    const codemaker = /** @type {"evil" | "fixed"} */ (CODEMAKER.exec(text)?.[1] ?? "evil");
    try {
      this.open(parseRules(text.replace(CODEMAKER, "")), codemaker);
    } catch (error) {
      if (!(error instanceof GameError)) throw error;
      this.failure = error.message;
    }
  }

  intro() {
    const { rules, codemaker } = /** @type {import("../core/local_game.js").LocalGame} */ (this.game);
    return html`
      <h1>${formatRules(rules)} against ${codemaker === "evil" ? "evil" : "a fixed secret"}</h1>
      <p>
        ${codemaker === "evil"
          ? "Evil has no secret. It gives the reply that leaves the most codes possible."
          : "The secret was drawn at random before your first guess, and every reply is true to it."}
      </p>
    `;
  }

  render() {
    if (!this.failure) return super.render();
    return html`
      <h1>These rules cannot be played here</h1>
      <p class="intro">${sentence(this.failure)}</p>
      <rules-chooser></rules-chooser>
    `;
  }
}
