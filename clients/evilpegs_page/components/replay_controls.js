/** The buttons and the slider of a replay. A step is sent as the event `step` with the position as `detail`, and the wish to play or to pause as `play`. */

import { LitElement, css, html } from "../vendor/lit.js";
import { afterKey, isLast } from "../replay/position.js";
import { shared } from "./shared_style.js";
import { count } from "./words.js";

/** @import { Position } from "../replay/position.js" */

export class ReplayControls extends LitElement {
  static properties = { lengths: { attribute: false }, position: { attribute: false }, isPlaying: { type: Boolean } };

  static styles = [
    shared,
    css`
      .controls { gap: 0.4rem; }
      .step {
        font-size: 1.3rem;
        line-height: 1;
        min-width: 2.75rem;
        padding: 0.4rem;
      }
      .slider {
        flex: 1;
        min-width: 8rem;
      }
      .slider input {
        width: 100%;
        height: 2.75rem;
        margin: 0;
        accent-color: var(--accent);
      }
      .keys {
        margin-top: 0.8rem;
        font-size: 0.85rem;
      }
      @media (pointer: coarse) {
        .keys { display: none; }
      }
    `,
  ];

  constructor() {
    super();
    /** The guesses of each game. @type {number[]} */
    this.lengths = [];
    /** @type {Position} */
    this.position = { game: 0, turn: 0 };
    this.isPlaying = false;
  }

  /** @param {Position} position */
  step(position) {
    this.dispatchEvent(new CustomEvent("step", { detail: position }));
  }

  render() {
    const { lengths } = this;
    const { game, turn } = this.position;
    const isFirst = game === 0 && turn === 0;
    return html`<div class="controls row" role="group" aria-label="Replay">
        ${this.button("Home", "First", "«", turn === 0)} ${this.button("ArrowLeft", "Back", "‹", isFirst)}
        <button class="primary" @click=${() => this.dispatchEvent(new CustomEvent("play"))}>${this.isPlaying ? "Pause" : "Play"}</button>
        ${this.button("ArrowRight", "Next", "›", isLast(lengths, this.position))} ${this.button("End", "Last", "»", turn >= lengths[game])}
        ${this.slider()}
      </div>
      <p class="keys muted">
        Keys: ← and → step, space plays, Home and End jump${lengths.length > 1 ? ", Page Up and Page Down change the game" : ""}.
      </p>`;
  }

  /** @param {string} key @param {string} label @param {string} sign @param {boolean} isOff */
  button(key, label, sign, isOff) {
    const act = () => this.step(/** @type {Position} */ (afterKey(key, this.lengths, this.position)));
    return html`<button class="step" aria-label=${label} ?disabled=${isOff} @click=${act}><span aria-hidden="true">${sign}</span></button>`;
  }

  slider() {
    const { game, turn } = this.position;
    const slide = (/** @type {Event} */ event) =>
      this.step({ game, turn: Number(/** @type {HTMLInputElement} */ (event.target).value) });
    const length = this.lengths[game];
    return html`<label class="slider"><span class="hidden">Guess</span>
      <input type="range" min="0" max=${length} .value=${`${turn}`} aria-valuetext=${`${turn} of ${count(length, "guess", "guesses")}`} @input=${slide} />
    </label>`;
  }
}

customElements.define("replay-controls", ReplayControls);
