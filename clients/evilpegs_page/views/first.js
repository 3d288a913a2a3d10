/** The first view: a game against evil on 4x6, with nothing to choose and nothing to read before. */

import { html } from "../vendor/lit.js";
import { makeRules } from "../core/rules.js";
import { LocalView } from "./local_view.js";

export default class FirstView extends LocalView {
  read() {
    this.open(makeRules(4, 6), "evil");
  }

  heading() {
    return "Find the code that evil has not chosen";
  }

  opening() {
    return html`<p>
      Pick four colors and press Guess; marks say how close you are. Your opponent, evil, has no secret code: it gives
      the reply that leaves the most codes possible. Leave it only one, and you win.
    </p>`;
  }
}
