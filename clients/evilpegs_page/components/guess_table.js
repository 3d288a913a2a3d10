/** The guesses of a game with their feedback and the codes left; below them, what stands inside the element, of which only the slot `opening` may scroll out. */

import { LitElement, css, html, nothing } from "../vendor/lit.js";
import { feedbackPegs, feedbackStyle } from "./feedback_pegs.js";
import { pegRow, pegStyle } from "./peg.js";
import { shared } from "./shared_style.js";
import { isLong, turnTableStyle } from "./turn_table_style.js";
import { formatNumber } from "./words.js";

/**
 * @typedef {{code: string, black: number, white: number, left?: number | null}} ShownTurn `left` is the codes left after the reply;
 *   null if that is not known
 */

export class GuessTable extends LitElement {
  static properties = { turns: { attribute: false } };

  static styles = [
    shared,
    pegStyle,
    feedbackStyle,
    turnTableStyle,
    css`
      thead th {
        position: sticky;
        top: 0;
        z-index: 1;
        background: var(--surface);
      }
      td:first-child { color: var(--muted); }
      .pegs { flex-wrap: nowrap; }
      .feedback { font-size: 0.72rem; }
      td:last-child,
      th:last-child { padding-right: 0; }
      tbody tr:last-child { animation: arrive 0.25s ease-out; }
      tbody tr:last-child .feedback i { animation: pop 0.3s ease-out 0.15s backwards; }
      .solved .peg { animation: hop 0.5s ease-out 0.5s; }
      @keyframes pop {
        from {
          opacity: 0;
          transform: scale(0.4);
        }
      }
      @keyframes hop {
        40% { transform: translateY(-0.5rem); }
      }
      @keyframes arrive {
        from {
          opacity: 0;
          transform: translateY(0.4rem);
        }
      }
    `,
  ];

  constructor() {
    super();
    /** @type {readonly ShownTurn[]} */
    this.turns = [];
  }

  /** Show the newest guess where the rows scroll. @param {Map<string, unknown>} changed */
  updated(changed) {
    const before = /** @type {readonly ShownTurn[] | undefined} */ (changed.get("turns"));
    const table = this.renderRoot.querySelector("table");
    if (table && before?.length !== this.turns.length) this.scrollTop = table.offsetHeight - this.clientHeight;
  }

  render() {
    const showEnd = () => (this.scrollTop = this.scrollHeight);
    return html`${this.turns.length === 0 ? nothing : this.table()}<slot name="opening"></slot><slot @slotchange=${showEnd}></slot>`;
  }

  table() {
    return html`
      <table class=${isLong(this.turns[0].code.length) ? "long" : ""}>
        <caption class="hidden">Your guesses</caption>
        <thead>
          <tr>
            <th scope="col"><span class="hidden">Number</span></th>
            <th scope="col">Guess</th>
            <th scope="col">Reply</th>
            <th scope="col" class="right">Codes left</th>
          </tr>
        </thead>
        <tbody>
          ${this.turns.map((turn, index) => html`<tr class=${turn.black === turn.code.length ? "solved" : ""}>
            <td class="number">${index + 1}</td>
            <td>${pegRow(turn.code)}</td>
            <td>${feedbackPegs(turn, turn.code.length)}</td>
            <td class="right number">${turn.left == null ? "" : formatNumber(turn.left)}</td>
          </tr>`)}
        </tbody>
      </table>
    `;
  }
}

customElements.define("guess-table", GuessTable);
