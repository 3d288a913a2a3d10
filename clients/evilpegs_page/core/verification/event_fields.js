/**
 * The fields of each event of a record, as the protocol page lists them. Unknown fields are allowed, because version 1
 * of the protocol grows by them; they count in the hashes.
 */

/** @typedef {Record<string, any>} RecordEvent An event whose fields have been checked. */
/** @typedef {(value: any) => boolean} FieldTest */

const OUTCOMES = ["solved", "unsolved", "flagged", "resigned", "forfeit", "void"];

/** @param {RegExp} pattern @returns {FieldTest} */
const text = (pattern) => (value) => typeof value === "string" && pattern.test(value);
/** @param {any[]} values @returns {FieldTest} */
const oneOf = (...values) => (value) => values.includes(value);
/** @param {number} least @param {number} [most] @returns {FieldTest} */
const whole = (least, most = Number.MAX_SAFE_INTEGER) => (value) =>
  Number.isSafeInteger(value) && value >= least && value <= most;
/** @param {FieldTest} test @returns {FieldTest} */
const orNull = (test) => (value) => value === null || test(value);
/** @param {FieldTest} test @returns {FieldTest} */
const optional = (test) => (value) => value === undefined || value === null || test(value);
/** @param {FieldTest} test @returns {FieldTest} */
const listOf = (test) => (value) => Array.isArray(value) && value.every(test);
/** @param {Record<string, FieldTest>} tests @returns {FieldTest} */
const objectOf = (tests) => (value) => isObject(value) && firstWrong(tests, value) === null;

const label = text(/^[ -~]{1,64}$/);
const hash = text(/^[0-9a-f]{64}$/);
const number = whole(1, 1_000_000);
const count = whole(0);
const outcome = oneOf(...OUTCOMES);
const codeText = text(/^.{0,64}$/su);
const yesNo = oneOf(true, false);

/** @type {Record<string, FieldTest>} */
const EVERY_EVENT = { match: text(/^[0-9a-f]{16}$/), seq: count, at: count };

/** @type {Record<string, Record<string, FieldTest>>} */
const FIELDS = {
  match_started: {
    player: text(/^[^\s\x00-,./:-@[-^`{-\x9f]{2,20}$/u),
    client: objectOf({ name: label, version: label }),
    ladder: text(/^[a-z][a-z0-9-]{0,39}$/),
    rules: label,
    pegs: count,
    colors: count,
    symbols: label,
    repeats: yesNo,
    guess_limit: count,
    codemaker: oneOf("fixed", "evil", "devil"),
    tie: oneOf(null, "largest", "largest/seeded"),
    tie_nonces: optional(number),
    exact_up_to: optional(count),
    clock: orNull(objectOf({ base_ms: count, increment_ms: count })),
    games: count,
    rated: yesNo,
  },
  game_started: { game: number, commitment: hash, ready_by_ms: count },
  feedback: {
    game: number,
    turn: number,
    code: codeText,
    black: count,
    white: count,
    method: optional(oneOf("exact", "greedy")),
    took_ms: count,
    left_ms: orNull(count),
    stalled_ms: optional(count),
    candidates: optional(count),
    parts: optional(listOf((row) => listOf(count)(row) && row.length === 3)),
  },
  game_over: {
    game: number,
    outcome,
    guesses: count,
    elapsed_ms: count,
    secret: orNull(codeText),
    nonce: orNull(hash),
    client_nonce: optional(label),
  },
  match_over: {
    outcomes: listOf(outcome),
    guesses: listOf(count),
    elapsed_ms: count,
    head: hash,
    signature: optional(text(/^[0-9A-Za-z_-]{86}$/)),
  },
};

/** Return why a value is not an event of a record, or null if it is one. @param {unknown} value @returns {string | null} */
export function whyNoEvent(value) {
  if (!isObject(value)) return "it is not a JSON object";
  const event = /** @type {RecordEvent} */ (value);
  if (typeof event.type !== "string" || !Object.hasOwn(FIELDS, event.type)) return "its type is not an event type";
  const wrong = firstWrong({ ...EVERY_EVENT, ...FIELDS[event.type] }, event);
  return wrong === null ? null : `${wrong} is missing or has a wrong value`;
}

/** Return true for a message that is an event of a record, by its type alone. @param {unknown} value */
export function hasEventType(value) {
  return isObject(value) && Object.hasOwn(FIELDS, String(/** @type {RecordEvent} */ (value).type));
}

/** @param {unknown} value */
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @param {Record<string, FieldTest>} tests @param {Record<string, any>} value @returns {string | null} The first field with a wrong value. */
function firstWrong(tests, value) {
  const field = (/** @type {string} */ name) => (Object.hasOwn(value, name) ? value[name] : undefined);
  return Object.keys(tests).find((name) => !tests[name](field(name))) ?? null;
}
