/**
 * A game in the browser by its rules, such as `#/play/5x8-evil`; without a codemaker it is against evil. With a seed, such
 * as `#/play/5x8-evil?seed=7f3a&v=1`, it is the same game for everybody who opens the link.
 */

import { html, nothing } from "../vendor/lit.js";
import { readTerms } from "../core/share.js";
import { LocalView } from "./local_view.js";

export default class PlayView extends LocalView {
  /** @param {string | undefined} seed */
  read(seed) {
    const { rules, codemaker } = readTerms(this.params.rules ?? "");
    this.open(rules, codemaker, seed);
  }

  opening() {
    return html`
      ${this.seed ? html`<p>You opened a challenge. Everybody with this link plays this game: equal guesses get equal replies.</p>` : nothing}
      <p>
        ${this.game?.codemaker === "evil"
          ? "Evil has no secret. It gives the reply that leaves the most codes possible."
          : "The secret was drawn at random before your first guess, and every reply is true to it."}
      </p>
    `;
  }
}
