/** The columns that every table of results has: means with intervals, games, worst, solved and mean time. */

import { html, nothing } from "../vendor/lit.js";
import { adjustedIntervalWords, intervalWords, rankedMeanWords, shareWords, timeWords } from "./result_words.js";
import { formatNumber } from "./words.js";

/** The heading of the programs of players: what a program says about itself, which nobody checks. */
export const versionHead = html`<th scope="col">Version <small>(own word)</small></th>`;

/** @param {boolean} adjusted true if a row has a luck-adjusted mean */
export function resultHeads(adjusted) {
  return html`${adjusted
      ? html`<th scope="col" class="right">Adjusted mean</th>
          <th scope="col">95 % interval</th>`
      : nothing}
    <th scope="col" class="right">Mean</th>
    <th scope="col">95 % interval</th>
    <th scope="col" class="right">Games</th>
    <th scope="col" class="right">Worst</th>
    <th scope="col" class="right">Solved</th>
    <th scope="col" class="right">Mean time</th>`;
}

/** @param {import("./result_words.js").Row} row @param {boolean} adjusted */
export function resultCells(row, adjusted) {
  return html`${adjusted
      ? html`<td class="right">${row.adjusted_mean === null ? nothing : rankedMeanWords(row, row.adjusted_mean)}</td>
          <td>${adjustedIntervalWords(row) || html`<span class="muted">too few games</span>`}</td>`
      : nothing}
    <td class="right">${rankedMeanWords(row, row.mean)}</td>
    <td>${intervalWords(row) || html`<span class="muted">too few games</span>`}</td>
    <td class="right">${formatNumber(row.games)}</td>
    <td class="right">${row.worst}</td>
    <td class="right">${shareWords(row.solved)}</td>
    <td class="right">${timeWords(row.mean_ms)}</td>`;
}
