/**
 * A match on the server: the guesses and the entry on one side, and on the other what is still possible.
 *
 * On practice ladders the server says how many codes are left. On rated ones the browser computes it from the player's
 * own feedback, after the reply is drawn if that takes long.
 */

import { LitElement, html, nothing } from "../vendor/lit.js";
import { feedbackName } from "../core/feedback.js";
import { parseRules } from "../core/rules.js";
import { Candidates } from "../game/candidates.js";
import { duration } from "../game/ladder_words.js";
import { boardClass, boardSizes, boardStyle } from "./board_style.js";
import { IDLE_RULE, PLAY_RULE } from "./code_entry.js";
import { codesPanel, toldNothing } from "./codes_panel.js";
import { feedbackStyle, legend, shortLegend } from "./feedback_pegs.js";
import "./game_clock.js";
import "./guess_table.js";
import { gameWords, secretWords } from "./match_result.js";
import "./match_result.js";
import { pegRow, pegStyle } from "./peg.js";
import { serverBoardStyle } from "./server_board_style.js";
import { shared } from "./shared_style.js";
import { TOLD_NOTHING, count, rulesName } from "./words.js";

/** @import { ServerPlay } from "../game/server_play.js" */
/** @import { MatchState, Game } from "../game/match_state.js" */
/** @import { MatchStarted } from "../game/messages.js" */

export class ServerBoard extends LitElement {
  static properties = { play: { attribute: false }, change: { type: Number }, isRound: { type: Boolean }, isIdle: { state: true } };

  static styles = [shared, pegStyle, boardStyle, feedbackStyle, serverBoardStyle];

  constructor() {
    super();
    /** @type {ServerPlay} */
    this.play;
    /** Counts the changes of the play, so that this element follows them. */
    this.change = 0;
    this.isRound = false;
    /** Whether the reply to what is entered is known already. */
    this.isIdle = false;
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
      <div class="columns ${boardClass(match.started.pegs)} ${this.isSummary(match) ? "summary" : ""}" tabindex="-1" .style=${boardSizes(match.started.pegs)}>
        ${this.isSummary(match)
          ? nothing
          : html`<section class="card board" aria-label="Board" tabindex="-1">${this.board(match, match.started)}</section>`}
        ${match.phase === "over" ? this.result(match) : this.side(match, match.started)}
      </div>
      <p class="hidden" role="status">${spokenWords(match, this.play.beginsAtOnce, this.candidates?.counts ?? [])}</p>
      ${this.resignation(match, match.started)}
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
        : html`<game-clock .read=${() => match.clock(performance.now()) ?? 0} ?running=${match.phase === "turn"} label="Your time"></game-clock>`}
      ${match.phase === "over" ? nothing : played > 0 ? shortLegend : legend}
    </div>`;
  }

  /** @param {MatchState} match @param {MatchStarted} started */
  board(match, started) {
    const heading = this.heading(match, started);
    if (match.phase === "ready" && !this.play.beginsAtOnce) return html`${heading} ${this.readyCard(match, started)}`;
    const turns = this.shownTurns(match.current, this.candidates?.counts ?? []);
    if (match.phase === "over") return html`${heading} <guess-table .turns=${turns} role="region" aria-label="Guesses" tabindex="0"></guess-table>`;
    return this.entry(started, heading, turns);
  }

  /** @param {MatchState} match */
  result(match) {
    return html`<section class="card" aria-label="Result" tabindex="-1">
      <match-result .match=${match} ?isRound=${this.isRound} .nonces=${this.play.nonces} @again=${() => this.play.play()}></match-result>
    </section>`;
  }

  /** @param {MatchState} match @param {MatchStarted} started */
  side(match, started) {
    return html`<section class="card panel" aria-label="Codes left">${this.candidates && codesPanel(match, started, this.candidates)}</section>`;
  }

  /** @param {Game | null} game @param {readonly number[]} counts */
  shownTurns(game, counts) {
    return (game?.turns ?? []).map((turn, index) => ({ ...turn, left: turn.candidates ?? counts[index] ?? null }));
  }

  /** @param {MatchState} match @param {MatchStarted} started */
  readyCard(match, started) {
    const before = match.games.find((game) => game.game === match.game - 1);
    return html`
      <div class="ready">
        ${this.problem()}
        <p>${started.clock === null ? "The game starts when you are ready." : "Your clock starts when you press the button."}</p>
        <button class="primary large" @click=${() => this.play.moves.ready()}>Start game ${match.game}</button>
        <game-clock .read=${() => match.readyLeft(performance.now())} running label="Start within"></game-clock>
        <p class="muted">A game that is not started in time is lost. The other games of the match go on.</p>
        <button class="quiet" @click=${this.askToResign}>Give up…</button>
      </div>
      ${before === undefined
        ? nothing
        : html`<div class="before">
            <h2>Game ${before.game}: ${gameWords(before)}</h2>
            ${secretWords(before, started.codemaker)} <guess-table .turns=${this.shownTurns(before, this.countsOf(before))}></guess-table>
          </div>`}
    `;
  }

  /** Return the codes left after each turn of a finished game, if they can be counted quickly. @param {Game} game */
  countsOf(game) {
    if (this.past?.game !== game) {
      const past = new Candidates(/** @type {Candidates} */ (this.candidates).rules);
      if (past.isQuick) past.follow(game.turns);
      this.past = { game, counts: past.counts };
    }
    return this.past.counts;
  }

  /** @param {MatchStarted} started @param {unknown} heading @param {import("./guess_table.js").ShownTurn[]} turns */
  entry(started, heading, turns) {
    const { sentGuess, canGuess: isOpen } = this.play.moves;
    return html`
      <div class="stage">
        ${heading}
        <guess-table .turns=${turns} role="region" aria-label="Guesses" tabindex="0">
          ${sentGuess === null
            ? nothing
            : html`<p class="sent row" aria-hidden="true">${pegRow(sentGuess.code)} <span class="muted">waiting for the reply…</span></p>`}
          ${this.problem()}
        </guess-table>
        <code-entry .rules=${this.candidates?.rules} .excluded=${turns.length > 0 ? (this.candidates?.excluded ?? []) : []} ?disabled=${!isOpen}
          @guess=${(/** @type {CustomEvent<string>} */ event) => this.play.moves.guess(event.detail)}
          @drafted=${(/** @type {CustomEvent<(number | null)[]>} */ { detail }) => (this.isIdle = this.candidates?.isIdle(detail) ?? false)}
          ><p class="muted" aria-live="polite">${this.isIdle ? IDLE_RULE : turns.length === 0 ? PLAY_RULE : nothing}</p></code-entry>
      </div>
      <div class="more">
        ${started.rated ? nothing : html`<button ?disabled=${!isOpen || this.play.moves.isHinting} @click=${() => this.play.moves.requestHint()}>Hint</button>`}
        <button class="quiet" @click=${this.askToResign}>Give up…</button>
      </div>
      ${this.hint(isOpen)}
    `;
  }

  problem() {
    const { problem } = this.play;
    return problem === null ? nothing : html`<p class="failure" role="alert">${problem}</p>`;
  }

  /** @param {boolean} isOpen */
  hint(isOpen) {
    const { hint, isHinting } = this.play.moves;
    if (isHinting) return html`<p class="muted" role="status">The server is looking for a good guess…</p>`;
    if (hint === null) return nothing;
    return html`<p class="hint row" role="status">
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

  get dialog() {
    return /** @type {HTMLDialogElement} */ (this.renderRoot.querySelector("dialog"));
  }

  askToResign() {
    this.dialog.showModal();
  }

  /** @param {MatchState} match @param {MatchStarted} started */
  resignation({ game }, { games, codemaker, rated }) {
    const what = games === 1 ? "Give up" : `Give up game ${game}`;
    const shown = codemaker === "fixed" ? "The secret" : "A code that is still possible";
    const resign = (/** @type {number | undefined} */ given) => {
      this.dialog.close();
      void this.play.moves.resign(given);
    };
    return html`<dialog aria-labelledby="question">
      <h2 id="question">${what}?</h2>
      <p>${rated ? "A game that is given up counts as one guess more than the limit." : `${shown} is shown, and nothing counts.`}</p>
      <div>
        <button class="primary" @click=${() => this.dialog.close()}>Keep playing</button>
        <button @click=${() => resign(game)}>${what}</button>
        ${games === 1 ? nothing : html`<button @click=${() => resign(undefined)}>Give up the whole match</button>`}
      </div>
    </dialog>`;
  }
}

/**
 * Return what a screen reader says about the state of a match.
 * @param {MatchState} match
 * @param {boolean} beginsAtOnce true if no game of the match waits for the player
 * @param {readonly number[]} counts the codes left after each turn, as far as the browser has counted them
 */
function spokenWords(match, beginsAtOnce, counts) {
  if (match.phase === "over") return `The match is over. ${match.games.map(gameWords).join(". ")}.`;
  if (match.phase === "ready" && !beginsAtOnce) {
    return `Game ${match.game} is waiting for you. Start it within ${duration(Math.round(match.readyByMs / 1000) * 1000)}.`;
  }
  const turn = match.current?.turns.at(-1);
  if (turn === undefined) return match.phase === "turn" ? "The game has started. Your guess." : "";
  const left = turn.candidates ?? counts[turn.turn - 1];
  const reply = `Guess ${turn.code.split("").join(" ")}: ${feedbackName(turn)}.`;
  if (left === undefined) return reply;
  return `${reply} ${count(left, "code")} left.${toldNothing(match, turn, counts) ? ` ${TOLD_NOTHING}` : ""}`;
}

customElements.define("server-board", ServerBoard);
