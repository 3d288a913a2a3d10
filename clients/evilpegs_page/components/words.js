/** Numbers, counted nouns, durations and sentences as the page writes them. */

export { count, formatNumber, noun } from "../core/words.js";

/** Return a duration as on a stopwatch, such as "0:07" or "1:02:03"; a negative one as "0:00". @param {number} ms */
export function elapsedFace(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const rest = String(seconds % 60).padStart(2, "0");
  return hours === 0 ? `${minutes}:${rest}` : `${hours}:${String(minutes).padStart(2, "0")}:${rest}`;
}

/** Return the message of an error as a sentence: with a capital letter and a period. @param {string} message */
export function sentence(message) {
  return `${message.slice(0, 1).toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? "" : "."}`;
}
