/** Canonical JSON and the hash chain of a record: keys sorted by code point, no spaces, whole numbers only. */

import { sha256Hex } from "./sha256.js";

/** The hash before the first event of a record. */
export const GENESIS = "0".repeat(64);

/**
 * Return the canonical JSON text of a value.
 * @param {unknown} value @returns {string}
 * @throws {TypeError} The value contains something that canonical JSON lacks: a fraction, a number beyond 2^53, half
 *   of a surrogate pair, undefined, a function.
 */
export function canonical(value) {
  switch (typeof value) {
    case "string":
      return quote(value);
    case "boolean":
      return String(value);
    case "number":
      return wholeNumber(value);
    case "object":
      return value === null ? "null" : Array.isArray(value) ? list(value) : object(value);
    default:
      throw new TypeError(`canonical JSON has no ${typeof value}`);
  }
}

/** Return the hash of an event: SHA-256 of the hash before it followed by its canonical JSON. @param {string} previous @param {string} event */
export function eventHash(previous, event) {
  return sha256Hex(previous + event);
}

/** @param {unknown[]} values */
function list(values) {
  return `[${Array.from(values, canonical).join(",")}]`;
}

/** @param {object} value */
function object(value) {
  const entries = Object.entries(value).sort(([first], [second]) => compareCodePoints(first, second));
  return `{${entries.map(([key, member]) => `${quote(key)}:${canonical(member)}`).join(",")}}`;
}

/** @param {string} text */
function quote(text) {
  if (/\p{Surrogate}/u.test(text)) throw new TypeError("canonical JSON has no half of a surrogate pair");
  return JSON.stringify(text); // escapes only the quote, the backslash and control characters
}

/** @param {number} value */
function wholeNumber(value) {
  if (!Number.isSafeInteger(value)) throw new TypeError(`canonical JSON has only whole numbers below 2^53, not ${value}`);
  return String(value); // also "0" for -0
}

/** Compare two texts by code points. The operator < compares UTF-16 units, and puts U+10000 before U+FFFF. @param {string} first @param {string} second */
function compareCodePoints(first, second) {
  const [a, b] = [Array.from(first), Array.from(second)];
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const difference = Number(a[index].codePointAt(0)) - Number(b[index].codePointAt(0));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
