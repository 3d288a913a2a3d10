/**
 * Checks of the codemaker's replies in one game, recomputed from the record.
 *
 * The names of the checks are `secret` (a fixed secret follows from the nonces), `replies`, `witness` (the code that
 * evil or a devil shows at the end fits every feedback) and `help` (what practice ladders show). Replies of evil are
 * checked where the rules can be enumerated. A devil's exact replies are checked only as far as a few rules of thumb
 * go, because solving them takes a server.
 */

import { canEnumerate, codeAt, enumerateCodes, formatCode, parseCode } from "../codes.js";
import { secretIndex, tieIndex, tieShare } from "../commitment.js";
import { largestParts } from "../evil.js";
import { feedback, isAllBlack } from "../feedback.js";
import { countParts, feedbackNumbers, selectCandidates } from "../partition.js";
import { countCodes, formatRules } from "../rules.js";
import { count } from "../words.js";
import { checked, notChecked } from "./check.js";

/** @import { Check } from "./check.js" */
/** @import { RecordEvent } from "./event_fields.js" */
/** @import { GameRecord } from "./game_checks.js" */
/** @import { Part } from "../partition.js" */

/**
 * @typedef {{event: RecordEvent, parts: Part[], before: number}} CountedTurn A turn with what was left before its reply.
 * @typedef {{turns: CountedTurn[], left: Uint8Array}} Counts The turns up to the first whose reply leaves no code, and the
 *   codes that fit every turn, as one flat array.
 */

/** Check the replies of a game and what depends on them. @param {GameRecord} game @returns {Check[]} */
export function checkReplies(game) {
  const needsCounts = game.match.codemaker !== "fixed" || game.feedbacks.some(hasHelp);
  const counted = needsCounts && canEnumerate(game.rules) ? countTurns(game) : null;
  const checks = game.match.codemaker === "fixed" ? checkFixed(game) : checkAdversary(game, counted);
  return game.feedbacks.some(hasHelp) ? [...checks, checkHelp(game, counted)] : checks;
}

/** @param {GameRecord} game @returns {Check[]} */
function checkFixed({ rules, match, feedbacks, over }) {
  const methods = methodProblems(feedbacks);
  if (over.nonce === null) {
    const unopened = notChecked("secret", over.game, "the nonce is not opened");
    return methods.length > 0 ? [unopened, checked("replies", over.game, methods, "")] : [unopened];
  }
  const index = secretIndex(over.nonce, over.client_nonce ?? null, match.match, over.game, countCodes(rules));
  const secret = codeAt(rules, index);
  const isShown = over.secret === formatCode(secret) || (feedbacks.length === 0 && over.secret === null);
  const drawn = isShown ? [] : [`the secret is ${over.secret}, the nonces give ${formatCode(secret)}`];
  const replies = feedbacks.flatMap((event) => feedbackProblems(event, parseCode(rules, event.code), secret));
  return [
    checked("secret", over.game, drawn, "the secret follows from the nonces"),
    checked("replies", over.game, [...methods, ...replies], `${count(feedbacks.length, "reply", "replies")} recomputed`),
  ];
}

/** @param {GameRecord} game @param {Counts | null} counted @returns {Check[]} */
function checkAdversary(game, counted) {
  const { match, feedbacks, over, rules } = game;
  const witness = checked("witness", over.game, witnessProblems(game, counted), "the code shown fits every reply");
  if (match.tie === "largest/seeded" && over.nonce === null) {
    return [witness, checked("replies", over.game, ["without the nonce, ties cannot be checked"], "")];
  }
  const methods = match.codemaker === "evil" ? methodProblems(feedbacks) : [];
  if (methods.length > 0) return [witness, checked("replies", over.game, methods, "")];
  if (counted === null) return [witness, notChecked("replies", over.game, `${formatRules(rules)} has too many codes; use evilpegs verify`)];
  const problems = firstProblems(counted.turns, (turn) => adversaryProblems(game, turn));
  const exact = counted.turns.filter((turn) => isExact(game, turn)).length;
  if (problems.length === 0 && exact > 0) {
    const what = `${count(exact, "exact reply", "exact replies")} of the devil; use evilpegs verify`;
    return [witness, notChecked("replies", over.game, what)];
  }
  const fine = `${count(feedbacks.length, "reply", "replies")} recomputed by the rule of ${match.codemaker}`;
  return [witness, checked("replies", over.game, problems, fine)];
}

/** Only a devil names the method of its replies. @param {readonly RecordEvent[]} feedbacks */
function methodProblems(feedbacks) {
  const named = feedbacks.filter((event) => (event.method ?? null) !== null);
  return named.map((event) => `turn ${event.turn}: the reply is called ${event.method}, it should be nothing`);
}

/** @param {GameRecord} game @returns {Counts} */
function countTurns({ rules, feedbacks }) {
  const turns = [];
  let left = enumerateCodes(rules);
  for (const event of feedbacks) {
    if (left.length === 0) break;
    const numbers = feedbackNumbers(rules, left, parseCode(rules, event.code));
    turns.push({ event, parts: countParts(rules, numbers), before: numbers.length });
    left = selectCandidates(rules, left, numbers, { black: event.black, white: event.white });
  }
  return { turns, left };
}

/** @param {GameRecord} game @param {CountedTurn} turn */
function adversaryProblems(game, turn) {
  const { event, before } = turn;
  const method = game.match.codemaker === "devil" ? (isExact(game, turn) ? "exact" : "greedy") : null;
  const claimed = event.method ?? null;
  if (claimed !== method) {
    const what = `the reply is called ${claimed ?? "nothing"}, but with ${count(before, "code")} left`;
    return [`turn ${event.turn}: ${what} it should be ${method ?? "nothing"}`];
  }
  const expected = expectedParts(game, turn);
  if (expected.some((part) => isReply(part, event))) return [];
  const what = `${event.code} got ${event.black},${event.white}, it should have got`;
  return [`turn ${event.turn}: ${what} ${expected.map((part) => `${part.black},${part.white}`).join(" or ")}`];
}

/**
 * Return the parts that the reply may be: one, or for an exact devil every part that is not against its rule at sight.
 * @param {GameRecord} game @param {CountedTurn} turn @returns {Part[]}
 */
function expectedParts(game, turn) {
  const { match, over, rules } = game;
  if (isExact(game, turn)) {
    const others = turn.parts.filter((part) => !isAllBlack(part, rules.pegs));
    return others.length > 0 ? others : turn.parts;
  }
  const tied = largestParts(turn.parts, rules.pegs);
  if (tied.length === 1 || match.tie !== "largest/seeded") return tied.slice(0, 1);
  const share = tieShare(match.tie_nonces ?? null, over.client_nonce ?? null);
  return [tied[tieIndex(over.nonce, match.match, over.game, turn.event.turn, tied.length, share)]];
}

/** @param {GameRecord} game @param {CountedTurn} turn */
function isExact({ match }, turn) {
  return match.codemaker === "devil" && turn.before <= match.exact_up_to;
}

/** @param {GameRecord} game @param {Counts | null} counted */
function witnessProblems({ rules, match, feedbacks, over }, counted) {
  if (over.secret === null) return feedbacks.length > 0 && over.outcome !== "void" ? ["no code fits every reply"] : [];
  /** @type {Uint8Array} */
  let witness;
  try {
    witness = parseCode(rules, over.secret);
  } catch (error) {
    return [`the code shown at the end: ${/** @type {Error} */ (error).message}`];
  }
  const problems = feedbacks.flatMap((event) => feedbackProblems(event, parseCode(rules, event.code), witness));
  if (problems.length === 0 && feedbacks.length > 0 && match.codemaker === "evil" && counted !== null) {
    const first = formatCode(counted.left.subarray(0, rules.pegs));
    const what = `the code shown at the end is ${over.secret}, the first that fits is ${first}`;
    return over.secret === first ? [] : [what];
  }
  return problems;
}

/** @param {GameRecord} game @param {Counts | null} counted @returns {Check} */
function checkHelp({ rules, over }, counted) {
  if (counted === null) return notChecked("help", over.game, `${formatRules(rules)} has too many codes; use evilpegs verify`);
  const problems = counted.turns.flatMap(({ event, parts }) => {
    const left = parts.find((part) => isReply(part, event))?.count ?? 0;
    const rows = parts.map((part) => `${part.black},${part.white},${part.count}`).join(";");
    const isCounted = (event.candidates ?? left) === left;
    const isListed = (event.parts ?? null) === null || event.parts.join(";") === rows;
    return [
      ...(isCounted ? [] : [`turn ${event.turn}: ${left} codes are left, not ${event.candidates}`]),
      ...(isListed ? [] : [`turn ${event.turn}: the parts are not those of the guess`]),
    ];
  });
  return checked("help", over.game, problems, "the codes left and the parts shown are right");
}

/** @param {RecordEvent} event @param {Uint8Array} guess @param {Uint8Array} code */
function feedbackProblems(event, guess, code) {
  const { black, white } = feedback(guess, code);
  if (black === event.black && white === event.white) return [];
  const what = `${event.code} got ${event.black},${event.white}, but ${formatCode(code)} gives ${black},${white}`;
  return [`turn ${event.turn}: ${what}`];
}

/**
 * Return the problems of the first turn that has any: after a wrong reply, later ones prove nothing.
 * @param {CountedTurn[]} turns @param {(turn: CountedTurn) => string[]} find
 */
function firstProblems(turns, find) {
  for (const turn of turns) {
    const problems = find(turn);
    if (problems.length > 0) return problems;
  }
  return [];
}

/** @param {Part} part @param {RecordEvent} event */
function isReply(part, event) {
  return part.black === event.black && part.white === event.white;
}

/** @param {RecordEvent} event */
function hasHelp(event) {
  return (event.candidates ?? null) !== null || (event.parts ?? null) !== null;
}
