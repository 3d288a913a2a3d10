/** The table of a replay: one row for each guess up to the position, and the numbers of those after it. */

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
  const jump = (/** @type {number} */ index) =>
    html`<button class="jump" aria-label="Guess ${index + 1}" aria-current=${index === shown - 1 ? "step" : nothing} @click=${() => onJump(index + 1)}>${index + 1}</button>`;
  const row = (/** @type {ReplayTurn} */ turn, /** @type {number} */ index) => {
    return html`<tr class=${index === shown - 1 ? "current" : ""}>
      <td>${jump(index)}</td>
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
      <tbody>${turns.slice(0, shown).map(row)}</tbody>
    </table>
    ${shown < turns.length ? html`<p class="row muted ahead">Not shown yet: ${turns.slice(shown).map((_, index) => jump(shown + index))}</p>` : nothing}
  </div>`;
}
