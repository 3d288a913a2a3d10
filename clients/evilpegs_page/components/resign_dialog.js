/** The question whether a game or a whole match is to be given up. The answer is sent as the event `resign`. */

import { LitElement, css, html, nothing } from "../vendor/lit.js";
import { shared } from "./shared_style.js";

export class ResignDialog extends LitElement {
  static properties = { game: { type: Number }, games: { type: Number }, codemaker: {}, rated: { type: Boolean } };

  static styles = [
    shared,
    css`
      dialog {
        max-width: min(26rem, calc(100vw - 2rem));
        padding: 1.3rem;
        border: 1px solid var(--line);
        border-radius: var(--radius);
        background: var(--surface);
        color: var(--ink);
        box-shadow: var(--shadow);
      }
      dialog::backdrop {
        background: rgb(0 0 0 / 45%);
      }
      p {
        margin: 0.5rem 0 1rem;
      }
      .buttons {
        display: grid;
      }
    `,
  ];

  constructor() {
    super();
    this.game = 1;
    this.games = 1;
    this.codemaker = "fixed";
    this.rated = false;
  }

  get dialog() {
    return /** @type {HTMLDialogElement} */ (this.renderRoot.querySelector("dialog"));
  }

  open() {
    this.dialog.showModal();
  }

  /** @param {number | null} game the game that is given up; null for every game left */
  resign(game) {
    this.dialog.close();
    this.dispatchEvent(new CustomEvent("resign", { detail: game }));
  }

  render() {
    const isOne = this.games === 1;
    const shown = this.codemaker === "fixed" ? "The secret" : "A code that is still possible";
    return html`<dialog aria-labelledby="question">
      <h2 id="question">${isOne ? "Give up?" : `Give up game ${this.game}?`}</h2>
      <p>${this.rated ? "A game that is given up counts as one guess more than the limit." : `${shown} is shown, and nothing counts.`}</p>
      <div class="buttons">
        <button class="primary" @click=${() => this.dialog.close()}>Keep playing</button>
        <button @click=${() => this.resign(this.game)}>${isOne ? "Give up" : `Give up game ${this.game}`}</button>
        ${isOne ? nothing : html`<button @click=${() => this.resign(null)}>Give up the whole match</button>`}
      </div>
    </dialog>`;
  }
}

customElements.define("resign-dialog", ResignDialog);
