/**
 * Waiting before the next attempt to connect: a little longer each time, and never in step with other clients.
 *
 * The bounds double from 200 milliseconds to 10 seconds; each wait is drawn from the upper half of its bound.
 */

const FIRST_MS = 200;
const LONGEST_MS = 10_000;

/**
 * Return the milliseconds to wait before an attempt.
 * @param {number} attempt the number of the attempt, from 0
 * @param {() => number} random returns a number from 0 up to 1
 */
export function retryDelay(attempt, random) {
  const bound = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt, 20));
  return bound / 2 + (random() * bound) / 2;
}
