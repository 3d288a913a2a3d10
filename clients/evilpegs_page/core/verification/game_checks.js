/**
 * Checks of one game apart from the codemaker's replies: commitment, client's nonce, outcome and clock.
 *
 * The names of the checks are `turns`, `commitment`, `client nonce`, `outcome` and `clock`.
 */

import { parseCode } from "../codes.js";
import { commitment } from "../commitment.js";
import { isAllBlack } from "../feedback.js";
import { count } from "../words.js";
import { checked } from "./check.js";

/** @import { Check } from "./check.js" */
/** @import { RecordEvent } from "./event_fields.js" */
/** @import { Rules } from "../rules.js" */

/**
 * @typedef {{rules: Rules, match: RecordEvent, started: RecordEvent, feedbacks: RecordEvent[], over: RecordEvent,
 *   nonceSent: string | null}} GameRecord The events of one game. The client sent the nonce in `ready`; null if it is unknown.
 */

/** Check the number, the code and the feedback of each turn, each taken alone. @param {GameRecord} game @returns {Check} */
export function checkTurns({ rules, feedbacks, over }) {
  const problems = [];
  for (const [index, { turn, code, black, white }] of feedbacks.entries()) {
    if (turn !== index + 1) problems.push(`turn ${index + 1} is called turn ${turn}`);
    if (black + white > rules.pegs) problems.push(`turn ${turn}: feedback ${black},${white} is impossible with ${rules.pegs} pegs`);
    problems.push(...codeProblems(rules, code, turn));
  }
  return checked("turns", over.game, problems, `${count(feedbacks.length, "turn")} in order`);
}

/** Check that the nonce fits the commitment, and that the client's nonce is the one that was sent. @param {GameRecord} game @returns {Check[]} */
export function checkNonces({ match, started, feedbacks, over, nonceSent }) {
  const problems = [];
  if (over.nonce === null) {
    problems.push("the nonce is not opened, so the commitment cannot be checked");
  } else if (started.commitment !== commitment(match.match, over.game, match.rules, over.nonce)) {
    problems.push("the commitment does not fit the nonce");
  }
  const checks = [checked("commitment", over.game, problems, "the nonce is the one that the server committed to")];
  if (nonceSent !== null) {
    const neverBegan = (over.client_nonce ?? null) === null && feedbacks.length === 0;
    const isOther = nonceSent !== over.client_nonce && !neverBegan;
    const what = isOther ? ["the client nonce is not the one that was sent"] : [];
    checks.push(checked("client nonce", over.game, what, "your own random share was used"));
  }
  return checks;
}

/** Check the number of guesses and the outcome. @param {GameRecord} game @returns {Check} */
export function checkOutcome({ rules, match, feedbacks, over }) {
  const limit = match.guess_limit;
  const { length } = feedbacks;
  const solvedAt = feedbacks.findIndex(({ black, white }) => isAllBlack({ black, white }, rules.pegs)) + 1;
  const isSolved = solvedAt > 0;
  const problems = [];
  if (over.guesses !== length || length > limit) problems.push(`${over.guesses} guesses are counted, ${length} were answered, of ${limit}`);
  if (isSolved && solvedAt < length) problems.push(`turn ${solvedAt}: the game went on after it was solved`);
  if (isSolved !== (over.outcome === "solved")) {
    problems.push(`the outcome is ${over.outcome}, but the secret was ${isSolved ? "" : "not "}found`);
  }
  if ((length === limit && !isSolved) !== (over.outcome === "unsolved")) {
    problems.push(`the outcome is ${over.outcome} after ${length} guesses of ${limit}`);
  }
  return checked("outcome", over.game, problems, `${over.outcome} after ${count(length, "guess", "guesses")}`);
}

/** Check the times of the turns and of the game, and that nothing was answered after the time was up. @param {GameRecord} game @returns {Check} */
export function checkClock({ match, feedbacks, over }) {
  const { clock } = match;
  const problems = [];
  let elapsed = 0;
  let left = clock === null ? null : clock.base_ms;
  for (const event of feedbacks) {
    elapsed += event.took_ms;
    if (clock !== null) {
      if (event.took_ms > left) problems.push(`turn ${event.turn}: the guess was answered though the time was up`);
      left = Math.max(0, left - event.took_ms) + clock.increment_ms;
    }
    if (event.left_ms !== left) problems.push(`turn ${event.turn}: ${event.left_ms} ms are left, it should be ${left}`);
  }
  const endedByGuess = ["solved", "unsolved"].includes(over.outcome);
  if (over.elapsed_ms < elapsed || (endedByGuess && over.elapsed_ms > elapsed)) {
    problems.push(`the turns took ${elapsed} ms, not ${over.elapsed_ms}`);
  }
  if (over.outcome === "flagged") problems.push(...flagProblems(over.elapsed_ms - elapsed, left));
  return checked("clock", over.game, problems, clock === null ? "untimed" : "the times add up");
}

/** @param {number} lastMs What the turn without an answer took. @param {number | null} leftMs What was left for it. */
function flagProblems(lastMs, leftMs) {
  if (leftMs === null) return ["the outcome is flagged, but there is no clock"];
  return lastMs > leftMs ? [] : [`the outcome is flagged, but the last turn took ${lastMs} ms of ${leftMs}`];
}

/** @param {Rules} rules @param {string} code @param {number} turn */
function codeProblems(rules, code, turn) {
  try {
    parseCode(rules, code);
    return [];
  } catch (error) {
    return [`turn ${turn}: ${/** @type {Error} */ (error).message}`];
  }
}
