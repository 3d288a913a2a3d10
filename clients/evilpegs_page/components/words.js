/** Numbers, counted nouns and sentences as the page writes them. */

const FORMAT = new Intl.NumberFormat("en-US");
const SHORT = new Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: 3 });
const MANY = 10_000_000;

/** @param {number | bigint} number @returns {string} such as "1,296"; from ten million on short, such as "61.9B" */
export function formatNumber(number) {
  return (number < MANY ? FORMAT : SHORT).format(number);
}

/** Return a count with its noun, such as "1 code" or "256 codes". @param {number | bigint} number @param {string} one @param {string} [many] */
export function count(number, one, many) {
  return `${formatNumber(number)} ${noun(number, one, many)}`;
}

/** @param {number | bigint} number @param {string} one @param {string} [many] @returns {string} the word for so many */
export function noun(number, one, many = `${one}s`) {
  return Number(number) === 1 ? one : many;
}

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
