/** The end of a match: how each game went, what the browser verified, and where to go from here. */

import { LitElement, css, html, nothing } from "../vendor/lit.js";
import { outcomeWords } from "../game/ladder_words.js";
import "./own_place.js";
import { pegRow, pegStyle } from "./peg.js";
import "./record_check.js";
import { recordText } from "./record_check.js";
import { saveText } from "./save_text.js";
import { shared } from "./shared_style.js";
import { turnTableStyle } from "./turn_table_style.js";
import { count } from "./words.js";

/** @import { MatchState, Game } from "../game/match_state.js" */

export class MatchResult extends LitElement {
  static properties = { match: { attribute: false }, nonces: { attribute: false }, isRound: { type: Boolean } };

  static styles = [
    shared,
    pegStyle,
    turnTableStyle,
    css`
      .result {
        display: grid;
        gap: 0.9rem;
        --peg: 1.5rem;
      }
      h2 { font-size: 1.5rem; }
    `,
  ];

  constructor() {
    super();
    /** @type {MatchState | null} */
    this.match = null;
    /** @type {Readonly<Record<number, string>>} */
    this.nonces = {};
    this.isRound = false;
  }

  render() {
    const { match } = this;
    if (match === null || match.started === null) return nothing;
    const { games } = match;
    const id = encodeURIComponent(match.id);
    return html`<div class="result">
      <h2>${games.length === 1 ? gameWords(games[0]) : matchWords(games)}</h2>
      ${games.length === 1 ? secretWords(games[0], match.started.codemaker) : gameTable(games, this.isRound ? "" : `#/match/${id}`)}
      ${match.started.rated && !this.isRound
        ? html`<own-place .ladder=${match.started.ladder} .player=${match.started.player}></own-place>`
        : nothing}
      <record-check .events=${match.record} .nonces=${this.nonces}></record-check>
      <div class="buttons">
        ${this.isRound
          ? html`<a class="button primary" href="#/round/${match.started.ladder}">The round</a>`
          : html`<button class="primary" @click=${() => this.dispatchEvent(new CustomEvent("again"))}>Start another match</button>
              <a class="button" href="#/match/${id}">Replay</a>
              ${match.started.rated ? html`<a class="button" href="#/ladder/${encodeURIComponent(match.started.ladder)}">Leaderboard</a>` : nothing}`}
        <button @click=${() => saveText(`${match.id}.jsonl`, recordText(match.record))}>Save the record</button>
        <a class="button" href="#/ladders">Other games</a>
      </div>
    </div>`;
  }
}

/** Return how a game ended, such as "Solved in 5 guesses". @param {Game} game */
export function gameWords(game) {
  if (game.over === null) return "Not over";
  const words = outcomeWords(game.over.outcome);
  return game.over.outcome === "solved" ? `${words} in ${count(game.over.guesses, "guess", "guesses")}` : words;
}

/** @param {readonly Game[]} games */
function matchWords(games) {
  const solved = games.filter((game) => game.over?.outcome === "solved").length;
  return `${solved} of ${count(games.length, "game")} solved`;
}

/** Return the secret of a finished game with what it was; nothing if there is none. @param {Game} game @param {string} codemaker */
export function secretWords(game, codemaker) {
  const secret = game.over?.secret;
  if (secret == null) return nothing;
  const isSolved = game.over?.outcome === "solved";
  if (isSolved && codemaker !== "fixed") return html`<p>Only one code was left, so there was nothing else to reply.</p>`;
  const was = codemaker === "fixed" ? "was the secret." : "was still possible.";
  return html`<p>${pegRow(secret)} ${was}</p>`;
}

/** @param {readonly Game[]} games @param {string} replay the address of the replay; no text if there is none yet */
function gameTable(games, replay) {
  return html`<table>
    <caption class="hidden">The games of this match</caption>
    <thead><tr><th scope="col">Game</th><th scope="col">Result</th><th scope="col">Code</th></tr></thead>
    <tbody>
      ${games.map((game) => html`<tr>
        <td class="number">${replay ? html`<a href="${replay}?game=${game.game}" aria-label="Replay game ${game.game}">${game.game}</a>` : game.game}</td>
        <td>${gameWords(game)}</td>
        <td>${game.over?.secret == null ? "" : pegRow(game.over.secret)}</td>
      </tr>`)}
    </tbody>
  </table>`;
}

customElements.define("match-result", MatchResult);
