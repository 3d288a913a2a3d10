/** The words that a screen reader says after a message of the server. */

import { feedbackName } from "../core/feedback.js";
import { duration } from "../game/ladder_words.js";
import { gameWords } from "./match_result.js";
import { count } from "./words.js";

/**
 * Return the words for the state of a match.
 * @param {import("../game/match_state.js").MatchState} match
 * @param {boolean} beginsAtOnce true if no game of the match waits for the player
 * @param {readonly number[]} counts the codes left after each turn, as far as the browser has counted them
 */
export function spokenWords(match, beginsAtOnce, counts) {
  if (match.phase === "over") return `The match is over. ${match.games.map(gameWords).join(". ")}.`;
  if (match.phase === "ready" && !beginsAtOnce) {
    return `Game ${match.game} is waiting for you. Start it within ${duration(Math.round(match.readyByMs / 1000) * 1000)}.`;
  }
  const turn = match.current?.turns.at(-1);
  if (turn === undefined) return match.phase === "turn" ? "The game has started. Your guess." : "";
  const left = turn.candidates ?? counts[turn.turn - 1];
  const reply = `Guess ${turn.code.split("").join(" ")}: ${feedbackName(turn)}.`;
  return left === undefined ? reply : `${reply} ${count(left, "code")} left.`;
}
