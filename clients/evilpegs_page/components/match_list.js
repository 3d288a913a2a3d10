/** A list of matches as a table, each with a link to its replay; live matches are marked. */

import { LitElement, css, html, nothing } from "../vendor/lit.js";
import { outcomeWords } from "../game/ladder_words.js";
import { dataStyle } from "./data_style.js";
import { momentWords, timeWords } from "./result_words.js";
import { shared } from "./shared_style.js";
import { count } from "./words.js";

/**
 * @typedef {{match: string, ladder: string, player: string, client: string, started_at: number, over: boolean,
 *   outcomes: readonly string[], guesses: readonly number[], elapsed_ms: number}} MatchEntry a match of `api/v1/matches`
 */

/** The heading of the programs of players: what a program says about itself, which nobody checks. */
export const versionHead = html`<th scope="col">Version <small>(self-reported)</small></th>`;
const HEADS = ["Match", "Player", "Guesses of each game", "Ladder", "Started"];

export class MatchList extends LitElement {
  static properties = { entries: { attribute: false }, label: {} };
  static styles = [
    shared,
    dataStyle,
    css`
      .game {
        display: inline-block;
        min-width: 1.3rem;
        text-align: center;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {readonly MatchEntry[]} */
    this.entries = [];
    this.label = "Matches";
  }

  render() {
    return html`<div class="scroll" tabindex="0" role="region" aria-label=${this.label}>
      <table class="stacked">
        <thead>
          <tr>${HEADS.map((head) => html`<th scope="col">${head}</th>`)}<th scope="col" class="right">Time used</th>${versionHead}</tr>
        </thead>
        <tbody>${this.entries.map((match) => this.row(match))}</tbody>
      </table>
    </div>`;
  }

  /** @param {MatchEntry} match */
  row(match) {
    return html`<tr>
      <td class="action"><a href="#/match/${encodeURIComponent(match.match)}" aria-label="${match.over ? "Replay" : "Follow"} ${match.match}">${match.over ? "Replay" : "Follow"}</a></td>
      <th scope="row"><a href="#/player/${encodeURIComponent(match.player)}">${match.player}</a></th>
      <td data-head="Guesses">${match.over ? nothing : html`<span class="live">live</span> `}${match.outcomes.map((outcome, index) => gameLink(match, outcome, index))}</td>
      <td>${match.ladder}</td>
      <td>${momentWords(match.started_at)}</td>
      ${match.over ? html`<td class="right" data-head="Time">${timeWords(match.elapsed_ms)}</td>` : html`<td class="empty"></td>`}
      <td class="long" data-head="self-reported">${match.client}</td>
    </tr>`;
  }
}

/** @param {MatchEntry} match @param {string} outcome @param {number} index */
function gameLink({ match, guesses }, outcome, index) {
  const isSolved = outcome === "solved";
  const result = isSolved ? count(guesses[index], "guess", "guesses") : outcomeWords(outcome).toLowerCase();
  const address = `#/match/${encodeURIComponent(match)}?game=${index + 1}`;
  return html`<a class="game" href=${address} aria-label="Game ${index + 1}: ${result}">${isSolved ? guesses[index] : "✗"}</a> `;
}

customElements.define("match-list", MatchList);
