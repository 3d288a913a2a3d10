/** The table of a replay: one row for each guess, of which those after the position are covered. */

import { html, nothing } from "../vendor/lit.js";
import { feedbackPegs } from "./feedback_pegs.js";
import { pegRow } from "./peg.js";
import { timeWords } from "./result_words.js";
import { formatNumber } from "./words.js";

/** @import { ReplayTurn } from "../replay/timeline.js" */

/**
 * @typedef {object} ShownTurns
 * @property {readonly ReplayTurn[]} turns
 * @property {readonly (number | null)[]} left the codes left after each; null if that is not known
 * @property {number} shown how many are shown
 * @property {(turn: number) => void} onJump is called with the guess to show, from 1
 */

/** @param {ShownTurns} shownTurns */
export function turnTable(shownTurns) {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Guesses">
    <table>
      <thead>
        <tr>
          <th scope="col"><span class="hidden">Number</span></th><th scope="col">Guess</th><th scope="col">Reply</th>
          <th scope="col" class="right">Left</th><th scope="col" class="right time">Time</th>
        </tr>
      </thead>
      <tbody>
        ${shownTurns.turns.map((turn, index) => (index < shownTurns.shown ? shownRow(shownTurns, turn, index) : coveredRow(shownTurns, index)))}
      </tbody>
    </table>
  </div>`;
}

/** @param {ShownTurns} shownTurns @param {ReplayTurn} turn @param {number} index */
function shownRow(shownTurns, turn, index) {
  const left = shownTurns.left[index];
  return html`<tr class=${index === shownTurns.shown - 1 ? "current" : ""}>
    <td>${jumpButton(shownTurns, index)}</td>
    <td>${pegRow(turn.code)}</td>
    <td>${feedbackPegs(turn, turn.code.length)}</td>
    <td class="right number">${left === null ? nothing : formatNumber(left)}</td>
    <td class="right number muted time">${turn.tookMs === null ? nothing : timeWords(turn.tookMs)}</td>
  </tr>`;
}

/** @param {ShownTurns} shownTurns @param {number} index */
function coveredRow(shownTurns, index) {
  return html`<tr class="ahead">
    <td>${jumpButton(shownTurns, index)}</td>
    <td colspan="4"><span class="muted">not shown yet</span></td>
  </tr>`;
}

/** @param {ShownTurns} shownTurns @param {number} index */
function jumpButton({ shown, onJump }, index) {
  const current = index === shown - 1 ? "step" : nothing;
  return html`<button class="jump" aria-label="Guess ${index + 1}" aria-current=${current} @click=${() => onJump(index + 1)}>${index + 1}</button>`;
}
