/** Numbers and counted nouns as the page writes them. */

const FORMAT = new Intl.NumberFormat("en-US");
const SHORT = new Intl.NumberFormat("en-US", { notation: "compact", compactDisplay: "long", maximumSignificantDigits: 3 });
const MANY = 10_000_000;

/** @param {number | bigint} number @returns {string} such as "1,296"; from ten million on short, such as "61.9 billion" */
export function formatNumber(number) {
  return (number < MANY ? FORMAT : SHORT).format(number);
}

/** Return rules as a short name, such as "4×6" or "4×10, no color twice". @param {string} rules */
export function rulesName(rules) {
  return rules.replace("x", "×").replace("-distinct", ", no color twice");
}

/** Return a count with its noun, such as "1 code" or "256 codes". @param {number | bigint} number @param {string} one @param {string} [many] */
export function count(number, one, many) {
  return `${formatNumber(number)} ${noun(number, one, many)}`;
}

/** @param {number | bigint} number @param {string} one @param {string} [many] @returns {string} the word for so many */
export function noun(number, one, many = `${one}s`) {
  return Number(number) === 1 ? one : many;
}
