/**
 * A game in the browser: the guesses and the entry on one side, and on the other what the codemaker just did.
 *
 * After every guess the event `played` is sent; the owner stores the game. The slot `opening` is shown where the
 * guesses will be, `playing` below the entry, and `over` below the result.
 */

import { LitElement, css, html, nothing } from "../vendor/lit.js";
import { feedbackName } from "../core/feedback.js";
import { bringsNothing } from "../core/partition.js";
import { countCodes } from "../core/rules.js";
import { boardClass, boardSizes, boardStyle } from "./board_style.js";
import { IDLE_RULE, PLAY_RULE } from "./code_entry.js";
import "./code_list.js";
import { feedbackStyle, legend, shortLegend } from "./feedback_pegs.js";
import "./guess_table.js";
import { pegRow, pegStyle } from "./peg.js";
import "./reply_bars.js";
import { shared } from "./shared_style.js";
import { TOLD_NOTHING, count, formatNumber, noun } from "./words.js";

export class LocalBoard extends LitElement {
  static properties = {
    game: { attribute: false },
    given: { type: Number },
    busy: { state: true },
    isIdle: { state: true },
  };

  static styles = [
    shared,
    pegStyle,
    boardStyle,
    feedbackStyle,
    css`
      [slot="opening"] .legend { margin-top: 0.5rem; }
      .steps {
        display: grid;
        gap: 0.3rem;
        margin: 0;
        padding: 0;
        list-style: none;
      }
      .steps li {
        display: grid;
        grid-template-columns: auto 1fr;
        align-items: center;
        gap: 0.8rem;
      }
      .steps .pegs,
      .steps .start {
        --peg: 1.5rem;
        min-width: calc(var(--pegs) * 1.75rem);
      }
      .steps .bar {
        display: flex;
        align-items: center;
        gap: 0.5rem;
      }
      .steps i {
        flex: none;
        width: calc(var(--share) * (100% - 4rem));
        min-width: 3px;
        height: 1.3rem;
        border-radius: 3px;
        background: var(--accent);
        forced-color-adjust: none;
      }
      .result {
        display: grid;
        gap: 0.6rem;
        padding: 1rem;
        border-radius: var(--radius);
        background: var(--accent-soft);
      }
      .result:focus { outline: none; }
      .result h2 { font-size: 1.5rem; }
      .more { flex-wrap: wrap; }
      .result .pegs {
        --peg: 1.7rem;
        vertical-align: middle;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {import("../core/local_game.js").LocalGame} */
    this.game;
    /** How many guesses the game has before the player makes one. */
    this.given = 0;
    this.busy = false;
    this.isIdle = false;
  }

  /** False until the player has made a guess. */
  get hasBegun() {
    return this.game.turns.length > this.given;
  }

  get isEvil() {
    return this.game.codemaker === "evil";
  }

  /** @param {CustomEvent<string>} event */
  async play({ detail }) {
    const { game } = this;
    if (game.isLarge) {
      this.busy = true;
      await game.guessInSteps(detail);
      this.busy = false;
    } else {
      game.guess(detail);
    }
    this.dispatchEvent(new CustomEvent("played"));
    this.requestUpdate();
    if (game.over) await this.keepFocus();
  }

  /** Give the result the focus if nothing has it, because the entry that had it is gone: what can be done next is one Tab away. */
  async keepFocus() {
    await this.updateComplete;
    if (document.activeElement !== document.body) return;
    /** @type {HTMLElement | null} */ (this.renderRoot.querySelector(".result"))?.focus({ preventScroll: true });
  }

  render() {
    const { game } = this;
    const isStart = game.turns.length === 0; // what to do is said before what marks mean
    return html`
      <div class="columns ${boardClass(game.rules.pegs)}" tabindex="-1" .style=${boardSizes(game.rules.pegs)}>
        <section class="card" aria-label="Board">
          <div class=${game.over ? "" : "stage"}>
            <div class="heading"><strong class="number">${this.progress()}</strong> ${isStart || game.over ? nothing : this.hasBegun ? shortLegend : legend}</div>
            <guess-table .turns=${[...game.turns]} role="region" aria-label="Guesses" tabindex="0">${isStart ? html`<div slot="opening"><slot name="opening"></slot> ${legend}</div>` : html`<slot name="opening" slot="opening"></slot>`}</guess-table>
            ${game.over ? this.result() : this.entry()}
          </div>
          ${game.over ? nothing : html`<div class="more"><slot name="playing"></slot></div>`}
        </section>
        <section class="card panel" aria-label=${this.isEvil ? "What evil did" : "Codes left"} aria-busy=${this.busy}>
          ${this.busy ? html`<p class="muted">${count(game.candidates, "code")} to go through…</p>` : ""}
          ${game.over ? this.ending() : game.turns.length === 0 ? this.opening() : this.lastTurn()}
        </section>
      </div>
      <p class="hidden" role="status">${this.spoken()}</p>
    `;
  }

  progress() {
    const { turns, limit, over } = this.game;
    return over ? count(turns.length, "guess", "guesses") : `Guess ${turns.length + 1} of ${limit}`;
  }

  entry() {
    const { game } = this;
    return html`<code-entry
        .rules=${game.rules}
        .excluded=${game.turns.length ? game.excludedColors() : []}
        ?disabled=${this.busy}
        @guess=${this.play}
        @drafted=${(/** @type {CustomEvent<(number | null)[]>} */ { detail }) => (this.isIdle = game.isIdle(detail))}
        ><p class="muted" aria-live="polite">${this.isIdle ? IDLE_RULE : this.hasBegun ? nothing : PLAY_RULE}</p></code-entry
      >`;
  }

  opening() {
    const { pegs, colors, repeats } = this.game.rules;
    const codes = countCodes(this.game.rules);
    return html`
      <p class="left"><strong class="number">${formatNumber(codes)}</strong> ${noun(codes, "code")} possible</p>
      <p>
        A code is ${count(pegs, "peg")} of ${count(colors, "color")}${repeats ? "; a color may repeat" : ", each used once at most"}.
        Tap, drag or type the colors of your guess. The marks of a reply are in no order: they do not say which peg is right.
      </p>
    `;
  }

  lastTurn() {
    const { game } = this;
    const turn = /** @type {import("../core/local_game.js").LocalTurn} */ (game.turns.at(-1));
    return html`
      <p class="left">
        <strong class="number">${formatNumber(turn.left)}</strong>
        <span>of ${count(turn.before, "code")} left</span>
      </p>
      ${bringsNothing(turn.parts, game.rules.pegs) ? html`<p><strong>${TOLD_NOTHING}</strong></p>` : nothing}
      <div>
        <h2>What each reply to ${pegRow(turn.code)} would have left</h2>
      </div>
      <reply-bars .parts=${turn.parts} .taken=${turn} .mark=${this.isEvil ? "evil’s reply" : "the reply"}></reply-bars>
      <code-list .game=${game} .left=${turn.left}></code-list>
    `;
  }

  /** Return the codes left after every guess, as bars in proportion to the logarithm. */
  ending() {
    const { turns } = this.game;
    const start = turns[0].before;
    const bar = (/** @type {number} */ left) => html`<span class="bar"
      ><i .style=${`--share: ${Math.log(left) / Math.log(start)}`}></i><span class="number">${formatNumber(left)}</span></span
    >`;
    return html`
      <h2>The codes left after each guess</h2>
      <ol class="steps">
        <li><span class="start">Before</span>${bar(start)}</li>
        ${turns.map((turn) => html`<li>${pegRow(turn.code)}${bar(turn.left)}</li>`)}
      </ol>
      <p class="muted">Bars are on a logarithmic scale.</p>
    `;
  }

  result() {
    const { game } = this;
    const isSolved = game.over === "solved";
    return html`<div class="result" tabindex="-1">
      <h2>${isSolved ? `Solved in ${count(game.turns.length, "guess", "guesses")}` : "Not solved"}${game.hinted ? ", with hints" : ""}</h2>
      <p>${isSolved ? this.solvedBecause() : html`${pegRow(game.secret ?? "")} ${this.isEvil ? "was still possible." : "was the secret."}`}</p>
      <slot name="over"></slot>
    </div>`;
  }

  solvedBecause() {
    const turn = /** @type {import("../core/local_game.js").LocalTurn} */ (this.game.turns.at(-1));
    if (!this.isEvil) return `The secret was one of ${count(turn.before, "code")} left.`;
    return "Only one code was left, so evil had to give in.";
  }

  /** Return what a screen reader says after a guess. */
  spoken() {
    const turn = this.game.turns.at(-1);
    if (this.busy) return "Counting the codes.";
    if (!turn) return "";
    const reply = `Guess ${turn.code.split("").join(" ")}: ${feedbackName(turn)}.`;
    if (this.game.over === "solved") return `${reply} Solved in ${this.game.turns.length}.`;
    if (this.game.over) return `${reply} Not solved.`;
    return `${reply} ${formatNumber(turn.left)} of ${count(turn.before, "code")} left.${bringsNothing(turn.parts, turn.code.length) ? ` ${TOLD_NOTHING}` : ""}`;
  }
}

customElements.define("local-board", LocalBoard);
