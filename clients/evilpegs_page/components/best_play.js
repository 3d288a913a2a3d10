/**
 * The fewest guesses in which the best play beats evil, where that is known.
 *
 * On 4x6 the best play needs 5 guesses: minimax never needs more, and no three guesses leave evil fewer than 6
 * codes (all of them were tried), so no play needs fewer. On 4x10-distinct and 5x8, minimax never needs more than 7.
 */
const KNOWN = Object.freeze({
  "4x6": { guesses: 5, proved: true },
  "4x10-distinct": { guesses: 7, proved: false },
  "5x8": { guesses: 7, proved: false },
});

/** Return what the best play needs against evil, as a sentence; no text if that is unknown. @param {string} rules */
export function bestPlay(rules) {
  const known = Object.hasOwn(KNOWN, rules) ? KNOWN[/** @type {keyof typeof KNOWN} */ (rules)] : null;
  if (known === null) return "";
  return known.proved ? `The best play needs ${known.guesses}.` : `The best play needs ${known.guesses} at most.`;
}
