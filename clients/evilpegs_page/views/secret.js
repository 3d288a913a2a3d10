/** A game for a code that somebody chose: its link has rules, guess limit and the masked code, and its result goes back as text. */

import { html } from "../vendor/lit.js";
import { rulesName } from "../components/words.js";
import { loadGame } from "../components/stored_game.js";
import { readSecret, resultText, secretAddress, secretGame } from "../core/own_secret.js";
import { formatRules } from "../core/rules.js";
import { LocalView } from "./local_view.js";

export default class SecretView extends LocalView {
  constructor() {
    super();
    /** @type {import("../core/own_secret.js").OwnSecret} */
    this.secret;
  }

  read() {
    this.secret = readSecret(this.params.rules, this.query);
    const begun = secretGame(this.secret);
    this.name = `secret-${this.secret.commitment}`;
    const stored = loadGame(this.name);
    const [kept, wanted] = [stored?.toJSON(), begun.toJSON()];
    const isSame = kept?.rules === wanted.rules && kept.limit === wanted.limit && kept.secret === wanted.secret;
    this.game = isSame ? stored : begun;
    this.store();
  }

  address() {
    return secretAddress(this.secret);
  }

  result() {
    return { label: "Send your result to whoever set the code", text: resultText(this.secret, /** @type {import("../core/local_game.js").LocalGame} */ (this.game)) };
  }

  heading() {
    return `A code set for you: ${rulesName(formatRules(this.secret.rules))}`;
  }

  opening() {
    return html`<p>Somebody chose this code, and the link fixes it before your first guess. It hides the code from a glance; whoever can program finds it there, so it is for fun.</p>`;
  }

  again() {
    return ""; // whoever begins again knows something of the code
  }

  next() {
    return html`<a class="button primary" href="#/set">Set a code yourself</a>
      <p class="muted">The code is the one that the link had fixed before your first guess.</p>`;
  }
}
