/** The result of a game in a replay: in a word or two, and at its end with the secret and the luck. */

import { html, nothing } from "../vendor/lit.js";
import { outcomeWords } from "../game/ladder_words.js";
import { pegRow } from "./peg.js";
import { count } from "./words.js";

/** @import { ReplayGame } from "../replay/timeline.js" */

/** @param {ReplayGame} game @returns {string} such as "5 guesses", "resigned" or "live" */
export function resultWords(game) {
  if (game.outcome === null) return "live";
  return game.outcome === "solved" ? count(game.turns.length, "guess", "guesses") : outcomeWords(game.outcome).toLowerCase();
}

/**
 * Return what is shown after the last guess of a game.
 * @param {ReplayGame} game
 * @param {number | null} luck in bits; null if that is not known
 * @param {string | undefined} codemaker
 */
export function gameEnding(game, luck, codemaker) {
  const isShown = game.secret !== null && game.outcome !== "solved";
  return html`<div class="ending">
    ${isShown ? html`<p>${pegRow(game.secret ?? "")} ${codemaker === "fixed" ? "was the secret." : "was still possible."}</p>` : nothing}
    ${luck === null || game.turns.length === 0
      ? nothing
      : html`<p><strong>Luck of the game: ${signed(luck)} bits.</strong> ${luckWords(luck, codemaker)}</p>`}
  </div>`;
}

/** @param {number} bits */
function signed(bits) {
  return `${bits < -0.005 ? "−" : "+"}${Math.abs(bits).toFixed(2)}`;
}

/** Return a sentence on luck. Evil and the devil choose their replies, so theirs is no accident. @param {number} luck @param {string | undefined} codemaker */
function luckWords(luck, codemaker) {
  const words = `The replies brought ${luck < 0 ? "less" : "more"} than expected.`;
  return codemaker === "fixed" ? words : `${words} Against ${codemaker === "evil" ? "evil" : "the devil"} that is no accident.`;
}
