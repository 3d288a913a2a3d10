/**
 * The replay of a match of the server. The record is the source of what is shown; while the match is played, a stream
 * makes it longer, and once it is over, the server's analysis adds the best guesses and the regret. The address names the
 * game and the guess that are shown.
 */

import { html, nothing } from "../vendor/lit.js";
import { dataStyle } from "../components/data_style.js";
import "../components/match_replay.js";
import "../components/record_check.js";
import { momentWords } from "../components/result_words.js";
import { saveText } from "../components/save_text.js";
import { shared } from "../components/shared_style.js";
import { rulesName } from "../components/words.js";
import { GameError } from "../core/errors.js";
import { readRecord } from "../core/record_file.js";
import { Follower, askUntilAnswer } from "../follow.js";
import { codemakerWords } from "../game/ladder_words.js";
import { atPosition } from "../replay/position.js";
import { readReplay } from "../replay/timeline.js";
import { findRoute } from "../routes.js";
import { MatchStream } from "../stream.js";
import { LoadingView } from "./loading_view.js";

/** @import { Position } from "../replay/position.js" */

const EVERY_MS = 1_500;

export default class ReplayView extends LoadingView {
  static properties = { text: { state: true }, analysis: { state: true }, note: { state: true }, isVerifying: { state: true } };

  static styles = [shared, dataStyle];

  constructor() {
    super();
    this.text = "";
    /** @type {readonly import("../core/verification/event_fields.js").RecordEvent[]} */
    this.events = [];
    /** @type {import("../replay/timeline.js").Replay | null} */
    this.replay = null;
    /** @type {any} */
    this.analysis = null;
    this.note = "";
    this.isVerifying = false;
    /** How far the clock of this browser is ahead of the server's, in milliseconds. */
    this.ahead = 0;
    /** Where the address says that the replay opens. @type {Position | null} */
    this.opensAt = null;
    /** Of the record, then of the stream, then of the analysis. @type {Follower | MatchStream | null} */
    this.follower = null;
  }

  connectedCallback() {
    const { query } = this;
    if (query.has("game") || query.has("guess")) this.opensAt = { game: Number(query.get("game") ?? 1) - 1, turn: Number(query.get("guess") ?? 1) };
    super.connectedCallback();
  }

  disconnectedCallback() {
    this.follower?.stop();
    super.disconnectedCallback();
  }

  get path() {
    return `api/v1/matches/${encodeURIComponent(this.params.match)}`;
  }

  /** @param {Follower | MatchStream} follower */
  start(follower) {
    this.follower?.stop();
    this.follower = follower;
    follower.start();
  }

  load() {
    const onText = (/** @type {string} */ text, /** @type {number} */ date) => {
      this.ahead = Number.isNaN(date) ? 0 : Date.now() - date;
      if (!this.take(text)) this.watch();
      return true;
    };
    this.start(new Follower({ path: `${this.path}/record`, everyMs: EVERY_MS, onText, onFailure: (error) => this.fail(error) }));
  }

  watch() {
    this.start(
      new MatchStream({
        path: `${this.path}/events`,
        text: this.text,
        seq: this.events.at(-1)?.seq,
        onText: (text) => this.take(text),
        onLost: (isLost) => (this.failure = isLost ? "The server does not answer. The page keeps trying to connect." : ""),
        onRefused: () => this.load(),
      }),
    );
  }

  /** Take the record so far. @param {string} text @returns {boolean} whether nothing is to be added */
  take(text) {
    try {
      this.events = readRecord(text);
      this.replay = readReplay(this.events);
    } catch (error) {
      if (!(error instanceof GameError)) throw error;
      this.failure = `The server’s record cannot be shown: ${error.message}.`;
      return true;
    }
    this.failure = "";
    this.text = text;
    if (this.replay.over) this.analyze();
    return this.replay.over;
  }

  analyze() {
    this.miss("");
    this.follower?.stop();
    this.follower = askUntilAnswer(`${this.path}/analysis`, (analysis) => (this.analysis = analysis), (failure) => this.miss(failure));
  }

  /** Say why there is no analysis. @param {string} failure no text while the server is busy with it */
  miss(failure) {
    this.note = failure ? `There are no best guesses and no regret: ${failure}` : "The server is computing the best guesses and the regret. They appear here when it is done.";
  }

  /** @param {import("../api.js").ApiError} error */
  fail(error) {
    this.failure = error.status === 404 ? "This server has no such match." : error.message;
    return error.status === 404;
  }

  /**
   * Write the position into the address without leaving the view. While a live match is followed, the address names no
   * position, so that it opens at the newest guess again.
   * @param {CustomEvent<Position & {isNewest: boolean}>} event
   */
  remember(event) {
    // another view may be loading: a guess that arrives now must not take its address away
    const { route, params } = findRoute(location.hash);
    if (route.tag !== this.localName || params.match !== this.params.match) return;
    const isLive = event.detail.isNewest && this.replay?.over === false;
    history.replaceState(null, "", atPosition(location.hash, isLive ? undefined : event.detail));
  }

  render() {
    const { replay } = this;
    return html`
      <div class="intro">
        <h1>${replay === null ? "Replay" : html`${replay.player} against ${codemakerWords(replay.codemaker).title.toLowerCase()}`}</h1>
        ${replay === null ? nothing : this.subtitle(replay)}
      </div>
      ${this.failure ? html`${this.problem()}<p><a href="#/matches">All matches</a></p>` : nothing}
      ${replay === null
        ? this.failure
          ? nothing
          : html`<p class="muted" role="status">Loading…</p>`
        : html`<match-replay .replay=${replay} .opensAt=${this.opensAt} .analysis=${this.analysis} .ahead=${this.ahead} note=${this.note} @moved=${this.remember}></match-replay>
            ${this.record(replay)}`}
    `;
  }

  /** @param {import("../replay/timeline.js").Replay} replay @returns {unknown} */
  subtitle(replay) {
    return html`<p>
      ${replay.over ? nothing : html`<span class="live">live</span> · `}${rulesName(replay.rulesText)} on ${replay.ladder}, started
      ${momentWords(replay.at)}, played by ${replay.client} (self-reported). <a href="#/player/${encodeURIComponent(replay.player)}">${replay.player}</a>
    </p>`;
  }

  /** @param {import("../replay/timeline.js").Replay} replay */
  record(replay) {
    return html`<section class="card" aria-labelledby="record">
      <h2 id="record">The record</h2>
      ${this.isVerifying
        ? html`<record-check .events=${this.events}></record-check>`
        : html`<p>It holds every event of the match with its hash. Your browser can check it without trusting the server.</p>`}
      <div class="links">
        ${this.isVerifying ? nothing : html`<button class="primary" @click=${() => (this.isVerifying = true)}>Verify in this page</button>`}
        <button @click=${() => saveText(`${replay.match}.jsonl`, this.text, "application/jsonl")}>Save the record</button>
        <a class="button" href="#/verify">Verify a file</a>
      </div>
    </section>`;
  }
}
