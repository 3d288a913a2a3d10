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
import { boundsWords, costWords, count, luckWords } from "./words.js";

/** @import { LocalGame } from "../core/local_game.js" */

/** The guesses that the best play needs on average (docs/results.md), by rules. @type {Readonly<Record<string, string>>} */
const BEST_PLAY = Object.freeze({ "4x6": "4.34", "4x10-distinct": "5.21" });
const MAX_KEEPING = 5; // guesses that are as good as a hint

export class GameAdvice extends LitElement {
  static properties = { game: { attribute: false }, turns: { type: Number }, given: { type: Number }, hasHints: { state: true }, advice: { state: true }, failure: { state: true } };

  static styles = [
    shared,
    pegStyle,
    css`
      :host { --peg: 1.35rem; }
      :host([slot="playing"]) {
        display: contents; /* the switch stands beside the owner's button, and the hint below both */
      }
      .others {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.3rem 0.8rem;
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
    if (advice === null) return html`<p>${failure ? `No hint: ${failure}` : "Looking for the best guess…"}</p>`;
    const [{ code, best_by: [name] }] = advice.guesses;
    const isKnown = name === "optimal play" || name === "par";
    const others = advice.keeping.slice(1, MAX_KEEPING + 1);
    return html`<p>${isKnown ? "Best guess:" : "The best guess is not known here. A good one:"} ${pegRow(code)}</p>
      ${name === "par" ? html`<p>With the best play ${count(advice.par.at_least, "more guess is", "more guesses are")} enough, counting this one.</p>` : nothing}
      ${others.length > 0 ? html`<p class="others">Just as good, for example: ${others.map(pegRow)}</p>` : nothing}
      <p class="muted">A game with hints does not count in your results.</p>`;
  }

  summary() {
    const { game, advice, failure, given } = this;
    const needed = game.over === "solved" ? this.bestPlay() : null;
    const isBest = needed === `${this.turns}`;
    const waiting = failure ? `What your guesses cost is not known yet: ${failure}` : "The server is computing what your guesses cost…";
    return html`<div aria-live="polite">
      ${needed === null ? nothing : html`<p>You used ${count(this.turns, "guess", "guesses")}${isBest ? `. Nobody can do it in fewer${given > 0 ? " after that first guess" : ""}!` : `; the best play needs ${needed}.`}</p>`}
      ${advice !== null && game.codemaker === "evil" ? costsForSure(advice.analyses, given) : html`<p>${advice === null ? waiting : averageWords(game, advice.analyses, given)}</p>`}
      <p>${luckWords(advice && luckOf(advice.analyses), game.codemaker)}</p>
    </div>`;
  }

  /** Return the guesses that the best play needs, those that were given among them; null if they are not known. */
  bestPlay() {
    const { game, advice, given } = this;
    if (game.codemaker === "fixed") return given > 0 || !(formatRules(game.rules) in BEST_PLAY) ? null : `${BEST_PLAY[formatRules(game.rules)]} on average`;
    const { needed, regret } = advice?.analyses[Math.max(0, given - 1)] ?? {};
    if (!needed || needed.at_least !== needed.at_most || (given === 0 && regret?.kind !== "exact")) return null;
    return `${needed.at_least + (given > 0 ? given : 1 - regret.at_least)}`;
  }
}

/** Return what the guesses cost against evil, for sure. @param {readonly any[]} analyses @param {number} given */
function costsForSure(analyses, given) {
  const judged = analyses.slice(given).map((analysis, index) => ({ ...analysis, turn: given + index + 1 }));
  const costly = judged.filter(({ regret }) => regret?.at_least > 0);
  const isExact = judged.every(({ regret }) => regret?.kind === "exact");
  const rest = isExact ? (costly.length === 0 ? "You lost no guesses." : "") : restWords(costly.length > 0);
  const item = (/** @type {any} */ each) => html`<li>Guess ${each.turn} cost ${costWords(each)}${costly.length > 2 ? "" : insteadWords(each)}.${each.optimal === null ? "" : html` ${pegRow(each.optimal)} was better.`}</li>`;
  return html`${costly.length === 0 ? nothing : html`<ul class="plain">${costly.map(item)}</ul>`}${rest ? html`<p>${rest}</p>` : nothing}`;
}

/** @param {boolean} isSomeKnown */
function restWords(isSomeKnown) {
  return `What ${isSomeKnown ? "the other" : "your"} guesses cost takes too long to compute on these rules; the replay has bounds where they are known.`;
}

/** @param {any} analysis */
function insteadWords({ regret, needed }) {
  if (regret.kind !== "exact" || needed.at_least !== needed.at_most) return "";
  return `: after it, even the best play needed ${needed.at_least} more instead of ${needed.at_least - regret.at_least}`;
}

/** @param {LocalGame} game @param {readonly any[]} analyses @param {number} given */
function averageWords(game, analyses, given) {
  const [worst] = costliest(ownReplay(game).games, (_, index) => (index < given ? null : analyses[index]), 1);
  const isExact = analyses.slice(given).every((each) => each?.regret?.kind === "exact");
  const more = isExact ? nothing : restWords(worst !== undefined);
  if (worst === undefined) return isExact ? "No guess could have been better on average." : more;
  const { regret, optimal } = worst.worth;
  return html`Guess ${worst.turn} cost ${boundsWords(regret)} guesses on average${optimal === null ? "" : html`: ${pegRow(optimal)} was better`}. ${more}`;
}

customElements.define("game-advice", GameAdvice);
