/**
 * The editor of a bot in JavaScript, with its trials and its match. The code stays in this browser and in files that the
 * visitor saves; it runs in a worker without network.
 */

import { LitElement, css, html, nothing } from "../vendor/lit.js";
import { makeRules } from "../core/rules.js";
import { Bot, BotError } from "../game/bot.js";
import { LIMIT, playAll, playEvil } from "../game/bot_games.js";
import { TIMERS } from "../game/connection.js";
import { browserStorage } from "../game/storage.js";
import "./bot_match.js";
import { dataStyle } from "./data_style.js";
import "./guess_table.js";
import { saveText } from "./save_text.js";
import { shared } from "./shared_style.js";
import { count, formatNumber } from "./words.js";

const KEY = "evilpegs.bot";
const RULES = makeRules(4, 6);
const CODES = 1296;
const MOST_BYTES = 100_000;
const EXAMPLES = Object.freeze({ first: "First code left", random: "Any code left", minimax: "Smallest worst case" });

/** What `position` has, as the page documents it. */
const OFFERED = [
  ["rules", "pegs, colors, and repeats: false if no color occurs twice"],
  ["symbols", "one symbol per color, such as \"123456\""],
  ["turns", "the guesses so far, each with guess, black and white"],
  ["candidates", "the codes that are still possible, in order"],
  ["feedback(guess, secret)", "the reply to a guess: black and white"],
  ["partSizes(guess)", "how many candidates would give each reply: with [60, 4] one reply leaves 60 codes, another 4"],
];

export class BotEditor extends LitElement {
  static properties = {
    examples: { attribute: false },
    ...Object.fromEntries(["code", "example", "bot", "turns", "counts", "failure", "logs", "isServer"].map((name) => [name, { state: true }])),
  };

  static styles = [
    shared,
    dataStyle,
    css`
      .editor {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: 0.8rem;
      }
      textarea,
      pre {
        margin: 0;
        padding: 0.6rem 0.8rem;
        border: 1px solid var(--muted);
        border-radius: 0.7rem;
        background: var(--background);
        color: var(--ink);
        font: 0.95rem/1.4 var(--mono);
        white-space: pre;
        resize: vertical;
      }
      pre {
        max-height: 14rem;
        overflow: auto;
      }
      .lines {
        display: grid;
        grid-template-columns: auto minmax(0, 1fr);
      }
      .lines textarea { border-radius: 0 0.7rem 0.7rem 0; }
      .numbers {
        height: 0; /* as high as the field, however it is drawn out */
        min-height: 100%;
        max-height: none;
        box-sizing: border-box;
        padding-inline: 0.5rem;
        border-right: none;
        border-radius: 0.7rem 0 0 0.7rem;
        overflow: hidden;
        color: var(--muted);
        text-align: right;
        user-select: none;
      }
      .links,
      .form,
      dl,
      dd { margin: 0; }
      dt,
      dd { display: block; }
      details p { margin-bottom: 0.4rem; }
      input[type="file"] { width: 15rem; }
      dt { font: 650 0.95rem/1.5 var(--mono); }
      table,
      progress,
      guess-table {
        width: 100%;
        max-width: 34rem;
        accent-color: var(--accent);
        --peg: 1.6rem;
      }
      i {
        display: block;
        height: 1.1rem;
        background: var(--accent);
        forced-color-adjust: none;
      }
    `,
  ];

  constructor() {
    super();
    /** The code of each example. @type {Record<string, string>} */
    this.examples = {};
    this.example = "minimax";
    this.storage = browserStorage();
    this.code = "";
    /** The bot of the running trial. @type {Bot | null} */
    this.bot = null;
    /** @type {{code: string, black: number, white: number, left: number}[]} */
    this.turns = [];
    /** Secrets by guesses. @type {readonly number[] | null} */
    this.counts = null;
    /** Why the bot or a file could not be used. @type {Error | null} */
    this.failure = null;
    /** @type {string[]} */
    this.logs = [];
    this.isServer = false;
    /** True after Escape, so that Tab leaves the editor. */
    this.isLeaving = false;
  }

  connectedCallback() {
    super.connectedCallback();
    const kept = this.storage.read(KEY);
    this.code = typeof kept === "string" ? kept : this.examples[this.example];
  }

  disconnectedCallback() {
    this.bot?.close();
    super.disconnectedCallback();
  }

  /** @param {string} code */
  keep(code) {
    this.code = code;
    this.storage.write(KEY, code);
  }

  /** Replace the code, after asking if it is the visitor's own. @param {string} code */
  replace(code) {
    const isOwn = this.code.trim() !== "" && !Object.values(this.examples).includes(this.code);
    if (code !== this.code && (!isOwn || confirm("Throw away the code in the editor? Save it as a file first if you want to keep it."))) this.keep(code);
  }

  /** @param {Event} event */
  async open(event) {
    const input = /** @type {HTMLInputElement} */ (event.target);
    const [file] = input.files ?? [];
    if (file === undefined) return;
    if (file.size > MOST_BYTES) this.failure = new Error(`${file.name} is too large for a bot: ${formatNumber(file.size)} bytes.`);
    else this.replace(await file.text());
    input.value = ""; // so that the same file can be opened again
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const isTab = event.key === "Tab" && !event.shiftKey && !event.ctrlKey && !event.altKey && !event.metaKey;
    if (isTab && !this.isLeaving) {
      event.preventDefault();
      document.execCommand("insertText", false, "  "); // what setRangeText inserts cannot be undone
    }
    this.isLeaving = event.key === "Escape";
  }

  /** Put the cursor in a line and select it. @param {number} line */
  show(line) {
    const before = this.code.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    const field = /** @type {HTMLTextAreaElement} */ (this.renderRoot.querySelector("#code"));
    field.focus();
    field.setSelectionRange(before, before + (this.code.split("\n")[line - 1] ?? "").length);
  }

  /** @param {Event} event */
  scrollNumbers({ target }) {
    const numbers = /** @type {HTMLElement} */ (this.renderRoot.querySelector(".numbers"));
    numbers.scrollTop = /** @type {HTMLElement} */ (target).scrollTop;
  }

  /** Start a worker without code, and forget what the one before has shown. */
  makeBot() {
    this.failure = null;
    this.logs = [];
    this.turns = [];
    this.counts = null;
    const worker = new Worker(new URL("../bots/worker.js", import.meta.url));
    return new Bot({ worker, timers: TIMERS, onLog: (line) => (this.logs = [...this.logs, line]) });
  }

  /** @param {(bot: Bot) => Promise<void>} play */
  async run(play) {
    const bot = (this.bot = this.makeBot());
    try {
      await bot.load(this.code);
      await play(bot);
    } catch (error) {
      this.fail(error);
    }
    bot.close();
    this.bot = null;
  }

  /** @param {unknown} error */
  fail(error) {
    if (error instanceof BotError) this.failure = error;
    else throw error;
  }

  render() {
    const isRunning = this.bot !== null;
    return html`<div class="editor">
      <label for="code"><strong>Your bot</strong></label>
      <div class="lines">
        <pre class="numbers" aria-hidden="true">${this.code.split("\n").map((_, line) => `${line + 1}\n`)}\n</pre>
        <textarea id="code" rows="16" spellcheck="false" autocapitalize="none" autocomplete="off" aria-describedby="keys"
          .value=${this.code} @scroll=${this.scrollNumbers} @keydown=${this.press} @input=${(/** @type {Event} */ event) => this.keep(/** @type {HTMLTextAreaElement} */ (event.target).value)}></textarea>
      </div>
      <p id="keys" class="muted">
        Tab indents; press Escape, then Tab, to leave the editor.
        ${this.storage.isLasting ? "This browser keeps your code." : "This browser keeps nothing: save your code as a file before you leave."}
      </p>
      <div class="links">
        <button class="primary" ?disabled=${isRunning} @click=${() => this.run((bot) => playEvil(bot, RULES, (turns) => (this.turns = turns)))}>Play against evil</button>
        <button class="primary" ?disabled=${isRunning} @click=${() => this.run((bot) => playAll(bot, RULES, (counts) => (this.counts = counts), TIMERS.now))}>Try all ${formatNumber(CODES)} secrets</button>
        ${isRunning ? html`<button @click=${() => this.bot?.close()}>Stop</button>` : nothing}
      </div>
      ${this.problem()} ${this.evilGame(isRunning)} ${this.sweep(isRunning)} ${this.output()}
      <details @toggle=${(/** @type {Event} */ event) => (this.isServer ||= /** @type {HTMLDetailsElement} */ (event.target).open)}>
        <summary>A match on this server</summary>
        ${this.isServer
          ? html`<bot-match .newBot=${() => this.makeBot().load(this.code)} @failed=${(/** @type {CustomEvent} */ event) => this.fail(event.detail)}></bot-match>`
          : nothing}
      </details>
      <details open>
        <summary>What position offers</summary>
        <p><code>choose</code> returns a code, as text such as "1122", at once: it cannot be async or return a promise.</p>
        <dl>${OFFERED.map(([name, words]) => html`<dt>${name}</dt><dd>${words}</dd>`)}</dl>
      </details>
      ${this.files()}
    </div>`;
  }

  files() {
    return html`<div class="links form">
      <label>Example<select @change=${(/** @type {Event} */ event) => (this.example = /** @type {HTMLSelectElement} */ (event.target).value)}>
          ${Object.entries(EXAMPLES).map(([name, words]) => html`<option value=${name} ?selected=${name === this.example}>${words}</option>`)}
      </select></label>
      <button @click=${() => this.replace(this.examples[this.example])}>Reset to the example</button>
      <button @click=${() => saveText("bot.js", this.code, "text/javascript")}>Save as a file</button>
      <label>Open a file<input type="file" accept=".js,.txt,text/javascript,text/plain" @change=${this.open} /></label>
    </div>`;
  }

  problem() {
    const { failure } = this;
    if (failure === null) return nothing;
    const line = failure instanceof BotError ? failure.line : null;
    return html`<p class="failure" role="alert">
      ${failure.message} ${line === null ? nothing : html`<button @click=${() => this.show(line)}>Show line ${line}</button>`}
    </p>`;
  }

  /** @param {boolean} isRunning */
  evilGame(isRunning) {
    const { turns } = this;
    if (turns.length === 0) return nothing;
    const isOver = turns.at(-1)?.black === RULES.pegs;
    const isLost = turns.length === LIMIT && !isOver;
    return html`
      <guess-table .turns=${turns}></guess-table>
      <p role="status">${isOver ? `Evil gave in after ${count(turns.length, "guess", "guesses")}.` : isLost ? `Not solved in ${LIMIT} guesses.` : isRunning ? "Thinking…" : "Not finished."}</p>
    `;
  }

  /** @param {boolean} isRunning */
  sweep(isRunning) {
    const { counts } = this;
    if (counts === null) return nothing;
    const done = counts.reduce((sum, each) => sum + each, 0);
    const mean = counts.reduce((sum, each, guesses) => sum + each * guesses, 0) / done;
    const worst = counts.findLastIndex((each) => each > 0);
    const name = (/** @type {number} */ guesses) => (guesses > LIMIT ? "not solved" : String(guesses));
    const most = Math.max(...counts);
    return html`
      <progress aria-label="Secrets tried" max=${CODES} .value=${done}></progress>
      <p role="status">
        ${isRunning
          ? nothing
          : html`<strong>Mean ${mean.toFixed(3)}, worst ${name(worst)}</strong>, over ${count(done, "secret")}.
              ${worst > LIMIT ? `A secret that is not found counts as ${LIMIT + 1} guesses.` : nothing}`}
      </p>
      <table class="histogram">
        <caption class="hidden">Secrets by guesses</caption>
        <thead><tr><th scope="col">Guesses</th><th scope="col" class="right">Secrets</th></tr></thead>
        <tbody>
          ${counts.map((each, guesses) => (guesses === 0 || guesses > worst ? nothing : html`<tr>
            <th scope="row">${name(guesses)}</th>
            <td class="right">${formatNumber(each)}</td>
            <td width="60%"><i .style=${`width: ${(100 * each) / most}%`}></i></td>
          </tr>`))}
        </tbody>
      </table>
    `;
  }

  output() {
    if (this.logs.length === 0) return nothing;
    return html`<p id="log"><strong>console.log</strong></p><pre role="log" aria-labelledby="log" tabindex="0">${this.logs.join("\n")}</pre>`;
  }
}

customElements.define("bot-editor", BotEditor);
