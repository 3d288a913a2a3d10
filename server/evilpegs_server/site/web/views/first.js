/** The first view: a game against evil on 4x6, with nothing to choose and nothing to read before. */

import { html } from "../vendor/lit.js";
import { makeRules } from "../core/rules.js";
import { LocalView } from "./local_view.js";

export default class FirstView extends LocalView {
  constructor() {
    super();
    this.open(makeRules(4, 6), "evil");
  }

  intro() {
    return html`
      <h1>Find the code that evil has not chosen</h1>
      <p>
        Evil has no secret. After each of your guesses it gives the reply that leaves the most codes possible, until only
        one is left.
      </p>
    `;
  }
}
