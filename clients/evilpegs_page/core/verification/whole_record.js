/**
 * Checks of a record as a whole: its first event, the order of all events, the chain of hashes and the last event.
 *
 * The names of the checks are `rules`, `codemaker`, `order`, `end`, `summary`, `hashes` and `signature`.
 */

import { canonical, eventHash, GENESIS } from "../canonical.js";
import { formatRules, parseRules, SYMBOLS } from "../rules.js";
import { count } from "../words.js";
import { checked, notChecked } from "./check.js";

/** @import { Check } from "./check.js" */
/** @import { RecordEvent } from "./event_fields.js" */

/** The value of `tie_nonces` in new matches: the nonces of server and client both decide ties. */
const TIE_NONCES = 2;

/** Check that the fields of the first event agree about the rules and the codemaker. @param {RecordEvent} started @returns {Check[]} */
export function checkStart(started) {
  const { rules, codemaker, tie, guess_limit: limit } = started;
  return [
    checked("rules", 0, rulesProblems(started), `${rules}, ${count(limit, "guess", "guesses")} per game`),
    checked("codemaker", 0, codemakerProblems(started), tie === null ? codemaker : `${codemaker}, ties by ${tie}`),
  ];
}

/**
 * Check that event numbers have no gaps, and that games and turns of one match follow one another.
 * @param {readonly RecordEvent[]} events @returns {Check}
 */
export function checkOrder(events) {
  const problems = [];
  for (const [index, event] of events.entries()) {
    if (event.seq !== index + 1) problems.push(`event ${index + 1} has the number ${event.seq}`);
    if (event.match !== events[0].match) problems.push(`event ${index + 1} is of another match`);
  }
  /** @type {GameState | null} */
  let state = { game: 0, turn: 0, isOpen: false, isOver: false };
  for (const event of events.slice(1)) {
    state = nextState(state, event);
    if (state === null) {
      problems.push(`event ${event.seq}, ${event.type}, is out of order`);
      break;
    }
  }
  return checked("order", 0, problems, `${count(events.length, "event")} without a gap`);
}

/** Check the last event: its sums, and its hash of everything before it. @param {readonly RecordEvent[]} events @returns {Check[]} */
export function checkEnd(events) {
  const over = events[events.length - 1];
  if (over.type !== "match_over") {
    return [notChecked("end", 0, "the match is not over in this record; what is there can be checked, but may change")];
  }
  const before = events.slice(0, -1);
  const head = before.reduce((hash, event) => eventHash(hash, canonical(event)), GENESIS);
  const changed = over.head === head ? [] : ["the hash in match_over is not that of the events before it"];
  const checks = [
    checked("summary", 0, summaryProblems(events[0], before, over), "the last event sums up the games"),
    checked("hashes", 0, changed, `a chain of ${count(before.length, "hash", "hashes")}`),
  ];
  if ((over.signature ?? null) !== null) checks.push(notChecked("signature", 0, "evilpegs verify --key checks the server's signature"));
  return checks;
}

/** @param {RecordEvent} started */
function rulesProblems(started) {
  try {
    const rules = parseRules(started.rules);
    const { pegs, colors, repeats } = rules;
    const implied = [formatRules(rules), pegs, colors, repeats, SYMBOLS.slice(0, colors)];
    const claimed = [started.rules, started.pegs, started.colors, started.repeats, started.symbols];
    const differs = implied.some((value, index) => value !== claimed[index]);
    return differs ? [`the rules contradict themselves: ${started.rules} is not ${claimed.slice(1).join(", ")}`] : [];
  } catch (error) {
    return [/** @type {Error} */ (error).message];
  }
}

/** @param {RecordEvent} started */
function codemakerProblems({ codemaker, tie, tie_nonces: nonces = null, exact_up_to: exact = null }) {
  const problems = [];
  if ((codemaker === "fixed") !== (tie === null)) problems.push(`a ${codemaker} codemaker with the tie rule ${tie}`);
  if (nonces !== null && (tie !== "largest/seeded" || nonces !== TIE_NONCES)) {
    problems.push(`the tie rule ${tie} with tie_nonces ${nonces} is unknown`);
  }
  if ((codemaker === "devil") !== (exact !== null)) problems.push(`the codemaker ${codemaker} is exact up to ${exact} codes`);
  return problems;
}

/** @param {RecordEvent} started @param {readonly RecordEvent[]} before @param {RecordEvent} over */
function summaryProblems(started, before, over) {
  const ended = before.filter((event) => event.type === "game_over");
  const problems = [];
  if (ended.length !== started.games) problems.push(`${ended.length} games of ${started.games} have ended`);
  if (canonical(over.outcomes) !== canonical(ended.map((game) => game.outcome))) {
    problems.push("the outcomes in match_over are not those of the games");
  }
  if (canonical(over.guesses) !== canonical(ended.map((game) => game.guesses))) {
    problems.push("the guesses in match_over are not those of the games");
  }
  if (over.elapsed_ms !== ended.reduce((sum, game) => sum + game.elapsed_ms, 0)) {
    problems.push("the time in match_over is not that of the games");
  }
  return problems;
}

/** @typedef {{game: number, turn: number, isOpen: boolean, isOver: boolean}} GameState */

/**
 * Return the state after one more event, or null if the event is out of order.
 * @param {GameState} state @param {RecordEvent} event @returns {GameState | null}
 */
function nextState(state, event) {
  const { game, turn, isOpen, isOver } = state;
  if (isOver) return null;
  if (!isOpen && event.type === "game_started" && event.game === game + 1) return { ...state, game: event.game, turn: 0, isOpen: true };
  if (isOpen && event.type === "feedback" && event.game === game && event.turn === turn + 1) return { ...state, turn: event.turn };
  if (isOpen && event.type === "game_over" && event.game === game) return { ...state, isOpen: false };
  if (!isOpen && event.type === "game_over" && event.game === game + 1 && isUnopened(event)) return { ...state, game: event.game, turn: 0 };
  return !isOpen && event.type === "match_over" ? { ...state, isOver: true } : null;
}

/** Return true for a game that was given up, or whose round closed, before it began. Without a commitment it must be empty. @param {RecordEvent} over */
function isUnopened(over) {
  const isEmpty = ["resigned", "forfeit", "void"].includes(over.outcome) && over.guesses === 0 && over.elapsed_ms === 0;
  return isEmpty && over.secret === null && over.nonce === null && (over.client_nonce ?? null) === null;
}
