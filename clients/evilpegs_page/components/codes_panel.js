/**
 * The panel beside a match on the server: the codes left, what each reply would have left, and the codes themselves once
 * they are few. Its styles are those of boards.
 */

import { html, nothing } from "../vendor/lit.js";
import { countCodes, parseRules } from "../core/rules.js";
import { codemakerWords } from "../game/ladder_words.js";
import "./code_list.js";
import { pegRow } from "./peg.js";
import "./reply_bars.js";
import { TOLD_NOTHING, count, formatNumber, noun } from "./words.js";

/** @import { Candidates } from "../game/candidates.js" */
/** @import { MatchState } from "../game/match_state.js" */
/** @import { MatchStarted, FeedbackGiven } from "../game/messages.js" */

/** The most replies that are drawn as bars; large rules have more. */
const MOST_BARS = 20;
const MARKS = Object.freeze({ evil: "evil’s reply", devil: "the devil’s reply", fixed: "the reply" });

/** Return the panel for the current game of a match. @param {MatchState} match @param {MatchStarted} started @param {Candidates} candidates */
export function codesPanel(match, started, candidates) {
  const turn = match.current?.turns.at(-1);
  if (turn === undefined) return opening(started);
  const left = turn.candidates ?? candidates.counts[turn.turn - 1];
  return html`
    ${left === undefined ? unknownLeft(candidates) : leftOf(left, match, turn, candidates)} ${bars(turn, started)}
    ${list(left, candidates)}
  `;
}

/** @param {MatchStarted} started */
function opening(started) {
  const { words } = codemakerWords(started.codemaker);
  const rules = parseRules(started.rules);
  const codes = countCodes(rules);
  return html`
    <p class="left"><strong class="number">${formatNumber(codes)}</strong> <span>${noun(codes, "code")} possible</span></p>
    <p>
      A code is ${rules.pegs} pegs of ${rules.colors} colors${rules.repeats ? "; a color may repeat" : ", each used once at most"}. ${words}
      The marks of a reply are in no order: they do not say which peg is right.
    </p>
  `;
}

/** @param {number} left @param {MatchState} match @param {FeedbackGiven} turn @param {Candidates} candidates */
function leftOf(left, match, turn, candidates) {
  const before = codesBefore(match, turn, candidates.counts) ?? Number(countCodes(candidates.rules));
  return html`<p class="left"><strong class="number">${formatNumber(left)}</strong> <span>of ${formatNumber(before)} ${noun(before, "code")} left</span></p>
    ${toldNothing(match, turn, candidates.counts) ? html`<p><strong>${TOLD_NOTHING}</strong></p>` : nothing}`;
}

/** Return the codes before a turn; undefined for the first one, or if nobody has counted them. @param {MatchState} match @param {FeedbackGiven} turn @param {readonly number[]} counts */
function codesBefore(match, { turn }, counts) {
  return match.current?.turns[turn - 2]?.candidates ?? counts[turn - 2];
}

/** Return true if the reply was certain, because every code left before is still left. @param {MatchState} match @param {FeedbackGiven} turn @param {readonly number[]} counts */
export function toldNothing(match, turn, counts) {
  const left = turn.candidates ?? counts[turn.turn - 1];
  return left !== undefined && turn.black < turn.code.length && left === codesBefore(match, turn, counts);
}

/** @param {Candidates} candidates */
function unknownLeft(candidates) {
  return html`<p class="muted">${candidates.isExact ? "Counting the codes left…" : "These rules have too many codes to count in a browser."}</p>`;
}

/** @param {FeedbackGiven} turn @param {MatchStarted} started */
function bars(turn, started) {
  if (turn.parts === undefined) return nothing;
  const all = turn.parts.map(([black, white, size]) => ({ black, white, count: size })).sort((a, b) => b.count - a.count);
  const isTaken = (/** @type {{black: number, white: number}} */ part) => part.black === turn.black && part.white === turn.white;
  const parts = all.filter((part, index) => index < MOST_BARS || isTaken(part));
  const hidden = all.length - parts.length;
  return html`
    <h2>What each reply to ${pegRow(turn.code)} would have left</h2>
    <reply-bars .parts=${parts} .taken=${turn} .mark=${MARKS[started.codemaker] ?? "the reply"}></reply-bars>
    ${hidden === 0 ? nothing : html`<p class="muted">${count(hidden, "reply", "replies")} would have left fewer.</p>`}
  `;
}

/** @param {number | undefined} left @param {Candidates} candidates */
function list(left, candidates) {
  // A new object for each reply, so that the list follows it.
  const game = {
    listCandidates: (/** @type {number} */ max) => candidates.listCandidates(max),
    excludedColors: () => candidates.excluded,
  };
  return html`<code-list .game=${game} .left=${candidates.isExact ? (left ?? Infinity) : Infinity}></code-list>`;
}
