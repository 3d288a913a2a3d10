/**
 * The moves of a match that are under way: ready, a guess, a hint, giving up.
 *
 * A cut can delay a move but neither lose nor repeat it. After the match is resumed, its events show whether the server
 * had received the move; if it had not, the same move is sent again for the same turn, which the protocol makes safe.
 */

import { CHANGED, LostAnswerError, RefusedError } from "./refusals.js";

/** @import { MatchState } from "./match_state.js" */
/** @import { ClientMessage, HintGiven } from "./messages.js" */
/** @typedef {{game: number, turn: number, code: string}} SentGuess */

/**
 * @typedef {object} MoveOptions
 * @property {import("./connection.js").GameConnection} connection
 * @property {() => MatchState | null} match returns the match that is played
 * @property {(game: number) => string} nonce returns the player's share in the draw of a game's secret
 * @property {(problem: string | null) => void} onProblem is called with a refusal in words, and with null before a move
 * @property {() => void} onChange is called after anything has changed that a view shows
 */

const MAX_RESYNCS = 3;

export class Moves {
  /** @type {MoveOptions} */ #options;
  /** True after the answer to a move was lost, until the match is resumed. */
  #isMoveLost = false;
  /** The game for which `ready` was sent last. */
  #readySent = 0;
  #resyncs = 0;
  #resyncSeq = -1;

  /** @param {MoveOptions} options */
  constructor(options) {
    this.#options = options;
    /** The guess that is on its way. @type {SentGuess | null} */
    this.sentGuess = null;
    /** The hint for the open turn. @type {HintGiven | null} */
    this.hint = null;
    this.isHinting = false;
  }

  get #match() {
    return this.#options.match();
  }

  /** True if the player may guess now. While the connection is being restored, a guess waits for it. */
  get canGuess() {
    return this.#match?.phase === "turn" && this.sentGuess === null && !this.#options.connection.isLeft;
  }

  /** Say that the player is ready for the waiting game, whose clock then runs. */
  async ready() {
    const match = this.#match;
    if (match?.phase !== "ready") return;
    this.#readySent = match.game;
    await this.#send(match, { type: "ready", match: match.id, game: match.game, nonce: this.#options.nonce(match.game) });
  }

  /** Guess a code in the open turn; at any other time nothing happens. @param {string} code */
  async guess(code) {
    const match = this.#match;
    if (match === null || !this.canGuess) return;
    this.sentGuess = { game: match.game, turn: match.turn, code };
    this.#options.onChange();
    await this.#sendGuess(match);
  }

  async requestHint() {
    const match = this.#match;
    if (match === null || this.isHinting) return;
    this.isHinting = true;
    await this.#send(match, { type: "hint", match: match.id });
    this.isHinting = false;
    this.#options.onChange();
  }

  /** Give up one game, or without `game` every game left. @param {number} [game] */
  async resign(game) {
    const match = this.#match;
    if (match !== null) await this.#send(match, { type: "resign", match: match.id, ...(game === undefined ? {} : { game }) });
  }

  /**
   * Follow a match that has changed: forget moves that are done, and make those that are to be made now.
   * @param {MatchState} match
   * @param {boolean} beginsAtOnce true if games of the match do not wait for the player
   */
  follow(match, beginsAtOnce) {
    const sent = this.sentGuess;
    if (sent !== null && (match.game !== sent.game || (match.current?.turns.length ?? 0) >= sent.turn)) {
      this.sentGuess = null;
      this.hint = null;
    }
    if (match.phase === "over") this.sentGuess = null;
    if (match.isCatchingUp || (match.phase !== "ready" && match.phase !== "turn")) return;
    if (this.#isMoveLost) this.#resend(match);
    else if (match.phase === "ready" && beginsAtOnce && this.#readySent !== match.game) void this.ready();
  }

  forget() {
    this.sentGuess = null;
    this.hint = null;
    this.isHinting = false;
    this.#readySent = 0;
    this.#isMoveLost = false;
  }

  /** Send moves again that the server had not received before the match was resumed. @param {MatchState} match */
  #resend(match) {
    const { sentGuess } = this;
    this.#isMoveLost = false;
    if (match.phase === "ready" && this.#readySent === match.game) void this.ready();
    if (match.phase === "turn" && sentGuess?.game === match.game && sentGuess.turn === match.turn) void this.#sendGuess(match);
  }

  /** @param {MatchState} match */
  async #sendGuess(match) {
    const { sentGuess } = this;
    if (sentGuess === null) return;
    const isRefused = !(await this.#send(match, { type: "guess", match: match.id, ...sentGuess }));
    if (isRefused && this.sentGuess === sentGuess) {
      this.sentGuess = null;
      this.#options.onChange();
    }
  }

  /**
   * Send a move. Return false if the server refused it; a lost answer is no refusal.
   * @param {MatchState} match @param {ClientMessage} message @returns {Promise<boolean>}
   */
  async #send(match, message) {
    const { connection, onProblem, onChange } = this.#options;
    onProblem(null);
    try {
      await connection.request(message);
    } catch (error) {
      if (error instanceof LostAnswerError) {
        this.#isMoveLost = true;
        return true;
      }
      if (!(error instanceof RefusedError)) throw error;
      onProblem(error.message);
      onChange();
      if (CHANGED.has(error.code) && this.#mayResync(match)) connection.resync();
      return false;
    }
    return true;
  }

  /** Return true unless the last requests for missing events have brought nothing. @param {MatchState} match */
  #mayResync({ seq }) {
    this.#resyncs = this.#resyncSeq === seq ? this.#resyncs + 1 : 1;
    this.#resyncSeq = seq;
    return this.#resyncs <= MAX_RESYNCS;
  }
}
