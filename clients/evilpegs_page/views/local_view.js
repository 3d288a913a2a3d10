/** What the views of games in the browser share: the stored game, the board, its link, and what comes after the end. */

import { LitElement, css, html, nothing } from "../vendor/lit.js";
import { GameError, UnreadableError } from "../core/errors.js";
import { LocalGame } from "../core/local_game.js";
import { withResult } from "../core/results.js";
import { formatRules } from "../core/rules.js";
import { newSeed } from "../core/seed.js";
import { gameAddress, linkSeed, onlyHereWords, replayAddress, shareText } from "../core/share.js";
import "../components/copy_text.js";
import "../components/local_board.js";
import "../components/rules_chooser.js";
import { shared } from "../components/shared_style.js";
import { isOfGame, loadGame, loadResults, saveGame, saveResults } from "../components/stored_game.js";
import { rulesName, sentence } from "../components/words.js";

export const viewStyle = css`
  @media (max-width: 50rem) {
    .intro { margin-bottom: 0.8rem; }
  }
  .other,
  local-board ~ .today { margin-top: 1.25rem; }
  .today a + a { margin-left: 0.8rem; }
  [slot] > .today { font-size: 0.88rem; }
  copy-text,
  game-advice + .buttons { margin-top: 0.8rem; }
  copy-text { display: block; }
  .days {
    display: grid;
    gap: 0.4rem;
    margin: 0.8rem 0;
    padding: 0;
    list-style: none;
  }
`;

export class LocalView extends LitElement {
  static properties = {
    params: { attribute: false },
    query: { attribute: false },
    game: { state: true },
    former: { state: true },
    hasFollowed: { state: true },
  };

  static styles = [shared, viewStyle];

  constructor() {
    super();
    /** @type {Record<string, string>} */
    this.params = {};
    this.query = new URLSearchParams();
    /** What is wrong with the address. @type {GameError | null} */
    this.failure = null;
    /** @type {LocalGame | null} */
    this.game = null;
    /** The unfinished game that another one replaced, until that one has a guess. @type {LocalGame | null} */
    this.former = null;
    /** Whether what is shown was played in another tab. */
    this.hasFollowed = false;
    /** The name under which the game is stored. */
    this.name = "";
    /** The date of a game of the day, else no text. */
    this.date = "";
    /** How many guesses the game has before the player makes one. */
    this.given = 0;
    /** Today's date, if `date` is not empty. */
    this.today = "";
    /** The seed of the link that was opened. @type {string | undefined} */
    this.seed = undefined;
  }

  connectedCallback() {
    super.connectedCallback();
    addEventListener("storage", this.followOtherTab);
    document.addEventListener("visibilitychange", this.followOtherTab);
  }

  disconnectedCallback() {
    removeEventListener("storage", this.followOtherTab);
    document.removeEventListener("visibilitychange", this.followOtherTab);
    super.disconnectedCallback();
  }

  /** Show what another tab has played in this game, so that a guess here cannot undo it. A tab that slept looks when it wakes. @param {Event} event */
  followOtherTab = (event) => {
    const board = /** @type {import("../components/local_board.js").LocalBoard | null} */ (this.renderRoot.querySelector("local-board"));
    if (this.game === null || board?.busy || (event instanceof StorageEvent && !isOfGame(event, this.name))) return;
    const stored = loadGame(this.name);
    if (stored === null || JSON.stringify(stored) === JSON.stringify(this.game)) return;
    if (stored.seed !== this.game.seed && this.game.over !== null) return; // its result stays in sight
    [this.game, this.former, this.hasFollowed] = [stored, loadGame(`${this.name}.former`), true];
  };

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (!changed.has("params")) return;
    try {
      this.read(linkSeed(this.query));
    } catch (error) {
      if (!(error instanceof GameError)) throw error;
      this.failure = error;
    }
  }

  /** Load the advice after a guess, so that the first view is small; a game goes on without it. */
  updated() {
    if (this.game?.turns.length) void import("../components/game_advice.js").catch(() => {});
  }

  /** Open the game of the address. @param {string | undefined} _seed */
  read(_seed) {}

  /**
   * Continue the stored game of these rules and this seed, or begin one.
   * @param {import("../core/rules.js").Rules} rules @param {"evil" | "fixed"} codemaker @param {string} [seed]
   */
  open(rules, codemaker, seed) {
    this.seed = seed;
    this.name = `${formatRules(rules)}-${codemaker}${seed ? `-${seed}` : ""}`;
    const stored = loadGame(this.name);
    this.game = stored && (seed === undefined || stored.seed === seed) ? stored : new LocalGame({ rules, codemaker, seed: seed ?? newSeed() });
    this.former = loadGame(`${this.name}.former`);
    this.store();
  }

  /** Begin a game with another seed. A link keeps its own game, and an open game of these rules goes on. */
  begin() {
    if (this.game === null) return;
    const { rules, codemaker, over } = this.game;
    this.former = this.seed === undefined && over === null ? this.game : null; // a link keeps its own game
    this.name = `${formatRules(rules)}-${codemaker}`;
    const stored = loadGame(this.name);
    const isOther = stored?.over === null && stored.seed !== this.game.seed; // of before a link, or of another tab
    this.game = isOther ? stored : new LocalGame({ rules, codemaker, seed: newSeed() });
    this.store();
    if (this.seed !== undefined) location.hash = `#/play/${this.name}`;
  }

  /** Play the same game from its first guess: equal guesses get equal replies. */
  repeat() {
    if (this.game === null) return;
    this.former = this.game.over === null ? this.game : null;
    this.game = LocalGame.fromJSON({ ...this.game.toJSON(), guesses: [], resigned: false, hints: false });
    this.store();
  }

  undo() {
    this.game = this.former;
    this.store();
  }

  store() {
    this.hasFollowed = false;
    if (this.game !== null) saveGame(this.name, this.game);
    saveGame(`${this.name}.former`, this.game?.turns.length === 0 ? this.former : null);
    if (this.game?.over) saveResults(withResult(loadResults(), this.game, this.date, this.today));
    this.requestUpdate();
  }

  render() {
    if (this.failure) return this.wayOn(this.failure);
    if (this.game === null) return nothing;
    const { game, game: { turns, over } } = this;
    const address = this.address();
    const link = address && new URL(address, location.href).href;
    const result = over && this.result(link);
    return html`
      ${this.notice()}
      <div class="intro ${turns.length > this.given ? "played" : ""}"><h1>${this.heading()}</h1></div>
      <p role="status">${this.hasFollowed ? "This game went on in another tab. What was played there is shown here." : nothing}</p>
      <local-board .game=${game} .given=${this.given} .style=${turns.length > this.given ? "--above: 10.4rem" : ""} @played=${this.store}>
        ${turns.length > this.given ? nothing : html`<div class="muted" slot="opening">${this.opening()}</div>`}
        ${over === null && !this.date && turns.length > 0 ? html`<game-advice slot="playing" .game=${game} .turns=${turns.length} @hinted=${this.store}></game-advice>` : nothing}
        ${over === null && (turns.length > 0 || this.former) ? this.again(turns.length === 0) : nothing}
        ${result
          ? html`<div slot="over">
              ${turns.length > this.given ? html`<game-advice .game=${game} .turns=${turns.length} .given=${this.given}></game-advice>` : nothing}
              <div class="buttons">
                ${this.next()} ${turns.length > 0 ? html`<a class="button" href=${replayAddress(game)}>Replay</a>` : nothing} <a class="button" href="#/results">Your results</a>
              </div>
              <copy-text .text=${result.text} label=${result.label} shares></copy-text>
            </div>`
          : nothing /* not only hidden: the row of the next game takes the focus from what is gone */}
      </local-board>
      ${link
        ? html`<details class="other card">
            <summary>Challenge a friend</summary>
            <copy-text .text=${link} label="This link opens the same game: equal guesses get equal replies" shares></copy-text>
            <p>${onlyHereWords(location.hostname)} <a href="#/set">Choose a code for a friend</a></p>
          </details>`
        : nothing}
      ${this.others()}
    `;
  }

  /** One button, so that it keeps the focus. @param {boolean} canUndo @returns {unknown} */
  again(canUndo) {
    const press = canUndo ? this.undo : this.seed ? this.repeat : this.begin;
    return html`<button class="quiet" slot="playing" @click=${press}>${canUndo ? "Undo: back to your game" : "Start again"}</button>`;
  }

  next() {
    return html`
      <button class="primary" @click=${this.begin}>New game</button>
      ${this.game?.seed ? html`<button @click=${this.repeat}>Same game again</button>` : nothing}
      <a class="button" href="#/daily">Game of the day</a>
    `;
  }

  others() {
    const { rules, codemaker, over } = /** @type {LocalGame} */ (this.game);
    return html`
      <details class="other card" ?open=${over !== null}>
        <summary>Other rules</summary>
        <rules-chooser
          .pegs=${rules.pegs}
          .colors=${rules.colors}
          .repeats=${rules.repeats}
          .codemaker=${codemaker}
        ></rules-chooser>
      </details>
    `;
  }

  /** The address that opens the same game; no text if none does. */
  address() {
    return gameAddress(/** @type {LocalGame} */ (this.game), this.date);
  }

  /** What is sent after the end. @param {string} link */
  result(link) {
    return { label: "Your result to share", text: `${shareText(/** @type {LocalGame} */ (this.game), this.date)}\n${link}`.trim() };
  }

  /** What is said above everything. @returns {unknown} */
  notice() {
    return nothing;
  }

  heading() {
    return describe(/** @type {LocalGame} */ (this.game));
  }

  /** What is shown until the first guess. @returns {unknown} */
  opening() {
    return nothing;
  }

  /** What a wrong address shows: what is wrong, and what can be played instead. @param {GameError} failure */
  wayOn(failure) {
    return html`
      <h1>${failure instanceof UnreadableError ? "This game" : "These rules"} cannot be played here</h1>
      <p class="intro">${sentence(failure.message)}</p>
      ${this.instead()}
    `;
  }

  instead() {
    return html`<rules-chooser></rules-chooser>`;
  }
}

/** @param {{ rules: import("../core/rules.js").Rules, codemaker: "evil" | "fixed" }} terms */
export function describe({ rules, codemaker }) {
  const name = rulesName(formatRules({ ...rules, repeats: true }));
  return `${rules.repeats ? name : `Bulls and cows (${name})`} against ${codemaker === "evil" ? "evil" : "a fixed secret"}`;
}
