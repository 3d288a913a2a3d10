/** A match of the visitor's bot on this server, in the view in which people play: it connects, and the bot chooses. */

import { html, nothing } from "../vendor/lit.js";
import { getJson } from "../api.js";
import { countCodes, parseRules } from "../core/rules.js";
import { BotError } from "../game/bot.js";
import { BotMatch, MOST_CODES } from "../game/bot_games.js";
import { ladderTitle } from "../game/ladder_words.js";
import { Players } from "../game/players.js";
import { browserStorage } from "../game/storage.js";
import { LoadingView } from "../views/loading_view.js";
import ServerPlayView from "../views/server_play.js";
import { dataStyle } from "./data_style.js";
import { shared } from "./shared_style.js";

/** @typedef {import("../game/ladder_words.js").LadderDocument & {isRound?: boolean}} LadderDocument */
/** @typedef {import("../views/rounds.js").Round} Round */

if (!customElements.get("server-play-view")) customElements.define("server-play-view", ServerPlayView);

export class BotMatchPanel extends LoadingView {
  static properties = { newBot: { attribute: false }, ladders: { state: true }, ladder: { state: true }, driver: { state: true }, change: { state: true } };

  static styles = [shared, dataStyle];

  constructor() {
    super();
    /** Starts a bot with the code of the editor. @type {() => Promise<import("../game/bot.js").Bot>} */
    this.newBot;
    /** @type {LadderDocument[]} */
    this.ladders = [];
    this.ladder = "";
    this.change = 0;
    /** What plays the match; null while nothing does. @type {BotMatch | null} */
    this.driver = null;
    this.isLoading = false;
  }

  disconnectedCallback() {
    this.halt();
    super.disconnectedCallback();
  }

  /** @param {AbortSignal} signal */
  async load(signal) {
    /** @type {{ladders: LadderDocument[]}} */
    const { ladders } = await getJson("api/v1/ladders", signal);
    const offered = [...ladders.filter((each) => each.offered), ...(await this.rounds(signal))];
    const fitting = offered.filter((each) => each.kind !== "human" && each.codes <= MOST_CODES);
    this.ladders = fitting.sort((one, other) => Number(one.rated) - Number(other.rated));
    if (fitting.length === 0) this.failure = "This server offers no game for a bot in the browser.";
    else this.ladder = fitting[0].id;
  }

  /** Return the open rounds that a name of this browser may still play. @param {AbortSignal} signal @returns {Promise<LadderDocument[]>} */
  async rounds(signal) {
    const [{ rounds }, { url }] = await Promise.all([getJson("api/v1/rounds", signal), getJson("api/v1/game", signal)]);
    const { names } = new Players(browserStorage(), url ?? "");
    const open = rounds.filter((/** @type {Round} */ { state }) => names.length > 0 && state === "open");
    /** @type {Round[]} */
    const found = await Promise.all(open.map((/** @type {Round} */ { id }) => getJson(`api/v1/rounds/${id}`, signal)));
    return found.flatMap(({ id, ladder, entrants }) => {
      const own = entrants.filter(({ player, excluded }) => names.includes(player ?? "") && excluded === null);
      const codes = Number(countCodes(parseRules(ladder.rules)));
      return own.some(({ progress }) => progress !== "finished") ? [{ ...ladder, id, codes, isRound: true }] : [];
    });
  }

  get play() {
    return /** @type {ServerPlayView | null} */ (this.renderRoot.querySelector("server-play-view"))?.play ?? null;
  }

  /** Let the bot, with the code as it is now, play the open match, or a new one. */
  async begin() {
    if (this.isLoading) return;
    this.isLoading = true;
    const { play } = this;
    const bot = await this.newBot().catch((error) => this.fail(error));
    this.isLoading = false;
    if (!bot || play === null) return;
    this.halt();
    this.driver = new BotMatch(play, bot);
    if (play.match === null || play.match.phase === "over") void play.play();
    await this.follow();
  }

  async follow() {
    const { driver } = this;
    this.change += 1;
    if (driver === null && this.play?.isBeginning) void this.begin(); // the view's own buttons start the bot, too
    if (this.play?.match?.phase === "over") this.halt();
    try {
      await driver?.follow();
    } catch (error) {
      if (driver !== this.driver && error instanceof BotError) return;
      this.halt();
      this.fail(error);
    }
  }

  /** Let the editor say why the bot cannot go on. @param {unknown} error */
  fail(error) {
    this.dispatchEvent(new CustomEvent("failed", { detail: error }));
  }

  /** End the bot. The match stays open. */
  halt() {
    this.driver?.bot.close();
    this.driver = null;
  }

  /** @param {Event} event */
  async choose({ target }) {
    this.halt();
    this.ladder = ""; // so that another view is made for the other ladder
    await this.updateComplete;
    this.ladder = /** @type {HTMLSelectElement} */ (target).value;
  }

  render() {
    if (this.failure) return this.problem();
    const { play } = this;
    const phase = play?.match?.phase;
    return html`
      <div class="form">
        <label>Game<select @change=${this.choose}>
          ${this.ladders.map((each) => html`<option value=${each.id}>${each.isRound ? `Round ${each.id}` : ladderTitle(each)}</option>`)}
        </select></label>
        ${this.driver === null
          ? phase === "over" ? nothing : html`<button class="primary" ?disabled=${play?.welcome == null} @click=${this.begin}>Let the bot ${phase === undefined ? "play" : "go on"}</button>`
          : html`<button @click=${this.halt}>Stop the bot</button><span role="status">The bot plays. Keep this page open.</span>`}
      </div>
      ${play?.welcome?.kind === "human" ? html`<p><strong>Leaderboards list ${play.welcome.player} as a person.</strong> Take a new name for your bot.</p>` : nothing}
      ${this.ladders
        .filter((each) => each.id === this.ladder)
        .map((each) => html`<server-play-view kind="bot" .params=${{ ladder: each.id }} @played=${this.follow}></server-play-view>`)}
    `;
  }
}

customElements.define("bot-match", BotMatchPanel);
