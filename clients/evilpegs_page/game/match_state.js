/**
 * A match as its player sees it: the record so far, without gaps, and the phase that says whose move it is.
 *
 * The state is a pure fold over the server's messages, each with the time at which it arrived. Each event is applied
 * once: a repeated event is compared with the first and dropped. An event after a gap raises GapError, because the
 * events between must be requested with `resume`. While a resumed match catches up, it is never the player's move.
 *
 * Times are milliseconds on a clock that never goes back, such as `performance.now()`. Between the server's numbers
 * the clocks of the game run on that; the server alone decides when a time is up.
 */

/** @import { ServerMessage, RecordEvent, MatchStarted, GameStarted, FeedbackGiven, GameOver } from "./messages.js" */
/** @import { MatchOver, TurnStarted, Resumed } from "./messages.js" */
/** @typedef {"waiting" | "ready" | "turn" | "over"} Phase */

/**
 * @typedef {{game: number, turns: FeedbackGiven[], over: GameOver | null}} Game a number from 1, the answered turns, the end
 */

/** An event before the received one is missing. */
export class GapError extends Error {}

/** The server contradicts an earlier message. */
export class BrokenRecordError extends Error {}

const EVENTS = new Set(["match_started", "game_started", "feedback", "game_over", "match_over"]);

export class MatchState {
  /** @type {Resumed | null} */ #resumed = null;
  /** @type {Map<number, Game>} */ #games = new Map();

  /** @param {string} id */
  constructor(id) {
    this.id = id;
    /** @type {Phase} */
    this.phase = "waiting";
    /** The number of the current game, from 1; 0 before the first. */
    this.game = 0;
    /** The number of the open or last turn of that game. */
    this.turn = 0;
    /** The time left when `clockFrom` was noted, in milliseconds; null if the game is untimed. @type {number | null} */
    this.leftMs = null;
    /** The time within which `ready` must be sent after `readyFrom`, in milliseconds. */
    this.readyByMs = 0;
    this.clockFrom = 0;
    this.readyFrom = 0;
    /** Every event as it was received, in order. @type {RecordEvent[]} */
    this.record = [];
    /** @type {MatchStarted | null} */
    this.started = null;
    /** @type {MatchOver | null} */
    this.over = null;
  }

  /** The number of the last event; 0 before the first. */
  get seq() {
    return this.record.length;
  }

  /** True if events that are known to exist have not arrived yet. */
  get isCatchingUp() {
    return this.#resumed !== null || this.started === null;
  }

  /** The games that have begun or are over, in order. */
  get games() {
    return [...this.#games.values()];
  }

  /** The current game; null before the first. */
  get current() {
    return this.#games.get(this.game) ?? null;
  }

  /**
   * Apply a message; return false if it is not about this match or brings nothing new.
   * @param {ServerMessage} message
   * @param {number} now when it arrived
   * @throws {GapError} an event before this one is missing
   * @throws {BrokenRecordError} the server contradicts itself
   */
  apply(message, now) {
    if (message.match !== this.id) return false;
    if (EVENTS.has(message.type)) return this.#applyEvent(message, now);
    if (message.type === "turn") return this.#openTurn(/** @type {any} */ (message), now);
    if (message.type === "resumed") return this.#takeOver(/** @type {any} */ (message), now);
    return false;
  }

  /** Return the time left on the player's clock; null if the game is untimed. @param {number} now @returns {number | null} */
  clock(now) {
    if (this.leftMs === null || this.phase !== "turn") return this.leftMs;
    return Math.max(0, this.leftMs - (now - this.clockFrom));
  }

  /** Return the time left to say `ready`, in milliseconds. @param {number} now */
  readyLeft(now) {
    return Math.max(0, this.readyByMs - (now - this.readyFrom));
  }

  /** @param {ServerMessage} message @param {number} now */
  #applyEvent(message, now) {
    const { re: _, ...fields } = message;
    const event = /** @type {RecordEvent} */ (/** @type {unknown} */ (fields));
    if (!Number.isInteger(event.seq) || event.seq < 1) throw new BrokenRecordError("an event has no number");
    if (event.seq <= this.seq) {
      if (!isSame(this.record[event.seq - 1], event)) throw new BrokenRecordError(`event ${event.seq} of match ${this.id} was changed`);
      return false;
    }
    if (event.seq > this.seq + 1) throw new GapError(`event ${this.seq + 1} of match ${this.id} is missing`);
    this.#fold(event, now);
    this.record = [...this.record, event];
    this.#catchUp(now);
    return true;
  }

  /** @param {RecordEvent} event @param {number} now */
  #fold(event, now) {
    if ((this.started === null) !== (event.type === "match_started")) {
      throw new BrokenRecordError(`event ${event.seq} of match ${this.id} is out of place`);
    }
    switch (event.type) {
      case "match_started":
        this.started = event;
        break;
      case "game_started":
        this.#startGame(event, now);
        break;
      case "feedback":
        this.#answerTurn(event);
        break;
      case "game_over":
        this.phase = "waiting";
        this.#update(event.game, { over: event });
        break;
      case "match_over":
        this.phase = "over";
        this.over = event;
        break;
    }
  }

  /** @param {GameStarted} event @param {number} now */
  #startGame(event, now) {
    this.phase = "ready";
    this.game = event.game;
    this.turn = 0;
    this.leftMs = this.started?.clock?.base_ms ?? null;
    this.readyByMs = event.ready_by_ms;
    this.readyFrom = now;
    this.#update(event.game, {});
  }

  /** @param {FeedbackGiven} event */
  #answerTurn(event) {
    const game = this.#games.get(event.game);
    if (game === undefined || event.turn !== game.turns.length + 1) {
      throw new BrokenRecordError(`event ${event.seq} of match ${this.id} answers no open turn`);
    }
    this.phase = "waiting";
    this.turn = event.turn;
    this.leftMs = event.left_ms;
    this.#update(event.game, { turns: [...game.turns, event] });
  }

  /** Replace a game by one with other facts, so that a view can tell what has changed. @param {number} game @param {Partial<Game>} facts */
  #update(game, facts) {
    this.#games.set(game, { ...(this.#games.get(game) ?? { game, turns: [], over: null }), ...facts });
  }

  /** @param {TurnStarted} message @param {number} now */
  #openTurn(message, now) {
    this.phase = "turn";
    this.game = message.game;
    this.turn = message.turn;
    this.leftMs = message.left_ms;
    this.clockFrom = now;
    return true;
  }

  /** @param {Resumed} resumed @param {number} now */
  #takeOver(resumed, now) {
    if (resumed.seq < this.seq) throw new BrokenRecordError(`match ${this.id} had ${this.seq} events, and has ${resumed.seq} now`);
    this.#resumed = resumed;
    this.#catchUp(now);
    return true;
  }

  /** Set the phase once the last missed event has arrived; an open turn is announced by `turn` afterwards. @param {number} now */
  #catchUp(now) {
    const resumed = this.#resumed;
    if (resumed === null) return;
    this.phase = "waiting";
    if (this.seq < resumed.seq) return;
    this.#resumed = null;
    if (resumed.state === "over") this.phase = "over";
    if (resumed.state === "ready") {
      this.phase = "ready";
      this.readyByMs = resumed.ready_by_ms ?? this.readyByMs;
      this.readyFrom = now;
    }
  }
}

/** @param {unknown} a @param {unknown} b @returns {boolean} */
function isSame(a, b) {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  const keys = Object.keys(a);
  const other = /** @type {Record<string, unknown>} */ (b);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSame(/** @type {Record<string, unknown>} */ (a)[key], other[key]))
  );
}
