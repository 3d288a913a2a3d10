/**
 * The replay of a match: its games, one guess at a time, by buttons, keys or by itself.
 *
 * A live match opens at its newest guess unless its owner says where, and the replay moves on with it exactly as long as
 * the newest guess is shown; otherwise it offers the way back to live. The replay alone decides where it stands: its owner
 * says where it opens, and hears of each move by the event `moved`.
 */

import { LitElement, html, nothing } from "../vendor/lit.js";
import { outcomeWords } from "../game/ladder_words.js";
import { feedbackName } from "../core/feedback.js";
import { costliest, insights, luckOf } from "../replay/insight.js";
import { afterKey, atPosition, clamp, isLast, last, next } from "../replay/position.js";
import { feedbackStyle, legend } from "./feedback_pegs.js";
import "./game_clock.js";
import "./guess_worth.js";
import { replayStyle } from "./match_replay_style.js";
import { pegRow, pegStyle } from "./peg.js";
import { shared } from "./shared_style.js";
import "./replay_controls.js";
import { turnTable } from "./replay_turns.js";
import { isLong, turnTableStyle } from "./turn_table_style.js";
import { costWords, count, luckWords } from "./words.js";

/** @import { Replay, ReplayGame } from "../replay/timeline.js" */
/** @import { Insight } from "../replay/insight.js" */
/** @import { Position } from "../replay/position.js" */

const PLAY_MS = 1_100;
/** @type {Position} */
const BEGINNING = Object.freeze({ game: 0, turn: 0 });
/** @type {Position} */
const FIRST = Object.freeze({ game: 0, turn: 1 });
const TYPED_IN = Object.freeze(["input", "select", "textarea"]);

export class MatchReplay extends LitElement {
  static properties = {
    replay: { attribute: false },
    analysis: { attribute: false },
    ahead: { attribute: false },
    note: {},
    opensAt: { attribute: false },
    position: { state: true },
    isPlaying: { state: true },
  };

  static styles = [shared, pegStyle, feedbackStyle, turnTableStyle, replayStyle];

  constructor() {
    super();
    /** @type {Replay | null} */
    this.replay = null;
    /** The document of the API. @type {any} */
    this.analysis = null;
    /** How far this browser's clock is ahead of the server's, in milliseconds; null if no server plays the match. @type {number | null} */
    this.ahead = null;
    /** Says why there is no analysis yet. */
    this.note = "";
    /** Null for the newest guess of a live match, and the first of any other. @type {Position | null} */
    this.opensAt = null;
    /** @type {Position} */
    this.position = BEGINNING;
    this.isPlaying = false;
    /** @type {any} */
    this.timer = null;
    /** @type {Map<string, Insight[]>} the insights of each game by its number and guesses */
    this.known = new Map();
    /** On paper the game stands to its end. */
    this._onPrint = () => {
      this.stop({ ...this.position, turn: this.lengths[this.position.game] ?? 0 });
      this.performUpdate();
    };
    this._onKey = (/** @type {KeyboardEvent} */ event) => this.press(event);
  }

  connectedCallback() {
    super.connectedCallback();
    addEventListener("keydown", this._onKey);
    addEventListener("beforeprint", this._onPrint);
  }

  disconnectedCallback() {
    removeEventListener("keydown", this._onKey);
    removeEventListener("beforeprint", this._onPrint);
    this.pause();
    super.disconnectedCallback();
  }

  /** @param {Map<string, any>} changed */
  willUpdate(changed) {
    if (!changed.has("replay") || this.replay === null) return;
    const before = /** @type {Replay | null | undefined} */ (changed.get("replay"));
    const newest = last(this.lengths);
    if (before == null) this.position = clamp(this.lengths, this.opensAt ?? (this.replay.over ? FIRST : newest));
    else if (!before.over && isLast(lengthsOf(before), this.position)) this.go(newest);
  }

  get lengths() {
    return this.replay === null ? [] : lengthsOf(this.replay);
  }

  /** @returns {ReplayGame | undefined} */
  get game() {
    return this.replay?.games[this.position.game];
  }

  /** @param {Position} position */
  go(position) {
    this.position = position;
    this.dispatchEvent(new CustomEvent("moved", { detail: { ...position, isNewest: isLast(this.lengths, position) } }));
  }

  /** Go to a position and stay there. @param {Position} position */
  stop(position) {
    this.pause();
    this.go(position);
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    const target = event.composedPath()[0];
    const name = target instanceof Element ? target.localName : "";
    if (TYPED_IN.includes(name)) return;
    if (event.key === " ") {
      if (name === "button" || name === "a" || name === "summary") return;
      event.preventDefault();
      this.toggle();
      return;
    }
    const position = afterKey(event.key, this.lengths, this.position);
    if (position === null) return;
    event.preventDefault();
    this.stop(position);
  }

  /** True if the match is live and an older guess is shown. */
  get isAway() {
    return this.ahead !== null && this.replay?.over === false && !isLast(this.lengths, this.position);
  }

  async goLive() {
    this.stop(last(this.lengths));
    await this.updateComplete;
    // the button that had the focus is gone
    /** @type {HTMLElement} */ (this.renderRoot.querySelector(".board")).focus({ preventScroll: true });
  }

  toggle() {
    if (this.isPlaying) this.pause();
    else this.play();
  }

  /** Go one guess on after another; from the end, from the beginning. */
  play() {
    if (isLast(this.lengths, this.position)) this.go(BEGINNING);
    this.isPlaying = true;
    this.timer = setInterval(() => {
      this.go(next(this.lengths, this.position));
      if (isLast(this.lengths, this.position)) this.pause();
    }, PLAY_MS);
  }

  pause() {
    clearInterval(this.timer);
    this.isPlaying = false;
  }

  /** @param {ReplayGame} game @returns {Insight[]} */
  insightsOf(game) {
    const { rules } = /** @type {Replay} */ (this.replay);
    const key = `${game.game} ${game.turns.map((turn) => `${turn.code} ${turn.black} ${turn.white}`).join()}`;
    const known = this.known.get(key) ?? insights(rules, game.turns);
    this.known.set(key, known);
    return known;
  }

  /** @param {ReplayGame} game @param {number} index @returns {any} what the analysis says about a guess; null without one */
  worthOf(game, index) {
    const analyzed = this.analysis?.games?.find((/** @type {any} */ each) => each.game === game.game);
    return analyzed?.turns?.[index]?.analysis ?? null;
  }

  render() {
    const { replay, game } = this;
    if (replay === null) return nothing;
    if (game === undefined) return html`<p class="card">No game of this match has started.</p>`;
    return html`
      ${replay.games.length > 1 ? this.tabs(replay) : nothing}
      <div class="columns ${isLong(replay.rules.pegs) ? "long" : ""}" .style=${`--pegs: ${replay.rules.pegs}`}>
        <section class="card board" aria-label="Game ${game.game}" tabindex="-1">
          <div class="heading">
            ${this.heading(game)} ${this.isAway ? html`<button class="primary" @click=${this.goLive}>Back to live</button>` : nothing} ${legend}
          </div>
          <replay-controls .lengths=${this.lengths} .position=${this.position} .isPlaying=${this.isPlaying} @play=${this.toggle} @step=${(/** @type {CustomEvent<Position>} */ { detail }) => this.stop(detail)}></replay-controls>
          ${this.table(game)} ${this.openTurn(game)}
          ${this.ending(game)}
        </section>
        <section class="card worth" aria-label="The guess">${this.worth(game)}</section>
      </div>
      ${this.costliest(replay)}
      <p class="hidden" role="status">${this.said(game)}</p>
    `;
  }

  /** @param {Replay} replay */
  costliest({ games }) {
    const guesses = costliest(games, (game, index) => this.worthOf(game, index));
    if (guesses.length === 0) return nothing;
    return html`<section class="card costliest" aria-labelledby="costliest">
      <h2 id="costliest">The costliest guesses</h2>
      <ol>
        ${guesses.map(({ game, turn, code, worth }) => {
          const { game: number } = games[game];
          return html`<li>
            <a href=${atPosition(location.hash, { game, turn })} @click=${(/** @type {MouseEvent} */ event) => this.visit(event, { game, turn })}>Game ${number}, guess ${turn}</a>
            <span>${pegRow(code)} cost ${costWords(worth)}${worth.optimal === null ? nothing : html`; best was ${pegRow(worth.optimal)}`}</span>
          </li>`;
        })}
      </ol>
    </section>`;
  }

  /** Go to a guess without loading the match again. @param {MouseEvent} event @param {Position} position */
  visit(event, position) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return; // a tab of its own
    event.preventDefault();
    this.stop(position);
    this.renderRoot.querySelector(".board")?.scrollIntoView({ block: "nearest" });
  }

  /** @param {Replay} replay */
  tabs(replay) {
    return html`<div class="tabs" role="group" aria-label="Games">
      ${replay.games.map(
        (game, index) => html`<button aria-pressed=${index === this.position.game ? "true" : "false"} @click=${() => this.go(clamp(this.lengths, { game: index, turn: 1 }))}>
          <span><span class="hidden">Game </span>${game.game}</span><small>${resultWords(game)}</small>
        </button>`,
      )}
    </div>`;
  }

  /** @param {ReplayGame} game */
  heading(game) {
    return html`<h2>
      Game ${game.game}${game.outcome === null ? nothing : html`: ${outcomeWords(game.outcome).toLowerCase()} <small>after ${count(game.turns.length, "guess", "guesses")}</small>`}
    </h2>`;
  }

  /** @param {ReplayGame} game */
  table(game) {
    const known = this.insightsOf(game);
    const left = known.map(({ after }, index) => after ?? this.worthOf(game, index)?.after ?? null);
    return turnTable({ turns: game.turns, left, shown: this.position.turn, onJump: (turn) => this.stop({ game: this.position.game, turn }) });
  }

  /** Return the time of the turn that is played now. @param {ReplayGame} game */
  openTurn(game) {
    const { replay, ahead } = this;
    const isPlayed = ahead !== null && replay?.over === false && game === replay.games.at(-1) && game.outcome === null;
    if (!isPlayed || game.lastAt === null) return nothing;
    const since = game.turns.length === 0 ? "the game started" : "the last reply";
    return html`<p class="muted">Guess ${game.turns.length + 1}: <turn-time .since=${game.lastAt + ahead}></turn-time> since ${since}</p>`;
  }

  /** @param {ReplayGame} game */
  ending(game) {
    const { outcome, secret, turns } = game;
    if (outcome === null || this.position.turn < turns.length) return nothing;
    const codemaker = this.replay?.codemaker ?? "";
    const luck = luckOf(turns.map((_, index) => this.worthOf(game, index)));
    return html`<div class="ending">
      ${secret !== null && outcome !== "solved" ? html`<p>${pegRow(secret)} ${codemaker === "fixed" ? "was the secret." : "was still possible."}</p>` : nothing}
      ${turns.length === 0 ? nothing : html`<p>${luckWords(luck, codemaker)}</p>`}
    </div>`;
  }

  /** @param {ReplayGame} game */
  worth(game) {
    const index = this.position.turn - 1;
    const turn = game.turns[index];
    const isWaiting = this.note && this.analysis === null;
    return html`
      ${turn === undefined
        ? html`<h2>Before the first guess</h2><p class="muted">Step forward to see what each guess did.</p>`
        : html`<h2>Guess ${index + 1} <span class="pegs-title">${pegRow(turn.code)}</span></h2>
            ${turn.method === null ? nothing : html`<p class="muted">The devil’s reply is ${turn.method === "exact" ? "exact" : "evil’s, because too many codes are left for an exact one"}.</p>`}
            <guess-worth
              .turn=${turn}
              .insight=${this.insightsOf(game)[index]}
              .analysis=${this.worthOf(game, index)}
              .codemaker=${this.replay?.codemaker}
            ></guess-worth>`}
      ${isWaiting ? html`<p class="note muted" role="status">${this.note}</p>` : nothing}
    `;
  }

  /** @param {ReplayGame} game @returns {string} what a screen reader says about the position */
  said(game) {
    const turn = game.turns[this.position.turn - 1];
    if (turn === undefined) return `Game ${game.game}, before the first guess.`;
    const { after } = this.insightsOf(game)[this.position.turn - 1];
    const left = after === null ? "" : ` ${count(after, "code")} left.`;
    return `Game ${game.game}, guess ${this.position.turn}: ${Array.from(turn.code).join(" ")}, ${feedbackName(turn)}.${left}`;
  }
}

/** @param {Replay} replay */
function lengthsOf(replay) {
  return replay.games.map((game) => game.turns.length);
}

/** @param {ReplayGame} game @returns {string} such as "5 guesses", "resigned" or "live" */
function resultWords(game) {
  if (game.outcome === null) return "live";
  return game.outcome === "solved" ? count(game.turns.length, "guess", "guesses") : outcomeWords(game.outcome).toLowerCase();
}

customElements.define("match-replay", MatchReplay);
