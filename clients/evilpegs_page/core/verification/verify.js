/**
 * Verification that a server was honest, from nothing but the events it sent, in the browser.
 *
 * It covers what `evilpegs verify` covers as far as a browser can: the chain of hashes, commitments, secrets, every
 * feedback, evil's replies where the rules have at most a million codes, outcomes, counts and times. What it cannot
 * check has `ok` null and says so: a devil's exact replies, larger rules, and the server's signature, because Ed25519
 * exists in browsers only where SubtleCrypto does.
 *
 * Nothing in a record raises an exception: whatever cannot be read is a check that does not hold.
 */

import { canonical } from "../canonical.js";
import { parseRules } from "../rules.js";
import { checked } from "./check.js";
import { whyNoEvent } from "./event_fields.js";
import { checkClock, checkNonces, checkOutcome, checkTurns } from "./game_checks.js";
import { checkReplies } from "./reply_checks.js";
import { checkEnd, checkOrder, checkStart } from "./whole_record.js";

/** @import { Check } from "./check.js" */
/** @import { RecordEvent } from "./event_fields.js" */
/** @import { GameRecord } from "./game_checks.js" */
/** @typedef {Readonly<Record<number, string>>} NoncesSent The nonce that the client sent in `ready`, by game. */

/**
 * @typedef {object} Verification
 * @property {Check[]} checks In the order of the record; first those of the whole match, whose `game` is 0.
 * @property {boolean} ok True if no check is false. Checks that are null may still be wrong.
 * @property {boolean} finished True if the match is over in the record. Otherwise the record may have been cut off.
 */

/**
 * Verify a whole match: first that the record is complete and unchanged, then every game in it. If the record itself
 * does not hold, its games are not checked.
 * @param {unknown} events Every event of the match, in order; the field `re` of an answer is ignored.
 * @param {NoncesSent} [noncesSent]
 * @param {() => Promise<unknown>} [pause] Called after each game; by default the next task of the event loop, so that the page draws.
 * @returns {Promise<Verification>}
 */
export async function verifyRecord(events, noncesSent = {}, pause = () => new Promise((resolve) => setTimeout(resolve, 0))) {
  /** @type {GameRecord[]} */
  let games = [];
  const whole = guarded(() => {
    const { parsed, check } = readEvents(events);
    if (!check.ok) return report([check], false);
    const checks = [check, ...checkStart(parsed[0]), checkOrder(parsed), ...checkEnd(parsed)];
    const result = report(checks, parsed[parsed.length - 1].type === "match_over");
    games = result.ok ? gameRecords(parsed, noncesSent) : [];
    return result;
  });
  const checks = [...whole.checks];
  for (const game of games) {
    checks.push(...guarded(() => report(checkGame(game), true)).checks);
    await pause();
  }
  return report(checks, whole.finished);
}

/** Return the events without `re`, and the check that each of them is one. @param {unknown} events @returns {{ parsed: RecordEvent[], check: Check }} */
function readEvents(events) {
  const values = Array.isArray(events) ? events : [];
  const problems = values.flatMap((value, index) => {
    const why = whyNoEvent(value) ?? whyNotCanonical(value);
    return why === null ? [] : [`event ${index + 1} is not an event of a record: ${why}`];
  });
  if (problems.length === 0 && values[0]?.type !== "match_started") problems.push("the record does not begin with match_started");
  const parsed = problems.length > 0 ? [] : values.map(({ re, ...event }) => event);
  return { parsed, check: checked("events", 0, problems, "every event can be read") };
}

/** @param {unknown} value @returns {string | null} */
function whyNotCanonical(value) {
  try {
    canonical(value);
    return null;
  } catch (error) {
    return error instanceof RangeError ? "it is nested too deeply" : /** @type {Error} */ (error).message;
  }
}

/** Return the games that were begun and are over. @param {RecordEvent[]} events @param {NoncesSent} noncesSent @returns {GameRecord[]} */
function gameRecords(events, noncesSent) {
  const [match] = events;
  const rules = parseRules(match.rules);
  return events.flatMap((over) => {
    if (over.type !== "game_over") return [];
    const started = events.find((event) => event.type === "game_started" && event.game === over.game);
    if (started === undefined) return [];
    const feedbacks = events.filter((event) => event.type === "feedback" && event.game === over.game);
    return [{ rules, match, started, feedbacks, over, nonceSent: noncesSent[over.game] ?? null }];
  });
}

/** @param {GameRecord} game @returns {Check[]} */
function checkGame(game) {
  const turns = checkTurns(game);
  if (!turns.ok) return [turns];
  return [turns, ...checkNonces(game), ...checkReplies(game), checkOutcome(game), checkClock(game)];
}

/** @param {Check[]} checks @param {boolean} finished @returns {Verification} */
function report(checks, finished) {
  return { checks, ok: checks.every((check) => check.ok !== false), finished };
}

/** Return what a function returns, or a check that does not hold if it throws. @param {() => Verification} verify @returns {Verification} */
function guarded(verify) {
  try {
    return verify();
  } catch (error) {
    return report([checked("events", 0, [`the record cannot be read: ${error}`], "")], false);
  }
}
