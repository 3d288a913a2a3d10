/** The table of a replay: one row for each guess, of which those after the position are covered. */

import { html, nothing } from "../vendor/lit.js";
import { feedbackPegs } from "./feedback_pegs.js";
import { pegRow } from "./peg.js";
import { timeWords } from "./result_words.js";
import { isLong } from "./turn_table_style.js";
import { formatNumber } from "./words.js";

/** @import { ReplayTurn } from "../replay/timeline.js" */

/**
 * @param {object} options
 * @param {readonly ReplayTurn[]} options.turns
 * @param {readonly (number | null)[]} options.left the codes left after each; null if that is not known
 * @param {number} options.shown how many are shown
 * @param {(turn: number) => void} options.onJump is called with the guess to show, from 1
 */
export function turnTable({ turns, left, shown, onJump }) {
  const hasTimes = turns.some(({ tookMs }) => tookMs !== null);
  const row = (/** @type {ReplayTurn} */ turn, /** @type {number} */ index) => {
    const isCurrent = index === shown - 1;
    const jump = html`<td>
      <button class="jump" aria-label="Guess ${index + 1}" aria-current=${isCurrent ? "step" : nothing} @click=${() => onJump(index + 1)}>${index + 1}</button>
    </td>`;
    if (index >= shown) return html`<tr class="ahead">${jump}<td colspan="4"><span class="muted">not shown yet</span></td></tr>`;
    return html`<tr class=${isCurrent ? "current" : ""}>
      ${jump}
      <td>${pegRow(turn.code)}</td>
      <td>${feedbackPegs(turn, turn.code.length)}</td>
      <td class="right number">${left[index] === null ? nothing : formatNumber(left[index])}</td>
      ${hasTimes ? html`<td class="right number muted time">${turn.tookMs === null ? nothing : timeWords(turn.tookMs)}</td>` : nothing}
    </tr>`;
  };
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Guesses">
    <table class=${isLong(turns[0]?.code.length) ? "long" : ""}>
      <thead>
        <tr>
          <th scope="col"><span class="hidden">Number</span></th><th scope="col">Guess</th><th scope="col">Reply</th>
          <th scope="col" class="right">Codes left</th>${hasTimes ? html`<th scope="col" class="right time">Time</th>` : nothing}
        </tr>
      </thead>
      <tbody>${turns.map(row)}</tbody>
    </table>
  </div>`;
}
