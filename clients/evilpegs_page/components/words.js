/** Numbers, counted nouns, durations and sentences as the page writes them. */

import { count } from "../core/words.js";

export { count, formatNumber, noun, rulesName } from "../core/words.js";

export const TOLD_NOTHING = "This guess told you nothing: its reply was certain.";

/** Return a duration as on a stopwatch, such as "0:07" or "1:02:03"; a negative one as "0:00". @param {number} ms */
export function elapsedFace(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const rest = String(seconds % 60).padStart(2, "0");
  return hours === 0 ? `${minutes}:${rest}` : `${hours}:${String(minutes).padStart(2, "0")}:${rest}`;
}

/** Return a regret in guesses, such as "0.40", "0.49 to 0.90" or "at least 0.50". @param {{at_least: number, at_most: number | null}} regret */
export function boundsWords({ at_least: least, at_most: most }) {
  const [low, high] = [least.toFixed(2), most?.toFixed(2)];
  if (least === most) return low;
  return most === null ? `at least ${low}` : least === 0 ? `at most ${high}` : `${low} to ${high}`;
}

/** Return what a guess cost: guesses on average, or whole ones against evil. @param {any} analysis */
export function costWords({ regret, needed }) {
  if (needed == null) return `${boundsWords(regret)} guesses`;
  const { at_least: least, at_most: most } = regret;
  if (most === null) return `at least ${count(least, "guess", "guesses")}`;
  return `${least === most ? "" : least === 0 ? "at most " : `${least} to `}${count(most, "guess", "guesses")}`;
}

/** Return a sentence on luck in guesses, positive if it was good; no text if it is not known. @param {number | null} luck @param {string} codemaker */
export function luckWords(luck, codemaker) {
  if (codemaker !== "fixed") return `Against ${codemaker === "evil" ? "evil" : "the devil"} there is no luck.`;
  const size = Math.abs(luck ?? NaN).toFixed(2);
  if (luck === null || Number(size) === 0) return luck === null ? "" : "Luck of the game: 0.00 guesses.";
  return `Luck of the game: ${luck < 0 ? "−" : "+"}${size} guesses. The replies were that much ${luck < 0 ? "worse" : "better"} than expected.`;
}

/** Return the message of an error as a sentence: with a capital letter and a period. @param {string} message */
export function sentence(message) {
  return `${message.slice(0, 1).toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? "" : "."}`;
}
