/**
 * A ladder of the server, played in the browser: what it is, who plays, and the match.
 *
 * The view holds the connection while it is shown. A match that is left open goes on without it, and is come back to
 * by the same address; so is one that a reload, a cut or a restart of the server has interrupted.
 */

import { css, html, nothing } from "../vendor/lit.js";
import { ApiError, getJson, isPublished } from "../api.js";
import { clockWords, codemakerWords, isForBots, ladderTitle, ratedWords, rulesWords } from "../game/ladder_words.js";
import { randomBytes } from "../core/random.js";
import { toHex } from "../core/sha256.js";
import { isGuest } from "../game/players.js";
import { TIMERS } from "../game/connection.js";
import { ServerPlay } from "../game/server_play.js";
import { browserStorage } from "../game/storage.js";
import "../components/connection_status.js";
import "../components/player_panel.js";
import "../components/server_board.js";
import { shared } from "../components/shared_style.js";
import { formatNumber, noun } from "../components/words.js";
import { LoadingView } from "./loading_view.js";

/** @import { LadderDocument } from "../game/ladder_words.js" */

export default class ServerPlayView extends LoadingView {
  static properties = { kind: {}, ladder: { state: true }, play: { state: true }, change: { state: true } };

  static styles = [
    shared,
    css`
      .lobby {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr));
        align-items: start;
        gap: 1.25rem;
      }
      .what,
      .who {
        display: grid;
        gap: 0.7rem;
      }
      .facts {
        display: grid;
        gap: 0.35rem;
        margin: 0;
        padding-left: 1.1rem;
      }
      .large {
        justify-self: start;
        min-height: 3.2rem;
        padding: 0.6rem 2.2rem;
        font-size: 1.15rem;
      }
      .who,
      .problem { margin-top: 1.25rem; }
      .lobby .who { margin-top: 0; }
      @media (max-width: 50rem) {
        .intro .terms {
          display: none; /* the lobby has said it, and the board needs the height */
        }
      }
    `,
  ];

  constructor() {
    super();
    /** Whom a new name is claimed for; a bot has its heading and its button elsewhere. @type {"human" | "bot"} */
    this.kind = "human";
    /** @type {LadderDocument | null} */
    this.ladder = null;
    /** @type {ServerPlay | null} */
    this.play = null;
    this.isRound = false;
    this.change = 0;
  }

  connectedCallback() {
    super.connectedCallback();
    addEventListener("online", () => this.play?.connection.wake(), { signal: this.leaving.signal });
  }

  disconnectedCallback() {
    this.play?.close();
    super.disconnectedCallback();
  }

  /** Load what the server says about the ladder, and connect. @param {AbortSignal} signal */
  async load(signal) {
    const [{ ladders }, { rounds }, { url, subprotocol }] = await Promise.all([
      getJson("api/v1/ladders", signal),
      getJson("api/v1/rounds", signal),
      getJson("api/v1/game", signal),
    ]);
    const terms = rounds.find((/** @type {{id: string}} */ each) => each.id === this.params.ladder)?.ladder;
    this.isRound = terms !== undefined;
    const ladder = ladders.find((/** @type {LadderDocument} */ each) =>
      this.isRound ? each.rules === terms.rules && each.codemaker === terms.codemaker : each.id === this.params.ladder);
    this.ladder = ladder === undefined ? null : { ...ladder, ...terms };
    if (this.ladder === null) this.failure = "This server has no such game. Choose another one.";
    else if (isPublished) this.failure = "Nobody can play against the server here: this site shows what was played. The games under Play work.";
    else if (url === null) this.failure = "This server does not say where its games are played.";
    else if (this.ladder.offered) this.connect(url, subprotocol);
  }

  /** @param {string} url @param {string} subprotocol */
  connect(url, subprotocol) {
    this.play = new ServerPlay({
      server: url,
      ladder: this.params.ladder,
      kind: this.kind,
      storage: browserStorage(),
      openSocket: () => /** @type {any} */ (new WebSocket(url, subprotocol)),
      timers: TIMERS,
      random: Math.random,
      newNonce: () => toHex(randomBytes(16)),
      onChange: () => {
        this.change += 1;
        this.dispatchEvent(new CustomEvent("played"));
      },
    });
    this.play.start();
  }

  render() {
    const { play, ladder } = this;
    const hasMatch = play?.match != null;
    const title = ladder === null || this.isRound ? this.params.ladder : ladderTitle(ladder);
    return html`
      <div class="intro ${hasMatch ? "played" : ""}">
        ${this.kind === "bot" ? html`<h2>${title}</h2>` : html`<h1>${title}</h1>`}
        ${this.isRound ? html`<p><a href="#/round/${this.params.ladder}">The round</a></p>` : nothing}
        ${ladder === null || hasMatch ? nothing : html`<p>${codemakerWords(ladder.codemaker).words}</p>`}
        ${hasMatch ? html`<p class="terms">${this.subtitle()}</p>` : nothing}
      </div>
      ${this.failure ? html`${this.problem()}<p><a href="#/ladders">Other games</a></p>` : nothing}
      ${play === null ? this.withoutPlay() : this.withPlay(play)}
    `;
  }

  subtitle() {
    const { ladder, play } = this;
    const name = play?.welcome?.player ?? "";
    const who = name && `You play as ${isGuest(name) ? "a guest" : name}.`;
    return ladder === null ? "" : `${rulesWords(ladder.rules)}. ${clockWords(ladder.clock)} ${who}`;
  }

  withoutPlay() {
    if (this.failure || this.ladder === null) return this.loading();
    if (this.ladder.offered) return nothing;
    return html`<p><strong>Not offered here.</strong> It is too large for this server, or was removed. <a href="#/ladders">Other games</a></p>`;
  }

  /** @param {ServerPlay} play */
  withPlay(play) {
    const isOver = play.match?.phase === "over";
    return html`
      <connection-status .play=${play} .change=${this.change}></connection-status>
      ${play.match === null
        ? this.lobby(play)
        : html`<server-board .style=${"--above: 10.4rem"} .play=${play} ?isRound=${this.isRound} .change=${this.change}></server-board>
            ${isOver ? html`<section class="card who" aria-label="Player">${this.panel(play, false)}</section>` : nothing}`}
    `;
  }

  /** @param {ServerPlay} play */
  lobby(play) {
    const ladder = /** @type {LadderDocument} */ (this.ladder);
    const needsName = ladder.rated && !isNamed(play);
    const isTooFast = this.kind === "human" && isForBots(ladder);
    return html`<div class="lobby">
      <section class="card what" aria-label="The game">
        <ul class="facts">
          <li>${rulesWords(ladder.rules)}: ${formatNumber(ladder.codes)} ${noun(ladder.codes, "code")}, at most ${ladder.guess_limit} guesses</li>
          <li>${clockWords(ladder.clock)}</li>
          <li>${this.isRound ? `${ladder.games} games in one match. You enter once.` : ratedWords(ladder)}</li>
        </ul>
        ${needsName
          ? html`<p><strong>Rated games are played under a name.</strong> Choose yours, and the match can start.</p>`
          : this.kind === "bot" ? nothing : html`<button class=${isTooFast ? "" : "primary large"} ?disabled=${play.isBeginning} @click=${() => play.play()}>
              ${play.isBeginning ? "Starting…" : "Start the match"}
            </button>`}
        ${isTooFast ? html`<p>This game is too fast for people. <a href="#/bots">Start a bot</a></p>` : nothing}
        ${ladder.clock === null || needsName ? nothing : html`<p class="muted">${ladder.games === 1 ? "Your clock starts when you press the button." : "No clock runs yet. You start each game yourself."}</p>`}
        ${play.strangeMatches.map((match) => this.strangeMatch(play, match))}
      </section>
      <section class="card who" aria-label="Player">${this.panel(play, needsName)}</section>
    </div>`;
  }

  /** @param {ServerPlay} play @param {string} match */
  strangeMatch(play, match) {
    const ladder = play.welcome?.open.find((each) => each.match === match)?.ladder;
    const place = ladder == null ? "this server" : ladder === this.params.ladder ? "this ladder" : ladder;
    return html`<p>You have an open match on ${place}. <button @click=${() => this.openStrange(play, match)}>Continue it</button></p>`;
  }

  /** Come back to an open match that this browser has not begun, on the ladder that it belongs to. @param {ServerPlay} play @param {string} match */
  async openStrange(play, match) {
    try {
      // the site does not show the matches of a sealed round
      const known = play.welcome?.open.find((each) => each.match === match)?.ladder;
      const ladder = known ?? (await getJson(`api/v1/matches/${encodeURIComponent(match)}`, this.leaving.signal)).ladder;
      play.adopt(ladder, match);
      if (ladder !== this.params.ladder) location.hash = `#/server/${encodeURIComponent(ladder)}`;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.failure = error.message;
    }
  }

  /** @param {ServerPlay} play @param {boolean} isOpen */
  panel(play, isOpen) {
    return html`<player-panel .players=${play.players} .name=${play.welcome?.player ?? play.players.current ?? ""} .problem=${play.problem ?? ""} ?isOpen=${isOpen}
      @player=${(/** @type {CustomEvent<string | null>} */ event) => play.changePlayer(event.detail)}></player-panel>`;
  }
}

/** @param {ServerPlay} play */
function isNamed(play) {
  const name = play.welcome?.player ?? play.players.current;
  return name != null && !isGuest(name);
}
