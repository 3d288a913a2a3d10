/** The replay of a game in the browser, which follows from its address, so it can be reloaded and shared. */

import { html } from "../vendor/lit.js";
import "../components/copy_text.js";
import { sentence } from "../components/words.js";
import { GameError, UnreadableError } from "../core/errors.js";
import { LocalGame } from "../core/local_game.js";
import { formatRules } from "../core/rules.js";
import { linkSeed, positionPath, readTerms } from "../core/share.js";
import { askUntilAnswer } from "../follow.js";
import { atPosition } from "../replay/position.js";
import { ownReplay } from "../replay/timeline.js";
import ReplayView from "./replay.js";

export default class GameReplayView extends ReplayView {
  load() {
    try {
      const { rules, codemaker } = readTerms(this.params.rules);
      const guesses = (this.query.get("guesses") ?? "").split("-").filter(Boolean);
      if (guesses.length === 0) throw new UnreadableError("this address has no guesses");
      const secret = this.query.get("secret") ?? undefined;
      const game = LocalGame.fromJSON({ rules: formatRules(rules), codemaker, guesses, seed: linkSeed(this.query), secret });
      if (game.over === null) game.resign();
      this.replay = ownReplay(game);
      this.miss("");
      const take = (/** @type {any} */ { analyses }) =>
        (this.analysis = { games: [{ game: 1, turns: analyses.map((/** @type {object} */ analysis) => ({ analysis })) }] });
      this.follower = askUntilAnswer(positionPath(game), take, (failure) => this.miss(failure));
    } catch (error) {
      if (!(error instanceof GameError)) throw error;
      this.failure = sentence(error.message);
    }
  }

  subtitle() {
    return html`<p>This game was played in a browser. <a href="#/play/${this.params.rules}">Play a game like this</a></p>`;
  }

  record() {
    const link = new URL(atPosition(location.hash), location.href).href;
    return html`<section class="card" aria-label="Link"><copy-text .text=${link} label="This link opens this replay" shares></copy-text></section>`;
  }
}
