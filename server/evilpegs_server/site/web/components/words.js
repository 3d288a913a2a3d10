/** Numbers, counted nouns and sentences as the page writes them. */

const FORMAT = new Intl.NumberFormat("en-US");
const SHORT = new Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: 3 });
const MANY = 10_000_000;

/** @param {number | bigint} number @returns {string} such as "1,296"; from ten million on short, such as "61.9B" */
export function formatNumber(number) {
  return (number < MANY ? FORMAT : SHORT).format(number);
}

/**
 * Return a count with its noun, such as "1 code" or "256 codes".
 * @param {number | bigint} number
 * @param {string} noun
 * @param {string} [plural]
 */
export function count(number, noun, plural = `${noun}s`) {
  return `${formatNumber(number)} ${Number(number) === 1 ? noun : plural}`;
}

/**
 * Return the message of an error as a sentence: with a capital letter and a period.
 * @param {string} message
 */
export function sentence(message) {
  return `${message.slice(0, 1).toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? "" : "."}`;
}
