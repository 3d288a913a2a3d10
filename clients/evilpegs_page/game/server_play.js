/**
 * One ladder played on the server: the connection, the player, and the match, from its beginning to the next one.
 *
 * A match that begins while the connection is cut is found among the player's open matches.
 *
 * Timed and rated games begin when the player says so. An untimed practice game begins at once.
 */

import { GameConnection } from "./connection.js";
import { Login } from "./login.js";
import { BrokenRecordError, GapError, MatchState } from "./match_state.js";
import { Moves } from "./moves.js";
import { OpenMatches } from "./open_matches.js";
import { Players } from "./players.js";
import { LostAnswerError, RefusedError, refusalWords } from "./refusals.js";

/** @import { ServerMessage, Welcome } from "./messages.js" */

/** @typedef {Pick<import("./connection.js").Options, "openSocket" | "timers" | "random">} Environment */
/**
 * @typedef {object} PlayOptions
 * @property {string} server the address of the game, under which names and matches are stored
 * @property {string} ladder
 * @property {"human" | "bot"} [kind] what a new name is claimed for
 * @property {import("./storage.js").SafeStorage} storage
 * @property {() => string} newNonce returns the player's share in the draw of a secret
 * @property {() => void} onChange is called after anything has changed that a view shows
 */

export class ServerPlay {
  /** @type {PlayOptions & Environment} */ #options;
  /** @type {Login} */ #login;
  /** @type {OpenMatches} */ #matches;
  /** @type {Set<string>} every match that this page knows */ #known = new Set();
  /** True after the answer to `play` was lost, until the match is found or begun again. */
  #isPlayLost = false;
  /** @type {(() => void)[]} */ #awaitWelcome = [];

  /** @param {PlayOptions & Environment} options */
  constructor(options) {
    this.#options = options;
    this.ladder = options.ladder;
    this.players = new Players(options.storage, options.server);
    this.#matches = new OpenMatches(options.storage, options.server);
    this.#login = new Login(this.players, options.kind);
    /** @type {Welcome | null} */
    this.welcome = null;
    /** @type {MatchState | null} */
    this.match = null;
    /** What went wrong last, in words for the player; null if nothing did. @type {string | null} */
    this.problem = null;
    this.isBeginning = false;
    this.connection = new GameConnection({
      ...options,
      hello: () => this.#login.hello(),
      onWelcome: (welcome) => this.#welcomed(welcome),
      onMessage: (message, at) => this.#receive(message, at),
      onState: () => this.#stateChanged(),
    });
    this.moves = new Moves({
      connection: this.connection,
      match: () => this.match,
      nonce: (game) => this.#nonce(game),
      onProblem: (problem) => (this.problem = problem),
      onChange: options.onChange,
    });
  }

  /** True for a match whose games begin without the player saying so: untimed practice, and a match of one game. */
  get beginsAtOnce() {
    const started = this.match?.started;
    return started?.games === 1 || (started?.rated === false && started.clock === null);
  }

  get nonces() {
    return this.#matches.get(this.ladder)?.nonces ?? {};
  }

  /** Open matches of the player that this browser has not begun, or has forgotten. */
  get strangeMatches() {
    return (this.welcome?.open ?? []).map((open) => open.match).filter((match) => match !== this.match?.id);
  }

  /** Connect, and come back to the match that was played on this ladder. */
  start() {
    const kept = this.#matches.get(this.ladder);
    if (kept !== null && kept.player === this.players.current) this.comeBack(kept.match);
    else this.connection.wake();
  }

  /** Show an open or a finished match of the player from its first event on. @param {string} id */
  comeBack(id) {
    const match = (this.match = new MatchState(id));
    this.moves.forget();
    this.connection.follow(id, () => match.seq);
    this.#options.onChange();
  }

  /** Keep an open match of the player that this browser has not begun, and show it if it is on this ladder. @param {string} ladder @param {string} match */
  adopt(ladder, match) {
    this.#login.keepGuest();
    // a match that this browser began on another ladder has nonces, which its record is checked with
    if (this.#matches.get(ladder)?.match !== match) this.#matches.keep(ladder, { match, player: this.welcome?.player ?? "", nonces: {} });
    if (ladder === this.ladder) this.comeBack(match);
  }

  /** Begin a match. If the answer is lost, the match is found among the open ones. */
  async play() {
    if (this.isBeginning) return;
    this.#leaveMatch();
    this.isBeginning = this.connection.isHeld = true;
    this.#options.onChange();
    try {
      while (this.match === null) {
        await this.#welcomeReceived();
        if (this.match === null) await this.#tryPlay();
      }
    } catch (error) {
      if (error instanceof RefusedError) this.problem = error.message;
      else if (!(error instanceof LostAnswerError)) throw error;
    } finally {
      this.isBeginning = this.connection.isHeld = this.#isPlayLost = false;
      this.#options.onChange();
    }
  }

  /** Play under another name: a new one is claimed, a stored one is proved by its token, and null means a guest. @param {string | null} name */
  changePlayer(name) {
    this.#leaveMatch();
    if (name === null || this.players.tokens(name).length > 0) this.#login.choose(name);
    else this.#login.claim(name);
    this.welcome = null;
    this.connection.restart();
  }

  /** Take the match back from another page, or try again after a refusal. */
  takeBack() {
    this.problem = null;
    this.connection.reopen();
  }

  /** Forget the match, which is over or is another player's. */
  leave() {
    this.#leaveMatch();
    this.#matches.forget(this.ladder);
    this.#options.onChange();
  }

  /** End the connection for good. An open match goes on, and so does its clock. */
  close() {
    this.connection.close();
  }

  async #tryPlay() {
    try {
      await this.connection.request({ type: "play", ladder: this.ladder });
    } catch (error) {
      const { state } = this.connection;
      if (!(error instanceof LostAnswerError) || state === "closed" || state === "displaced") throw error;
      this.#isPlayLost = true;
      this.welcome = null;
    }
  }

  /** Wait until the server has said welcome on the present connection. */
  async #welcomeReceived() {
    if (this.welcome !== null) return;
    this.connection.wake();
    await new Promise((resolve) => this.#awaitWelcome.push(() => resolve(undefined)));
    if (this.connection.refusal !== null) throw this.connection.refusal;
  }

  /** @param {Welcome} welcome */
  #welcomed(welcome) {
    this.#login.accept(welcome);
    this.welcome = welcome;
    if (this.#isPlayLost) this.#findBegunMatch(welcome);
    for (const open of welcome.open) this.#known.add(open.match);
    this.#awaitWelcome.splice(0).forEach((resolve) => resolve());
  }

  /** Take over the match whose `match_started` was lost. @param {Welcome} welcome */
  #findBegunMatch(welcome) {
    const begun = welcome.open.filter((open) => !this.#known.has(open.match)).at(-1);
    if (begun === undefined) return;
    this.#keep(begun.match, {});
    this.comeBack(begun.match);
  }

  /** @param {ServerMessage} message @param {number} at */
  #receive(message, at) {
    if (message.type === "match_started" && typeof message.re === "string" && this.isBeginning) this.#begin(String(message.match));
    const { match } = this;
    if (match === null) return;
    if (message.type === "hint" && message.match === match.id) this.moves.hint = /** @type {any} */ (message);
    try {
      if (match.apply(message, at)) this.moves.follow(match, this.beginsAtOnce);
    } catch (error) {
      if (error instanceof GapError) this.connection.resync();
      else if (error instanceof BrokenRecordError) this.#distrust(error);
      else throw error;
    }
    this.#options.onChange();
  }

  /** @param {string} id */
  #begin(id) {
    const match = (this.match = new MatchState(id));
    this.#known.add(id);
    this.#keep(id, {});
    this.connection.keep(id, () => match.seq);
  }

  #stateChanged() {
    const { connection } = this;
    if (connection.state === "refused" && connection.refusal !== null) this.#refused(connection.refusal);
    if (connection.state === "displaced" || connection.state === "closed") this.moves.forget();
    if (connection.isLeft) this.#awaitWelcome.splice(0).forEach((resolve) => resolve());
    this.#options.onChange();
  }

  /** @param {RefusedError} refusal */
  #refused(refusal) {
    const isMatchLost = refusal.code === "not_your_match";
    const remedy = isMatchLost ? "nothing" : this.#login.refuse(refusal.code);
    const problem = remedy === "new guest" ? refusalWords({ code: "not_your_match" }) : refusal.message;
    if (isMatchLost || remedy === "new guest") this.leave();
    if (isMatchLost || remedy !== "nothing") this.connection.restart();
    if (remedy !== "other token") this.problem = problem;
  }

  /** @param {BrokenRecordError} error */
  #distrust(error) {
    this.problem = `The server contradicts itself: ${error.message}. Do not trust this match.`;
    this.connection.close();
  }

  /** @param {number} game */
  #nonce(game) {
    const { nonces } = this;
    const nonce = nonces[game] ?? this.#options.newNonce();
    if (this.match !== null) this.#keep(this.match.id, { ...nonces, [game]: nonce });
    return nonce;
  }

  /** @param {string} match @param {Record<string, string>} nonces */
  #keep(match, nonces) {
    this.#login.keepGuest();
    this.#matches.keep(this.ladder, { match, player: this.players.current ?? this.welcome?.player ?? "", nonces });
  }

  #leaveMatch() {
    this.match = null;
    this.problem = null;
    this.moves.forget();
    this.connection.unfollow();
  }
}
