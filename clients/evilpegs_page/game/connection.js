/**
 * The connection of a page to the game server: protocol version 1 over a WebSocket that may be cut at any time.
 *
 * The socket, the timers and the randomness are arguments, so this is a state machine that tests can drive:
 *
 *     asleep ──request, follow──▶ connecting ──open──▶ greeting ──welcome──▶ (resuming ──resumed──▶) open
 *        ▲                            ▲                    │                          │          │
 *        │ nothing to wait for        └── waiting ◀── cut ─┴──────────────────────────┴──────────┤
 *        └───────────────────────────────────────────────────────────────────────────────────────┤
 *     displaced ◀── another connection took the match ───────────────────────────────────────────┘
 *     refused   ◀── the server does not let this player in (from greeting or resuming)
 *
 * `request` sends a message and returns its one direct answer. If the connection is cut first, it raises
 * LostAnswerError, and the caller reads from the resumed match whether the server had received the message. Requests
 * that are made while there is no connection wait for one. With `follow` the connection is kept and restored, and
 * after every `hello` the match is resumed after its last known event. Without it, a cut is noticed at the next request:
 * a server may close the connection of a guest who plays nothing.
 *
 * A socket can be dead without an end, for example after a change of networks. So after a silence of 20 s in which
 * something is expected the page sends a `ping`, and after 10 s more the connection counts as cut.
 */

import { readFrame } from "./messages.js";
import { LostAnswerError, RefusedError, TEMPORARY } from "./refusals.js";
import { Requests } from "./requests.js";
import { SilenceWatch, retryDelay } from "./waiting.js";

/** @import { ServerMessage, ClientMessage, Welcome } from "./messages.js" */
/** @import { Pending } from "./requests.js" */
/** @typedef {"asleep" | "connecting" | "greeting" | "resuming" | "open" | "waiting" | "displaced" | "refused" | "closed"} State */

/**
 * @typedef {object} Socket the part of a WebSocket that is used; tests give their own
 * @property {(text: string) => void} send
 * @property {(code?: number) => void} close
 * @property {number} [readyState]
 * @property {((event: any) => void) | null} onopen
 * @property {((event: {data: unknown}) => void) | null} onmessage
 * @property {((event: {code: number}) => void) | null} onclose
 *
 * @typedef {object} Timers
 * @property {() => number} now milliseconds that never go back
 * @property {(callback: () => void, ms: number) => unknown} set
 * @property {(timer: any) => void} clear
 *
 * @typedef {object} Options
 * @property {() => Socket} openSocket
 * @property {Timers} timers
 * @property {() => number} random
 * @property {() => Record<string, unknown>} hello the fields of `hello` besides its type
 * @property {(welcome: Welcome) => void} onWelcome
 * @property {(message: ServerMessage, arrivedAt: number) => void} onMessage is called with every message but `welcome`
 * @property {() => void} onState is called after the state or the cause of a refusal has changed
 */

/** The clock and the timers of the browser. @type {Timers} */
export const TIMERS = { now: () => performance.now(), set: (callback, ms) => setTimeout(callback, ms), clear: (timer) => clearTimeout(timer) };

const CONNECT_MS = 15_000;
const STEADY_MS = 3_000;
const CONNECTING = 0;
const SEAT_TAKEN = 4003;
/** States in which a match is played elsewhere, or not at all. @type {ReadonlySet<State>} */
const LEFT = new Set(["displaced", "refused", "closed"]);

/** The connection of one player; `close` ends it for good. */
export class GameConnection {
  /** @type {Options} */ #options;
  /** @type {Socket | null} */ #socket = null;
  /** @type {Requests} */ #requests;
  /** @type {SilenceWatch} */ #silence;
  /** @type {{match: string, seq: () => number} | null} */ #followed = null;
  /** @type {unknown} the timer that ends the wait before an attempt */ #retryTimer = null;
  #attempt = 0;
  /** @type {number | null} when the connection was opened, on the clock of the timers */ #openedAt = null;
  #isDisplaced = false;

  /** @param {Options} options */
  constructor(options) {
    this.#options = options;
    this.#requests = new Requests(options.timers, (pending) => this.#enqueue(pending, pending.message.type === "resume"));
    this.#silence = new SilenceWatch(options.timers, { ping: () => this.#write({ type: "ping", c: 0 }), dead: () => this.#cut(0) });
    /** @type {State} */
    this.state = "asleep";
    /** The refusal that ended the login or the resumption; null if there is none. @type {RefusedError | null} */
    this.refusal = null;
    /** When the next attempt begins, on the clock of the timers; null unless the state is `waiting`. @type {number | null} */
    this.retryAt = null;
    /** True after the server said that it is about to stop, until it is back. */
    this.isDraining = false;
    /** True if the connection is to be restored although no match is followed. */
    this.isHeld = false;
  }

  get isLeft() {
    return LEFT.has(this.state);
  }

  /**
   * Send a message and return its direct answer. If the server asks for a pause, the message is sent again after it.
   * @param {ClientMessage} message without an id
   * @returns {Promise<ServerMessage>}
   * @throws {RefusedError} the server refuses it
   * @throws {LostAnswerError} the connection was cut before the answer
   */
  request(message) {
    return new Promise((resolve, reject) => this.#enqueue({ message, attempt: 0, resolve, reject }));
  }

  /**
   * Keep the connection, and resume this match after every `hello`, at once if the connection is open.
   * @param {string} match @param {() => number} seq returns the number of the last known event
   */
  follow(match, seq) {
    this.#followed = { match, seq };
    if (this.state === "open") void this.#resume();
    else this.wake();
  }

  /** Keep the connection for a match that has just begun on it, which needs no resumption. @param {string} match @param {() => number} seq */
  keep(match, seq) {
    this.#followed = { match, seq };
    this.#watchSilence();
  }

  unfollow() {
    this.#followed = null;
  }

  /** Ask for the events that are missing from the followed match. */
  resync() {
    if (this.state === "open" && this.#followed !== null) void this.#resume();
  }

  /** Connect now if there is no connection, without waiting any longer. A match that another page took stays there. */
  wake() {
    if (this.state === "asleep" || this.state === "waiting") this.#connect();
  }

  /** Take back the match that another connection took, or try again after a refusal. */
  reopen() {
    this.#isDisplaced = false;
    if (this.state === "displaced" || this.state === "refused") {
      this.refusal = null;
      this.#connect();
    } else {
      this.wake();
    }
  }

  /** End the connection and begin another, for example under another name. */
  restart() {
    this.#drop();
    this.refusal = null;
    this.#isDisplaced = false;
    this.#attempt = 0;
    this.#connect();
  }

  /** End the connection for good. Every request that waits is lost. */
  close() {
    this.#drop();
    this.#followed = null;
    this.#requests.failWaiting(new LostAnswerError());
    this.#enter("closed");
  }

  #connect() {
    if (this.state === "closed") return;
    this.#options.timers.clear(this.#retryTimer);
    this.retryAt = null;
    /** @type {Socket} */
    let socket;
    try {
      socket = this.#options.openSocket();
    } catch {
      return this.#waitAndRetry();
    }
    this.#socket = socket;
    socket.onopen = () => this.#socket === socket && this.#greet();
    socket.onmessage = (event) => this.#socket === socket && this.#receive(event.data);
    socket.onclose = (event) => this.#socket === socket && this.#cut(event.code);
    this.#enter("connecting");
    this.#silence.limit(CONNECT_MS);
  }

  #greet() {
    this.#enter("greeting");
    this.#silence.limit(CONNECT_MS);
    this.#send({
      message: { type: "hello", ...this.#options.hello() },
      attempt: 0,
      resolve: (answer) => this.#welcome(answer),
      reject: (error) => this.#refuseLogin(error),
    });
  }

  /** @param {ServerMessage} answer */
  #welcome(answer) {
    if (answer.type !== "welcome") return this.#cut(0);
    const { state } = this;
    this.#options.onWelcome(/** @type {Welcome} */ (/** @type {unknown} */ (answer)));
    if (this.state !== state) return;
    if (this.#followed === null) this.#opened();
    else void this.#resume();
  }

  async #resume() {
    const socket = this.#socket;
    const followed = this.#followed;
    if (followed === null) return;
    this.#enter("resuming");
    try {
      const message = { type: "resume", match: followed.match, seq: followed.seq() };
      await new Promise((resolve, reject) => this.#send({ message, attempt: 0, resolve, reject }));
    } catch (error) {
      if (this.#socket === socket && error instanceof RefusedError) this.#refuseLogin(error);
      return;
    }
    if (this.#socket === socket) this.#opened();
  }

  #opened() {
    this.isDraining = false;
    this.#openedAt = this.#options.timers.now();
    this.#enter("open");
    this.#watchSilence();
    for (const pending of this.#requests.waiting.splice(0)) this.#send(pending);
  }

  /** @param {Error} error */
  #refuseLogin(error) {
    if (!(error instanceof RefusedError)) return;
    if (TEMPORARY.has(error.code)) return this.#cut(0, error.retryAfterMs ?? 0);
    this.#drop();
    this.refusal = error;
    this.#enter("refused");
    // A listener may have begun another connection, which the waiting requests then belong to.
    if (this.refusal !== error) return;
    this.#requests.failWaiting(error);
  }

  /** @param {unknown} frame */
  #receive(frame) {
    const message = readFrame(frame);
    this.#watchSilence();
    if (message === null) return;
    if (message.type === "notice") this.#heed(message);
    const pending = this.#requests.take(message);
    const isWelcome = message.type === "welcome";
    // The match learns of an answer before the code that waits for it.
    if (!isWelcome) this.#options.onMessage(message, this.#options.timers.now());
    if (pending !== undefined) this.#settle(pending, message);
    else if (message.type === "error" && message.fatal === true) this.#cut(0, Number(message.retry_after_ms) || 0);
  }

  /** @param {ServerMessage} notice */
  #heed(notice) {
    if (notice.kind === "seat_taken") this.#isDisplaced = true;
    if (notice.kind === "draining") {
      this.isDraining = true;
      this.#options.onState();
    }
  }

  /** @param {Pending} pending @param {ServerMessage} answer */
  #settle(pending, answer) {
    const socket = this.#socket;
    const refusal = this.#requests.settle(pending, answer);
    if (refusal?.fatal && socket !== null && this.#socket === socket) this.#cut(0, refusal.retryAfterMs ?? 0);
  }

  /**
   * Send a request when the connection is open, at once if it is.
   * @param {Pending} pending
   * @param {boolean} isResumption true for a request that is sent before the connection counts as open
   */
  #enqueue(pending, isResumption = false) {
    if (this.state === "open" || (isResumption && this.state === "resuming")) this.#send(pending);
    else if (this.state === "refused" && this.refusal !== null) pending.reject(this.refusal);
    else if (this.state === "closed" || this.state === "displaced") pending.reject(new LostAnswerError());
    else {
      this.#requests.waiting.push(pending);
      this.wake();
    }
  }

  /** @param {Pending} pending */
  #send(pending) {
    this.#write(this.#requests.send(pending));
    this.#watchSilence();
  }

  /** @param {object} message */
  #write(message) {
    try {
      this.#socket?.send(JSON.stringify(message));
    } catch {
      // The socket is closing; its end is reported by `onclose`.
    }
  }

  /**
   * Leave a connection that ended or is useless, and decide what comes next.
   * @param {number} code the close code of the WebSocket, 0 if this page ends the connection
   * @param {number} pauseMs the pause that the server asked for
   */
  #cut(code, pauseMs = 0) {
    // A server that lets the page in only to drop it is not hurried.
    const { now } = this.#options.timers;
    if (this.#openedAt !== null && now() - this.#openedAt >= STEADY_MS) this.#attempt = 0;
    this.#openedAt = null;
    this.#drop();
    if (code === SEAT_TAKEN || this.#isDisplaced) {
      this.#requests.failWaiting(new LostAnswerError());
      this.#enter("displaced");
    } else if (this.#followed !== null || this.#requests.waiting.length > 0 || this.isHeld) {
      this.#waitAndRetry(pauseMs);
    } else {
      this.#enter("asleep");
    }
  }

  /** @param {number} pauseMs */
  #waitAndRetry(pauseMs = 0) {
    const delay = Math.max(pauseMs, retryDelay(this.#attempt, this.#options.random));
    this.#attempt += 1;
    this.retryAt = this.#options.timers.now() + delay;
    this.#retryTimer = this.#options.timers.set(() => this.wake(), delay);
    this.#enter("waiting");
  }

  /** Forget the socket and its timers; what was sent on it and not answered is lost. */
  #drop() {
    const socket = this.#socket;
    this.#socket = null;
    this.#silence.end();
    this.#options.timers.clear(this.#retryTimer);
    this.retryAt = null;
    if (socket !== null) {
      socket.onopen = socket.onmessage = socket.onclose = null;
      // Closing a socket that has not been opened writes an error to the console of the browser.
      if (socket.readyState === CONNECTING) socket.onopen = () => socket.close();
      else socket.close();
    }
    this.#requests.loseSent();
  }

  /** Look for a dead socket as long as something is expected from the server. */
  #watchSilence() {
    if (this.state !== "open" && this.state !== "resuming") return;
    if (this.#followed === null && this.#requests.sent.size === 0 && !this.isHeld) this.#silence.end();
    else this.#silence.watch();
  }

  /** @param {State} state */
  #enter(state) {
    this.state = state;
    this.#options.onState();
  }
}
