/**
 * What the server says about a game in the browser: while it is played, the best guess, if the player wants hints; after its
 * end, what the guesses cost, and luck. A game that showed a hint is marked, and `hinted` is sent.
 */

import { LitElement, css, html, nothing } from "../vendor/lit.js";
import { formatRules } from "../core/rules.js";
import { positionPath } from "../core/share.js";
import { askUntilAnswer } from "../follow.js";
import { costliest, luckOf } from "../replay/insight.js";
import { ownReplay } from "../replay/timeline.js";
import { pegRow, pegStyle } from "./peg.js";
import { shared } from "./shared_style.js";
import { saveHints, wantsHints } from "./stored_game.js";
import { boundsWords, count, luckWords } from "./words.js";

/** @import { LocalGame } from "../core/local_game.js" */

/**
 * The guesses that the best play needs against evil, and on average for a fixed secret (docs/results.md), where that is known.
 *
 * On 4x6 evil falls after 5 guesses: minimax never needs more, and no three guesses leave evil fewer than 6
 * codes (all were tried, with every choice among equal parts), so no play needs fewer. On 4x10-distinct and 5x8, minimax never needs more than 7.
 * @type {Readonly<Record<string, string>>}
 */
const BEST_PLAY = Object.freeze({
  "4x6-evil": "5",
  "4x10-distinct-evil": "7 at most",
  "5x8-evil": "7 at most",
  "4x6-fixed": "4.34 on average",
  "4x10-distinct-fixed": "5.21 on average",
});

export class GameAdvice extends LitElement {
  static properties = { game: { attribute: false }, turns: { type: Number }, given: { type: Number }, hasHints: { state: true }, advice: { state: true }, failure: { state: true } };

  static styles = [
    shared,
    pegStyle,
    css`
      :host {
        --peg: 1.35rem;
      }
      :host([slot="playing"]) {
        display: contents; /* the switch stands beside the owner's button, and the hint below both */
      }
      div {
        display: grid;
        flex: 1 0 100%;
        order: 1;
        gap: 0.4rem;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {LocalGame} */
    this.game;
    /** The guesses so far, which tell this element that the game went on. */
    this.turns = 0;
    /** How many of them were not the player's. */
    this.given = 0;
    this.hasHints = wantsHints();
    /** The document of the API. @type {any} */
    this.advice = null;
    this.failure = "";
    /** @type {import("../follow.js").Follower | null} */
    this.follower = null;
  }

  disconnectedCallback() {
    this.follower?.stop();
    super.disconnectedCallback();
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (!["game", "turns", "hasHints"].some((name) => changed.has(name))) return;
    this.follower?.stop();
    this.advice = null;
    this.failure = "";
    if (this.game.over === null && !this.hasHints) return;
    this.follower = askUntilAnswer(positionPath(this.game), (advice) => this.take(advice), (failure) => (this.failure = failure));
  }

  /** @param {any} advice */
  take(advice) {
    this.advice = advice;
    if (this.game.over !== null) return;
    this.game.hinted = true;
    this.dispatchEvent(new CustomEvent("hinted"));
  }

  render() {
    return this.game.over === null ? this.hints() : this.summary();
  }

  hints() {
    const toggle = () => saveHints((this.hasHints = !this.hasHints));
    return html`<button @click=${toggle}>Hints: ${this.hasHints ? "on" : "off"}</button>
      <div aria-live="polite">${this.hasHints ? this.hint() : nothing}</div>`;
  }

  hint() {
    const { advice, failure } = this;
    if (advice === null) return html`<p>${failure ? `No hint: ${failure}` : "Looking for the best guess …"}</p>`;
    const [{ code, best_by: [name] }] = advice.guesses;
    return html`<p>${name === "optimal play" ? "The best play is" : "The best play is not known here, but a good one is"} ${pegRow(code)}</p>
      <p class="muted">A game with hints does not count in your results.</p>`;
  }

  summary() {
    const { game, advice, failure, given } = this;
    const needed = given > 0 || game.over !== "solved" ? "" : BEST_PLAY[`${formatRules(game.rules)}-${game.codemaker}`];
    const waiting = failure ? `What your guesses cost is not known yet: ${failure}` : "The server is computing what your guesses cost …";
    return html`<div aria-live="polite">
      ${needed ? html`<p>You used ${count(this.turns, "guess", "guesses")}; the best play needs ${needed}.</p>` : nothing}
      <p>${advice === null ? waiting : costWords(game, advice.analyses, given)}</p>
      <p>${luckWords(advice && luckOf(advice.analyses), game.codemaker)}</p>
    </div>`;
  }
}

/** @param {LocalGame} game @param {readonly any[]} analyses @param {number} given */
function costWords(game, analyses, given) {
  const [worst] = costliest(ownReplay(game).games, (_, index) => (index < given ? null : analyses[index]), 1);
  const isExact = analyses.slice(given).every((each) => each?.regret?.kind === "exact");
  const more = isExact ? nothing : `What ${worst ? "the other" : "your"} guesses cost takes too long to compute on these rules; the replay has bounds where they are known.`;
  if (worst === undefined) return isExact ? "No guess could have been better on average." : more;
  const { regret, optimal } = worst.worth;
  return html`Guess ${worst.turn} cost ${boundsWords(regret)} guesses on average${optimal === null ? "" : html`: ${pegRow(optimal)} was better`}. ${more}`;
}

customElements.define("game-advice", GameAdvice);
