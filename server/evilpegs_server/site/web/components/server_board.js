/**
 * A match on the server: the guesses and the entry on one side, and on the other what is still possible.
 *
 * On practice ladders the server says how many codes are left. On rated ones the browser computes it from the player's
 * own feedback, after the reply is drawn if that takes long.
 */

import { LitElement, html, nothing } from "../vendor/lit.js";
import { feedbackName } from "../core/feedback.js";
import { countCodes, parseRules } from "../core/rules.js";
import { Candidates } from "../game/candidates.js";
import { codemakerWords, codesWords, duration, rulesName } from "../game/ladder_words.js";
import "./code_entry.js";
import "./code_list.js";
import "./game_clock.js";
import "./guess_table.js";
import { gameWords, secretWords } from "./match_result.js";
import "./match_result.js";
import { pegRow, pegStyle } from "./peg.js";
import "./reply_bars.js";
import "./resign_dialog.js";
import { boardStyle } from "./server_board_style.js";
import { shared } from "./shared_style.js";
import { count } from "./words.js";

/** @typedef {import("../game/server_play.js").ServerPlay} ServerPlay */
/** @typedef {import("../game/match_state.js").MatchState} MatchState */
/** @typedef {import("../game/match_state.js").Game} Game */
/** @typedef {import("../game/messages.js").MatchStarted} MatchStarted */
/** @typedef {import("../game/messages.js").FeedbackGiven} FeedbackGiven */

/** The most replies that are drawn as bars; large rules have more. */
const MOST_BARS = 20;

export class ServerBoard extends LitElement {
  static properties = { play: { attribute: false }, change: { type: Number } };

  static styles = [shared, pegStyle, boardStyle];

  constructor() {
    super();
    /** @type {ServerPlay} */
    this.play;
    /** Counts the changes of the play, so that this element follows them. */
    this.change = 0;
    /** @type {Candidates | null} */
    this.candidates = null;
    this.matchId = "";
    /** What the board shows: a match, a game, and whether it waits to begin. */
    this.scene = "";
    /** The game before the current one, with the codes left after each turn. @type {{game: Game, counts: number[]} | null} */
    this.past = null;
  }

  willUpdate() {
    const { match } = this.play;
    if (match?.started == null) return;
    if (this.matchId !== match.id) {
      this.matchId = match.id;
      this.candidates = new Candidates(parseRules(match.started.rules));
    }
    if (this.candidates?.isQuick) this.candidates.follow(match.current?.turns ?? []);
  }

  updated() {
    this.keepFocus();
    this.countLater();
  }

  /**
   * Keep the focus in the match when the button that had it is gone. The board gets it, and no button, so that the key
   * that ended one game cannot start the next.
   */
  keepFocus() {
    const { match } = this.play;
    const scene = match === null ? "" : `${match.id} ${match.game} ${match.phase === "turn" ? "waiting" : match.phase}`;
    if (scene === this.scene) return;
    this.scene = scene;
    if (document.activeElement !== document.body) return;
    /** @type {HTMLElement | null} */ (this.renderRoot.querySelector("section"))?.focus({ preventScroll: true });
  }

  countLater() {
    const { candidates } = this;
    const turns = this.play.match?.current?.turns ?? [];
    if (candidates === null || candidates.isQuick || candidates.counts.length === turns.length) return;
    // Large rules: the reply is drawn first, because counting takes longer than a frame.
    setTimeout(() => {
      candidates.follow(this.play.match?.current?.turns ?? []);
      this.requestUpdate();
    });
  }

  render() {
    const { match } = this.play;
    if (match === null || match.started === null) return html`<p class="card muted">Fetching your match…</p>`;
    return html`
      <div class="columns ${this.isSummary(match) ? "summary" : ""}" .style=${`--pegs: ${match.started.pegs}; --board: ${match.started.pegs > 6 ? 34 : 27}rem`}>
        ${this.isSummary(match)
          ? nothing
          : html`<section class="card board" aria-label="Board" tabindex="-1">
              ${this.heading(match, match.started)} ${this.board(match, match.started)}
            </section>`}
        ${match.phase === "over" ? this.result(match) : this.side(match, match.started)}
      </div>
      <p class="hidden" role="status">${this.spoken(match)}</p>
      <resign-dialog
        .game=${match.game}
        .games=${match.started.games}
        ?rated=${match.started.rated}
        @resign=${(/** @type {CustomEvent<number | null>} */ event) => this.play.resign(event.detail ?? undefined)}
      ></resign-dialog>
    `;
  }

  /** Return true if a match of several games is over, so that no single game is shown. @param {MatchState} match */
  isSummary(match) {
    return match.phase === "over" && match.started?.games !== 1;
  }

  /** @param {MatchState} match @param {MatchStarted} started */
  heading(match, started) {
    const game = started.games > 1 ? `Game ${match.game} of ${started.games}` : rulesName(started.rules);
    const played = match.current?.turns.length ?? 0;
    const isOver = match.current?.over != null;
    const guesses = isOver ? count(played, "guess", "guesses") : `guess ${Math.min(played + 1, started.guess_limit)} of ${started.guess_limit}`;
    return html`<div class="heading">
      <p><strong>${game}</strong> <span class="muted number">${guesses}</span></p>
      ${started.clock === null || match.phase === "over"
        ? nothing
        : html`<game-clock
            .read=${() => match.clock(performance.now()) ?? 0}
            ?running=${match.phase === "turn"}
            label="Your time"
          ></game-clock>`}
    </div>`;
  }

  /** @param {MatchState} match @param {MatchStarted} started */
  board(match, started) {
    if (match.phase === "ready" && !this.play.beginsAtOnce) return this.readyCard(match, started);
    return html`${this.table(match.current)} ${match.phase === "over" ? nothing : this.entry(match, started)}`;
  }

  /** @param {MatchState} match */
  result(match) {
    return html`<section class="card" aria-label="Result" tabindex="-1">
      <match-result .match=${match} .nonces=${this.play.nonces} @again=${() => this.play.play()}></match-result>
    </section>`;
  }

  /** @param {MatchState} match @param {MatchStarted} started */
  side(match, started) {
    return html`<section class="card panel" aria-label="Codes left">${this.panel(match, started)}</section>`;
  }

  /** @param {Game | null} game */
  table(game) {
    const counts = this.candidates?.counts ?? [];
    const turns = (game?.turns ?? []).map((turn, index) => ({ ...turn, left: turn.candidates ?? counts[index] ?? null }));
    return html`<guess-table .turns=${turns}></guess-table>`;
  }

  /** @param {MatchState} match @param {MatchStarted} started */
  readyCard(match, started) {
    const before = match.games.find((game) => game.game === match.game - 1);
    return html`
      ${before === undefined
        ? nothing
        : html`<div class="before">
            <h2>Game ${before.game}: ${gameWords(before)}</h2>
            ${secretWords(before, started.codemaker)} ${this.beforeTable(before)}
          </div>`}
      <div class="ready">
        ${this.problem()}
        <p>${started.clock === null ? "The game begins when you are ready." : "Your clock starts when you press the button."}</p>
        <button class="primary large" @click=${() => this.play.ready()}>Start game ${match.game}</button>
        <game-clock .read=${() => match.readyLeft(performance.now())} running label="Start within"></game-clock>
        <p class="muted">A game that is not started in time is lost. The other games of the match go on.</p>
        <button class="quiet" @click=${this.askToResign}>Give up…</button>
      </div>
    `;
  }

  /** @param {Game} game */
  beforeTable(game) {
    if (this.past?.game !== game) this.past = { game, counts: this.countsOf(game) };
    const { counts } = this.past;
    const turns = game.turns.map((turn, index) => ({ ...turn, left: turn.candidates ?? counts[index] ?? null }));
    return html`<guess-table .turns=${turns}></guess-table>`;
  }

  /** Return the codes left after each turn of a finished game, if they can be counted quickly. @param {Game} game */
  countsOf(game) {
    const past = new Candidates(/** @type {Candidates} */ (this.candidates).rules);
    if (past.isQuick) past.follow(game.turns);
    return past.counts;
  }

  /** @param {MatchState} match @param {MatchStarted} started */
  entry(match, started) {
    const { sentGuess } = this.play;
    const isOpen = this.play.canGuess;
    const hasTurns = (match.current?.turns.length ?? 0) > 0;
    return html`
      ${sentGuess === null
        ? nothing
        : html`<p class="sent" aria-hidden="true">${pegRow(sentGuess.code)} <span class="muted">waiting for the reply…</span></p>`}
      ${this.problem()}
      <code-entry
        .rules=${this.candidates?.rules}
        .excluded=${hasTurns ? (this.candidates?.excluded ?? []) : []}
        ?disabled=${!isOpen}
        @guess=${(/** @type {CustomEvent<string>} */ event) => this.play.guess(event.detail)}
      ></code-entry>
      <div class="more">
        ${started.rated ? nothing : html`<button ?disabled=${!isOpen || this.play.isHinting} @click=${() => this.play.requestHint()}>Hint</button>`}
        <button class="quiet" @click=${this.askToResign}>Give up…</button>
      </div>
      ${this.hint(isOpen)}
    `;
  }

  problem() {
    const { problem } = this.play;
    return problem === null ? nothing : html`<p class="bad" role="alert">${problem}</p>`;
  }

  /** @param {boolean} isOpen */
  hint(isOpen) {
    const { hint, isHinting } = this.play;
    if (isHinting) return html`<p class="muted" role="status">The server looks for a good guess…</p>`;
    if (hint === null) return nothing;
    return html`<p class="hint" role="status">
      <span>Try ${pegRow(hint.code)}</span> <span class="muted">It ${hint.why}.</span>
      <button ?disabled=${!isOpen} @click=${() => this.take(hint.code)}>Use it</button>
    </p>`;
  }

  /** Put a code into the entry, ready to be played. @param {string} code */
  take(code) {
    const entry = /** @type {import("./code_entry.js").CodeEntry} */ (this.renderRoot.querySelector("code-entry"));
    entry.clear();
    const { symbols = "" } = this.play.match?.started ?? {};
    Array.from(code, (symbol, slot) => entry.put(symbols.indexOf(symbol), slot));
  }

  askToResign() {
    /** @type {import("./resign_dialog.js").ResignDialog} */ (this.renderRoot.querySelector("resign-dialog")).open();
  }

  /** @param {MatchState} match @param {MatchStarted} started */
  panel(match, started) {
    const turn = match.current?.turns.at(-1);
    if (turn === undefined) return this.opening(started);
    const left = turn.candidates ?? this.candidates?.counts[turn.turn - 1];
    return html`
      ${left === undefined ? this.unknownLeft() : this.left(left, this.codesBefore(match, turn))} ${this.bars(turn, started)}
      ${this.list(left)}
      ${this.legend()}
    `;
  }

  /** @param {number} left @param {number} before */
  left(left, before) {
    return html`<p class="left"><strong class="number">${codesWords(left)}</strong> <span>of ${codesWords(before)} codes left</span></p>`;
  }

  /** @param {number | undefined} left */
  list(left) {
    const { candidates } = this;
    if (candidates === null) return nothing;
    // A new object for each reply, so that the list follows it.
    const game = {
      listCandidates: (/** @type {number} */ max) => candidates.listCandidates(max),
      excludedColors: () => candidates.excluded,
    };
    return html`<code-list .game=${game} .left=${candidates.isExact ? (left ?? Infinity) : Infinity}></code-list>`;
  }

  unknownLeft() {
    return html`<p class="muted">${this.candidates?.isExact ? "Counting the codes left…" : "These rules have too many codes to count in a browser."}</p>`;
  }

  /** Return the codes left before a turn. @param {MatchState} match @param {FeedbackGiven} turn */
  codesBefore(match, turn) {
    const previous = match.current?.turns[turn.turn - 2];
    const all = Number(countCodes(/** @type {Candidates} */ (this.candidates).rules));
    return previous === undefined ? all : (previous.candidates ?? this.candidates?.counts[turn.turn - 2] ?? all);
  }

  /** @param {FeedbackGiven} turn @param {MatchStarted} started */
  bars(turn, started) {
    if (turn.parts === undefined) return nothing;
    const all = turn.parts.map(([black, white, size]) => ({ black, white, count: size }));
    const parts = shownParts(all, turn);
    const marks = { evil: "evil’s reply", devil: "the devil’s reply", fixed: "the reply" };
    return html`
      <h2>What each reply to ${pegRow(turn.code)} would have left</h2>
      <reply-bars .parts=${parts} .taken=${turn} .mark=${marks[started.codemaker] ?? "the reply"}></reply-bars>
      ${parts.length === all.length ? nothing : html`<p class="muted">${count(all.length - parts.length, "reply", "replies")} would have left fewer.</p>`}
    `;
  }

  /** @param {MatchStarted} started */
  opening(started) {
    const { words } = codemakerWords(started.codemaker);
    const rules = parseRules(started.rules);
    return html`
      <p class="left"><strong class="number">${codesWords(countCodes(rules))}</strong> <span>codes possible</span></p>
      <p>
        A code is ${rules.pegs} pegs of ${rules.colors} colors${rules.repeats ? "; a color may repeat" : ", each used once at most"}. ${words}
      </p>
      ${this.legend()}
    `;
  }

  legend() {
    return html`<ul class="legend">
      <li><i class="black"></i>A black peg: a color is right and in its place.</li>
      <li><i class="white"></i>A white peg: a further color is right, but elsewhere.</li>
    </ul>`;
  }

  /** Return what a screen reader says after a message of the server. @param {MatchState} match */
  spoken(match) {
    if (match.phase === "over") return `The match is over. ${match.games.map(gameWords).join(". ")}.`;
    if (match.phase === "ready" && !this.play.beginsAtOnce) return `Game ${match.game} waits for you. Start it within ${duration(Math.round(match.readyByMs / 1000) * 1000)}.`;
    const turn = match.current?.turns.at(-1);
    if (turn === undefined) return match.phase === "turn" ? "The game has begun. Your guess." : "";
    const left = turn.candidates ?? this.candidates?.counts[turn.turn - 1];
    const reply = `Guess ${turn.code.split("").join(" ")}: ${feedbackName(turn)}.`;
    return left === undefined ? reply : `${reply} ${count(left, "code")} left.`;
  }
}

/**
 * Return the largest parts, and the one of the reply.
 *
 * @param {readonly import("../core/partition.js").Part[]} parts
 * @param {{black: number, white: number}} taken
 */
function shownParts(parts, taken) {
  const sorted = [...parts].sort((one, other) => other.count - one.count);
  return sorted.filter((part, index) => index < MOST_BARS || (part.black === taken.black && part.white === taken.white));
}

customElements.define("server-board", ServerBoard);
