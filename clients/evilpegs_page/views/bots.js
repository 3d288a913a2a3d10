/**
 * Bots: written and played in this page, or started elsewhere, with evilpegs installed or in twenty lines of Python or
 * JavaScript with this server's address.
 */

import { css, html, nothing } from "../vendor/lit.js";
import { ApiError, getChanged, getJson, isPublished } from "../api.js";
import "../components/bot_editor.js";
import "../components/copy_text.js";
import { dataStyle } from "../components/data_style.js";
import { shared } from "../components/shared_style.js";
import { LoadingView } from "./loading_view.js";

const NAMES = ["python", "javascript", "first", "random", "minimax"];
/** The address that the texts of the bots have, and that this server's replaces. */
const WRITTEN = "ws://127.0.0.1:8765/v1";

export default class BotsView extends LoadingView {
  static properties = { texts: { state: true }, server: { state: true } };

  static styles = [
    shared,
    dataStyle,
    css`
      .columns {
        display: grid;
        gap: 1.25rem;
      }
      section {
        min-width: 0;
        margin: 0;
      }
      ul {
        display: grid;
        gap: 0.4rem;
        margin: 0;
        padding-left: 1.2rem;
      }
    `,
  ];

  constructor() {
    super();
    /** The texts of the folder `bots` by name. @type {Record<string, string> | null} */
    this.texts = null;
    this.server = "";
  }

  /** @param {AbortSignal} signal */
  async load(signal) {
    // where no header keeps the worker from the network, it may not run what others wrote
    if (isPublished) throw new ApiError("Bots need a server: this site shows what was played.", 404);
    const [{ url }, ...texts] = await Promise.all([
      getJson("api/v1/game", signal),
      ...NAMES.map((name) => getChanged(new URL(`../bots/${name}.txt`, import.meta.url).href, "", signal)),
    ]);
    this.server = url ?? WRITTEN;
    const filled = texts.map((each) => each?.text.trimEnd().replaceAll(WRITTEN, () => this.server) ?? "");
    this.texts = Object.fromEntries(NAMES.map((name, index) => [name, filled[index]]));
  }

  render() {
    return html`
      <div class="intro">
        <h1>Write a bot</h1>
        <p>
          A bot is one function: <code>choose(position)</code> returns the next guess. Write it here; nothing needs to be
          installed. It runs in this browser, without access to the network.
        </p>
      </div>
      ${this.problem()}
      ${this.texts === null ? nothing : this.ways(this.texts)}
    `;
  }

  /** @param {Record<string, string>} texts */
  ways(texts) {
    return html`<div class="columns">
      <section class="card" aria-label="Editor"><bot-editor .examples=${texts}></bot-editor></section>
      <div class="intro">
        <h2>On your own computer</h2>
        <p>
          A bot connects by WebSocket and plays in JSON messages, one per frame. These twenty lines play a whole practice
          match on this server: they guess a random code that could be the secret. Copy them and make them better.
        </p>
      </div>
      <section class="card"><copy-text code id="python" label="Python 3.10 or later, with websockets" .text=${texts.python}></copy-text></section>
      <section class="card">
        <copy-text code id="javascript" label="JavaScript, for node 22 or the console of a browser on this page" .text=${texts.javascript}></copy-text>
      </section>
      <section class="card">
        <copy-text code label="With evilpegs installed: a bot with a clock and a name, on the leaderboard" .text=${`evilpegs bot minimax --server ${this.server} --ladder classic`}></copy-text>
        <copy-text code label="Your own strategy in a file, with comments to start from" .text=${`evilpegs bot --new mybot.py\nevilpegs bot mybot.py --server ${this.server} --ladder classic`}></copy-text>
      </section>
      <section class="card empty" aria-labelledby="next">
        <h2 id="next">And then</h2>
        <ul>
          <li>Practice needs no name. For a rated ladder, send <code>name</code> and <code>kind</code> in <code>hello</code>, keep the <code>token</code> that <code>welcome</code> carries, and send it the next time.</li>
          <li>Where no color occurs twice (<code>repeats</code> is false in <code>match_started</code>), leave out the other codes.</li>
          <li>A whole bot in one file, with a name, a clock and checks: <a href="./bot.py" download>bot.py</a> or <a href="./bot.js" download>bot.js</a>, which have the address of this server in them.</li>
          <li><a href="#/docs/protocol">The protocol</a> has every message and error on one page.</li>
          <li><a href="#/matches">Matches</a> replays what your bot did, and the <a href="#/ladder">leaderboard</a> ranks it.</li>
        </ul>
      </section>
    </div>`;
  }
}
