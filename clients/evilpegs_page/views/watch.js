/**
 * The projector: how to join, the boards that are played on a ladder, in a round or on the whole server, and the first
 * rows of the standings. It fills the window, needs no hand, and keeps nothing that grows during a lesson.
 */

import { html, nothing } from "../vendor/lit.js";
import { ApiError, getChanged, getJson, isPublished } from "../api.js";
import { feedbackPegs, feedbackStyle } from "../components/feedback_pegs.js";
import { pegRow, pegStyle } from "../components/peg.js";
import { qrImage } from "../components/qr_image.js";
import { momentWords, progressWords, rankWords, readLeaderboard, scoreWords } from "../components/result_words.js";
import { count } from "../components/words.js";
import { onlyHereWords } from "../core/share.js";
import { Follower } from "../follow.js";
import { ladderTitle, outcomeWords } from "../game/ladder_words.js";
import { LiveMatches } from "../replay/live_matches.js";
import { LadderStream } from "../stream.js";
import { LoadingView } from "./loading_view.js";

/** @typedef {import("../components/result_words.js").Row} Row */

const style = await new CSSStyleSheet().replace(await (await fetch(new URL("watch.css", import.meta.url))).text());

const [TURN_MS, ASK_MS, DRAW_MS] = [10_000, 5_000, 200];
const MOST_ROWS = 8;

export default class WatchView extends LoadingView {
  static styles = [pegStyle, feedbackStyle, style];

  retryMs = ASK_MS;
  live = new LiveMatches();
  /** The ladder or the round of the address; undefined for the whole server. @type {any} */
  subject;
  isRound = false;
  /** The address of the view with the link to this one. */
  back = "#/ladder";
  /** @type {unknown} */
  code = nothing;
  /** The newest leaderboard or round. @type {any} */
  standings = null;
  /** How many rows of the standings are left out because the window is too low for them. */
  fewer = 0;
  hasBoards = false;
  isLost = false;
  /** False once the stream says that it begins in the middle. */
  isListed = true;
  isReading = false;
  hasBegun = false;
  /** @type {any} */
  timer = null;

  connectedCallback() {
    super.connectedCallback();
    const { signal } = this.leaving;
    const header = /** @type {HTMLElement} */ (document.querySelector("header"));
    const turns = setInterval(() => this.soon(() => this.live.next(this.layout.places)), TURN_MS);
    header.hidden = true;
    addEventListener("keydown", ({ key }) => key === "Escape" && (location.hash = this.back), { signal });
    addEventListener("resize", () => this.soon(() => (this.fewer = 0)), { signal });
    document.addEventListener("visibilitychange", () => this.stayAwake(signal), { signal });
    void this.stayAwake(signal);
    signal.addEventListener("abort", () => {
      header.hidden = false;
      clearInterval(turns);
      clearTimeout(this.timer);
    });
  }

  /** Keep the screen on. Browsers allow it with HTTPS only, perhaps not on battery, and end it when the page is hidden. @param {AbortSignal} signal */
  async stayAwake(signal) {
    const lock = document.hidden ? undefined : await navigator.wakeLock?.request("screen").catch(() => undefined);
    if (signal.aborted) void lock?.release();
    else signal.addEventListener("abort", () => lock?.release());
  }

  /** @param {AbortSignal} signal */
  async load(signal) {
    if (isPublished) throw new ApiError("Nothing is played here: the projector needs a server.", 404);
    const { ladder: id } = this.params;
    const [{ ladders }, { rounds }] = await Promise.all([getJson("api/v1/ladders", signal), getJson("api/v1/rounds", signal)]);
    const subject = (this.subject = [...rounds, ...ladders].find((each) => each.id === id));
    if (id !== undefined && subject === undefined) throw new ApiError("This server has no such ladder or round.");
    this.isRound = rounds.includes(subject);
    this.back = `#/${this.isRound ? "round" : "ladder"}${subject === undefined ? "" : `/${id}`}`;
    const rated = [subject ?? ladders].flat().find((each) => each.rated);
    const path = this.isRound ? `rounds/${id}` : rated && `ladders/${rated.id}/leaderboard`;
    const read = this.isRound ? JSON.parse : readLeaderboard;
    const onText = (/** @type {string} */ text) => this.soon(() => ([this.standings, this.fewer] = [read(text), 0]));
    if (path) this.attend(new Follower({ path: `api/v1/${path}`, everyMs: ASK_MS, onText, onFailure: () => {} }));
    this.code = this.way();
    this.connect();
  }

  connect(isLost = false) {
    this.isLost = isLost;
    this.attend(new LadderStream({
      path: `api/v1/${this.subject === undefined ? "" : `ladders/${this.subject.id}/`}events`,
      onEvent: (event) => this.soon(() => this.live.take(event)),
      onPlace: () => this.soon(() => (this.isListed = false)),
      onLost: (isLost) => this.soon(() => (this.isLost = isLost)),
      onRefused: () => this.connect(true),
    }));
  }

  /** Draw what changes in a moment: bots play faster than anybody reads. @param {() => void} change */
  soon(change) {
    change();
    this.timer ??= setTimeout(() => {
      this.timer = null;
      this.live.fill(this.layout.places);
      this.hasBegun ||= this.live.shown.length > 0;
      this.requestUpdate();
      void this.catchUp();
    }, DRAW_MS);
  }

  /** Ask for what was played before the stream began. */
  async catchUp() {
    const { live, subject } = this;
    const { signal } = this.leaving;
    if (this.isReading) return;
    this.isReading = true;
    try {
      if (!this.isListed) {
        const known = [...live.all.keys()];
        const of = subject === undefined ? "" : `&ladder=${subject.id}`;
        live.list((await getJson(`api/v1/live?limit=100${of}`, signal)).matches, known);
        this.isListed = true;
        live.fill(this.layout.places);
      }
      for (const { match } of live.shown.filter(({ isStale }) => isStale)) {
        const record = await getChanged(`api/v1/matches/${match}/record`, "", signal).catch(() => null);
        for (const line of record?.text.split("\n").filter(Boolean) ?? []) live.take(JSON.parse(line));
      }
    } catch {
      // the next drawing asks again, at the latest with the next turn
    }
    this.isReading = false;
    this.requestUpdate();
  }

  /** How many boards the window holds, and in which order. */
  get layout() {
    const { shown } = this.live;
    const pegs = Math.max(...shown.map((each) => each.pegs), 4);
    const most = innerWidth < innerHeight ? 1 : pegs > 6 ? 2 : 3;
    const rows = shown.length > most ? 2 : 1;
    return { places: 2 * most, pegs, rows, columns: Math.ceil(shown.length / rows) || 1, turns: rows === 1 && most > 1 ? 10 : 5 };
  }

  /** What stands in place of boards; no text if there are some to show. */
  get message() {
    const { state, sealed, opens } = (this.isRound && (this.standings ?? this.subject)) || {};
    if (this.failure) return this.failure;
    if (state === "over") return "The round is over.";
    if (state === "planned") return `The round opens ${momentWords(opens)}.`;
    if (sealed) return "This round is sealed: guesses and results show when it is over.";
    return this.live.shown.length > 0 ? "" : this.hasBegun ? "Waiting for the next match" : "Waiting for the first match";
  }

  willUpdate() {
    const hasBoards = this.message === "";
    if (hasBoards !== this.hasBoards) [this.hasBoards, this.fewer] = [hasBoards, 0];
  }

  /** Leave out a row if they do not fit, before anything is drawn. */
  updated() {
    const box = this.renderRoot.querySelector(".rest") ?? this.renderRoot.querySelector("aside");
    if (box === null || box.scrollHeight <= box.clientHeight + 1 || this.fewer >= MOST_ROWS) return;
    this.fewer += 1;
    this.requestUpdate();
  }

  render() {
    const { message } = this;
    const { columns, rows, pegs, turns } = this.layout;
    return html`${this.top()}
      <aside>${this.code} ${message ? nothing : this.table(MOST_ROWS - 2)}</aside>
      ${message
        ? html`<div class="rest"><p role="status">${message}</p>${this.table(MOST_ROWS)}</div>`
        : html`<div class="boards" .style=${`--columns: ${columns}; --rows: ${rows}; --pegs: ${pegs}; --turns: ${turns}`}>${this.live.shown.map((each) => this.board(each, turns))}</div>`}`;
  }

  top() {
    const { subject } = this;
    const address = `${location.host}${location.pathname}`.replace(/\/$/, "");
    const open = [...this.live.all.values()].filter((each) => !each.over).length;
    return html`<div class="top">
      <div>
        <p>To join, open</p>
        <p class="address" .style=${`--letters: ${address.length + 4}`}><small>${location.protocol}//</small>${address}</p>
      </div>
      <div>
        <h1>${subject === undefined ? "Live matches" : `${this.isRound ? "Round" : "Ladder"} ${subject.id}`}</h1>
        ${subject === undefined ? nothing : html`<p>${ladderTitle(subject.ladder ?? subject)}</p>`}
        <p>${open > 0 ? `${count(open, "open match", "open matches")} · ` : ""}<a href=${this.back}>Leave</a></p>
        <p role="status">${this.isLost ? html`<span class="lost">Disconnected. Trying to connect…</span>` : nothing}</p>
      </div>
    </div>`;
  }

  /** A QR code of the address with the ladder or the round, which is of no use where nobody else can open it. */
  way() {
    const { subject } = this;
    const onlyHere = onlyHereWords(location.hostname);
    if (onlyHere) return html`<p><strong>${onlyHere}</strong> Open the projector there.</p>`;
    const url = `${location.origin}${location.pathname}#/${subject === undefined ? "ladders" : `${this.isRound ? "round" : "server"}/${subject.id}`}`;
    return qrImage(url);
  }

  /** The first rows of the standings. @param {number} most */
  table(most) {
    const { standings } = this;
    const [caption, rows] = standings === null ? ["", []] : firstRows(standings);
    if (rows.length === 0) return nothing;
    const shown = Math.max(1, most - this.fewer);
    return html`<table>
        <caption>${caption}</caption>
        <tbody>${rows.slice(0, shown).map(([place, player, figure]) => html`<tr><td>${place}</td><th scope="row">${player}</th><td>${figure}</td></tr>`)}</tbody>
      </table>
      ${rows.length > shown ? html`<p>and ${rows.length - shown} more</p>` : nothing}`;
  }

  /** @param {import("../replay/live_matches.js").LiveMatch} match @param {number} most */
  board({ player, ladder, game, games, turns, outcome }, most) {
    const first = Math.max(0, turns.length - most);
    const ending = outcome && `${outcomeWords(outcome)}${outcome === "solved" ? ` in ${turns.length}` : ""}`;
    const facts = [ending, games > 1 && game > 0 ? `Game ${game} of ${games}` : "", this.subject === undefined ? ladder : ""];
    return html`<section aria-label="Match of ${player}">
      <h2>${player}</h2>
      <p>${facts.filter(Boolean).join(" · ")}</p>
      <ol>${turns.slice(first).map((turn, index) => html`<li><b>${first + index + 1}</b>${pegRow(turn.code)}${feedbackPegs(turn, turn.code.length)}</li>`)}</ol>
    </section>`;
  }
}

/** @param {any} standings a leaderboard or a round @returns {[string, unknown[][]]} what its figures are, and rows of place, player and figure */
function firstRows({ ladder, rows, state, entrants }) {
  const isOpen = rows?.every((/** @type {Row} */ row) => row.rank === null);
  if (rows) return [`Guesses per game on ${ladder}${isOpen ? ", no ranks yet" : ""}`, rows.map((/** @type {Row} */ row) => [rankWords(row), row.player, scoreWords(row)])];
  /** @type {import("./rounds.js").Entrant[]} */
  const shown = entrants.filter((/** @type {any} */ each) => each.player !== null && each.excluded === null);
  if (state === "over") return ["Guesses per game", shown.map(({ player, result }) => [result?.place, player, result?.mean?.toFixed(2) ?? "none"])];
  /** @param {import("./rounds.js").Entrant} entrant */
  const far = ({ progress, ended }) => ended ?? ["not_started", "playing", "finished"].indexOf(progress);
  shown.sort((one, other) => far(other) - far(one));
  const figures = shown.map((each) => ["", each.player, progressWords(each, ladder.games)]);
  if (shown.some(({ ended }) => ended === null)) return [`${shown.filter(({ progress }) => progress === "finished").length} of ${count(shown.length, "player")} finished`, figures];
  const played = shown.reduce((sum, each) => sum + (each.ended ?? 0), 0);
  return [`${played} of ${shown.length * ladder.games} games played`, figures];
}
