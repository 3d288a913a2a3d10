/**
 * The messages of protocol version 1 that the page uses, as types, and how a frame is read.
 *
 * The server may add fields and types; both are ignored here. A frame that is not an object with a `type` is dropped.
 *
 * @typedef {{base_ms: number, increment_ms: number}} ClockInfo
 * @typedef {{id: string, rules: string, codemaker: "fixed" | "evil" | "devil", tie: string | null,
 *   exact_up_to: number | null, clock: ClockInfo | null, guess_limit: number, games: number, rated: boolean,
 *   opens?: number, closes?: number, is_round?: boolean}} LadderInfo
 * @typedef {{type: string, re?: string, match?: string, seq?: number, [field: string]: unknown}} ServerMessage
 * @typedef {{type: string, id?: string, [field: string]: unknown}} ClientMessage
 * @typedef {{type: "error", code: string, message: string, fatal?: boolean, retry_after_ms?: number, re?: string,
 *   expected?: {game: number, turn: number}}} ErrorMessage
 * @typedef {{type: "welcome", player: string, kind: "bot" | "human" | "guest", token?: string, re?: string,
 *   open: {match: string, seq: number, ladder?: string | null}[], ladders: LadderInfo[],
 *   server: {name: string, version: string, site: string | null, key?: string}}} Welcome
 * @typedef {{type: "match_started", match: string, seq: number, at: number, player: string, ladder: string,
 *   rules: string, pegs: number, colors: number, symbols: string, repeats: boolean, guess_limit: number,
 *   codemaker: "fixed" | "evil" | "devil", tie: string | null, exact_up_to?: number, clock: ClockInfo | null,
 *   games: number, rated: boolean}} MatchStarted
 * @typedef {{type: "game_started", match: string, seq: number, game: number, commitment: string,
 *   ready_by_ms: number}} GameStarted
 * @typedef {[black: number, white: number, count: number]} Part
 * @typedef {{type: "feedback", match: string, seq: number, game: number, turn: number, code: string, black: number,
 *   white: number, took_ms: number, left_ms: number | null, method?: string, stalled_ms?: number,
 *   candidates?: number, parts?: Part[]}} FeedbackGiven
 * @typedef {{type: "game_over", match: string, seq: number, game: number, outcome: string, guesses: number,
 *   elapsed_ms: number, secret: string | null, nonce: string | null, client_nonce?: string}} GameOver
 * @typedef {{type: "match_over", match: string, seq: number, outcomes: string[], guesses: number[],
 *   elapsed_ms: number, head: string, signature?: string}} MatchOver
 * @typedef {MatchStarted | GameStarted | FeedbackGiven | GameOver | MatchOver} RecordEvent
 * @typedef {{type: "turn", match: string, game: number, turn: number, left_ms: number | null}} TurnStarted
 * @typedef {{type: "resumed", match: string, seq: number, state: "ready" | "turn" | "thinking" | "over",
 *   game: number, ready_by_ms?: number}} Resumed
 * @typedef {{type: "hint", match: string, code: string, candidates: number, why: string}} HintGiven
 */

const MAX_FRAME = 4_000_000;

/** Return the message in a frame; null if the frame is not one. @param {unknown} frame @returns {ServerMessage | null} */
export function readFrame(frame) {
  if (typeof frame !== "string" || frame.length > MAX_FRAME) return null;
  try {
    const message = JSON.parse(frame);
    return typeof message === "object" && message !== null && typeof message.type === "string" ? message : null;
  } catch {
    return null;
  }
}
