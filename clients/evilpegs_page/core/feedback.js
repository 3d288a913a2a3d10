/**
 * Feedback: how close a guess is to a code.
 *
 * `black` pegs are right in color and place; `white` further pegs are right in color only. Feedbacks are ordered by
 * (black, white), and the number of a feedback is its place in that order.
 */

/** @typedef {{black: number, white: number}} Feedback */

/**
 * Return the feedback of a guess against a code; the two may be exchanged.
 * @param {ArrayLike<number>} guess @param {ArrayLike<number>} code @returns {Feedback}
 */
export function feedback(guess, code) {
  const left = new Map();
  let black = 0;
  let matches = 0;
  for (let peg = 0; peg < guess.length; peg++) {
    black += Number(guess[peg] === code[peg]);
    left.set(code[peg], (left.get(code[peg]) ?? 0) + 1);
  }
  for (let peg = 0; peg < guess.length; peg++) {
    const times = left.get(guess[peg]) ?? 0;
    matches += Number(times > 0);
    left.set(guess[peg], times - 1);
  }
  return { black, white: matches - black };
}

/** Return a feedback in words for people and screen readers, such as "1 black, 2 white". @param {Feedback} given */
export function feedbackName(given) {
  return `${given.black} black, ${given.white} white`;
}

/** Return the number of a feedback in feedback order, from 0. @param {Feedback} given @param {number} pegs */
export function feedbackNumber(given, pegs) {
  return (given.black * (2 * pegs + 3 - given.black)) / 2 + given.white;
}

/** Return every feedback with black + white at most `pegs`, in feedback order. @param {number} pegs @returns {Feedback[]} */
export function allFeedbacks(pegs) {
  const all = [];
  for (let black = 0; black <= pegs; black++) {
    for (let white = 0; white <= pegs - black; white++) all.push({ black, white });
  }
  return all;
}

/** Return true for the feedback that ends a game. @param {Feedback} given @param {number} pegs */
export function isAllBlack(given, pegs) {
  return given.black === pegs;
}
