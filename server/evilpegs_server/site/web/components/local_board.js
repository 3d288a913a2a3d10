/**
 * A game in the browser: the guesses and the entry on one side, and on the other what the codemaker just did.
 *
 * After every guess the event `played` is sent; the owner stores the game. The slot `over` is shown below the result.
 */

import { LitElement, css, html } from "../vendor/lit.js";
import { feedbackName } from "../core/feedback.js";
import { countCodes, formatRules } from "../core/rules.js";
import { bestPlay } from "./best_play.js";
import "./code_entry.js";
import "./code_list.js";
import "./guess_table.js";
import { pegRow, pegStyle } from "./peg.js";
import "./reply_bars.js";
import { shared } from "./shared_style.js";
import { count, formatNumber } from "./words.js";

export class LocalBoard extends LitElement {
  static properties = {
    game: { attribute: false },
    busy: { state: true },
  };

  static styles = [
    shared,
    pegStyle,
    css`
      .columns {
        display: grid;
        grid-template-columns: minmax(0, var(--board)) minmax(0, 1fr);
        align-items: start;
        gap: 1.25rem;
      }
      @media (max-width: 50rem) {
        .columns {
          grid-template-columns: minmax(0, 1fr);
        }
      }
      guess-table {
        --peg: clamp(1.15rem, calc((min(100vw, var(--board) + 2rem) - 15.2rem) / var(--pegs) / 1.16), 2.2rem);
        margin-bottom: 1rem;
      }
      .panel {
        display: grid;
        gap: 0.9rem;
      }
      .left {
        display: flex;
        align-items: baseline;
        flex-wrap: wrap;
        gap: 0 0.6rem;
        font-size: 1.1rem;
      }
      .left strong {
        font-size: 3.1rem;
        line-height: 1;
        letter-spacing: -0.03em;
      }
      .legend {
        display: grid;
        gap: 0.35rem;
        margin: 0;
        padding: 0.8rem 0 0;
        border-top: 1px solid var(--line);
        color: var(--muted);
        font-size: 0.9rem;
        list-style: none;
      }
      .legend li {
        display: flex;
        align-items: center;
        gap: 0.5rem;
      }
      .legend i {
        flex: none;
        width: 0.85rem;
        height: 0.85rem;
        border: 0.1rem solid var(--muted);
        border-radius: 50%;
      }
      .legend .black {
        background: var(--black-peg);
      }
      .legend .white {
        background: var(--white-peg);
      }
      h2 .pegs {
        --peg: 1.5rem;
        vertical-align: middle;
      }
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
      }
      .result {
        display: grid;
        gap: 0.6rem;
        padding: 1rem;
        border-radius: var(--radius);
        background: var(--accent-soft);
      }
      .result h2 {
        font-size: 1.5rem;
      }
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
    this.busy = false;
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
  }

  render() {
    const { game } = this;
    return html`
      <div class="columns" .style=${`--pegs: ${game.rules.pegs}; --board: ${game.rules.pegs > 6 ? 34 : 27}rem`}>
        <section class="card" aria-label="Board">
          <guess-table .turns=${[...game.turns]}></guess-table>
          ${game.over ? this.result() : this.entry()}
        </section>
        <section class="card panel" aria-label=${this.isEvil ? "What evil did" : "Codes left"} aria-busy=${this.busy}>
          ${this.busy ? html`<p class="muted">${count(game.candidates, "code")} to go through …</p>` : ""}
          ${game.over ? this.ending() : game.turns.length === 0 ? this.opening() : this.lastTurn()}
        </section>
      </div>
      <p class="hidden" role="status">${this.spoken()}</p>
    `;
  }

  entry() {
    const { game } = this;
    return html`<code-entry
      .rules=${game.rules}
      .excluded=${game.turns.length ? game.excludedColors() : []}
      ?playsWhenFull=${game.turns.length === 0}
      ?disabled=${this.busy}
      @guess=${this.play}
    ></code-entry>`;
  }

  opening() {
    const { pegs, colors, repeats } = this.game.rules;
    return html`
      <p class="left"><strong class="number">${formatNumber(countCodes(this.game.rules))}</strong> codes possible</p>
      <p>
        A code is ${pegs} pegs of ${colors} colors${repeats ? "; a color may repeat" : ", each used once at most"}. Choose
        ${pegs} pegs by click, by drag or by key${this.isEvil ? html`, and see what evil makes of them` : ""}.
      </p>
      ${this.legend()}
    `;
  }

  legend() {
    return html`<ul class="legend">
      <li><i class="black"></i>A black peg: a color is right and in its place.</li>
      <li><i class="white"></i>A white peg: a further color is right, but elsewhere.</li>
    </ul>`;
  }

  lastTurn() {
    const { game } = this;
    const turn = /** @type {import("../core/local_game.js").LocalTurn} */ (game.turns.at(-1));
    return html`
      <p class="left">
        <strong class="number">${formatNumber(turn.left)}</strong>
        <span>of ${count(turn.before, "code")} left</span>
      </p>
      <div>
        <h2>What each reply to ${pegRow(turn.code)} would have left</h2>
      </div>
      <reply-bars .parts=${turn.parts} .taken=${turn} .mark=${this.isEvil ? "evil’s reply" : "the reply"}></reply-bars>
      <code-list .game=${game} .left=${turn.left}></code-list>
      ${this.legend()}
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
      <p class="muted">Each bar is in proportion to the logarithm of its number.</p>
    `;
  }

  result() {
    const { game } = this;
    const isSolved = game.over === "solved";
    return html`<div class="result">
      <h2>${isSolved ? `Solved in ${count(game.turns.length, "guess", "guesses")}` : "Not solved"}</h2>
      <p>${isSolved ? this.solvedBecause() : html`${pegRow(game.secret ?? "")} ${this.isEvil ? "was still possible." : "was the secret."}`}</p>
      <slot name="over"></slot>
    </div>`;
  }

  solvedBecause() {
    const best = this.isEvil ? bestPlay(formatRules(this.game.rules)) : "";
    const turn = /** @type {import("../core/local_game.js").LocalTurn} */ (this.game.turns.at(-1));
    if (!this.isEvil) return `The secret was one of ${count(turn.before, "code")} left.`;
    return `Only one code was left, so evil had to give in. ${best}`;
  }

  /** Return what a screen reader says after a guess. */
  spoken() {
    const turn = this.game.turns.at(-1);
    if (this.busy) return "The codes are counted.";
    if (!turn) return "";
    const reply = `Guess ${turn.code.split("").join(" ")}: ${feedbackName(turn)}.`;
    if (this.game.over === "solved") return `${reply} Solved in ${this.game.turns.length}.`;
    if (this.game.over) return `${reply} Not solved.`;
    return `${reply} ${formatNumber(turn.left)} of ${count(turn.before, "code")} left.`;
  }
}

customElements.define("local-board", LocalBoard);
