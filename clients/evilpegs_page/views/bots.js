/** Starting a bot: with evilpegs installed, or in twenty lines of Python or JavaScript with this server's address. */

import { css, html, nothing } from "../vendor/lit.js";
import { getChanged, getJson } from "../api.js";
import "../components/copy_text.js";
import { dataStyle } from "../components/data_style.js";
import { shared } from "../components/shared_style.js";
import { LoadingView } from "./loading_view.js";

/** The address that the texts of the bots have, and that this server's replaces. */
const WRITTEN = "ws://127.0.0.1:8765/v1";

export default class BotsView extends LoadingView {
  static properties = {
    ...LoadingView.properties,
    texts: { state: true },
    server: { state: true },
  };

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
    /** @type {{python: string, javascript: string} | null} */
    this.texts = null;
    this.server = "";
  }

  /** @param {AbortSignal} signal */
  async load(signal) {
    const [{ url }, python, javascript] = await Promise.all([
      getJson("api/v1/game", signal),
      getChanged(new URL("../bots/python.txt", import.meta.url).href, "", signal),
      getChanged(new URL("../bots/javascript.txt", import.meta.url).href, "", signal),
    ]);
    this.server = url ?? WRITTEN;
    this.texts = { python: this.filled(python?.text), javascript: this.filled(javascript?.text) };
  }

  /** @param {string | undefined} text @returns {string} the text with this server's address */
  filled(text) {
    return (text ?? "").trimEnd().replaceAll(WRITTEN, () => this.server);
  }

  render() {
    return html`
      <div class="intro">
        <h1>Start a bot</h1>
        <p>
          A bot connects by WebSocket and plays in JSON messages, one per frame. These twenty lines play a whole practice
          match on this server: they guess a random code that could be the secret. Copy them and make them better.
        </p>
      </div>
      ${this.failure ? html`<p class="failure" role="alert">${this.failure}</p>` : nothing}
      ${this.texts === null ? nothing : this.ways(this.texts)}
    `;
  }

  /** @param {{python: string, javascript: string}} texts */
  ways(texts) {
    return html`<div class="columns">
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
          <li><a href="#/protocol">The protocol</a> has every message and error on one page.</li>
          <li><a href="#/matches">Matches</a> replays what your bot did, and <a href="#/ladder">Leaders</a> ranks it.</li>
        </ul>
      </section>
    </div>`;
  }
}
