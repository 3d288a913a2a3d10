/** Where somebody chooses a code for a friend: the link with it, as text and as a QR code, and the check of the friend's result. */

import { LitElement, css, html, nothing } from "../vendor/lit.js";
import "../components/code_entry.js";
import "../components/copy_text.js";
import { dataStyle } from "../components/data_style.js";
import { pegRow, pegStyle } from "../components/peg.js";
import { qrImage } from "../components/qr_image.js";
import "../components/rules_chooser.js";
import { shared } from "../components/shared_style.js";
import { count, rulesName, sentence } from "../components/words.js";
import { canEnumerate } from "../core/codes.js";
import { GameError, TooLargeError } from "../core/errors.js";
import { guessLimit } from "../core/local_game.js";
import { MAX_LIMIT, checkResult, findSecret, makeSecret, secretAddress } from "../core/own_secret.js";
import { countCodes, formatRules, parseRules } from "../core/rules.js";
import { onlyHereWords } from "../core/share.js";
import { browserStorage } from "../game/storage.js";

/** @typedef {import("../core/own_secret.js").OwnSecret} OwnSecret */

/** The addresses of the codes that were set here, newest first. */
const STORED = "evilpegs.set";
const MOST = 50;
const storage = browserStorage();

export default class SetView extends LitElement {
  static properties = { limit: { state: true }, secret: { state: true }, said: { state: true }, failure: { state: true }, wrong: { state: true } };

  static styles = [
    shared,
    dataStyle,
    pegStyle,
    css`
      section,
      details { max-width: 46rem; }
      code-entry { --width: min(100vw - 4.8rem, 43.4rem); }
      input { width: 5rem; }
      .link,
      .check {
        display: grid;
        gap: 0.8rem;
      }
      svg {
        width: min(100%, 15rem);
        background: #ffffff;
        fill: #000000;
        forced-color-adjust: none;
      }
      .pegs { --peg: 1.5rem; }
      textarea {
        width: 100%;
        font: 0.95rem/1.4 var(--mono);
        resize: vertical;
      }
      details { margin-top: 1.4rem; }
      li { margin-top: 0.5rem; }
    `,
  ];

  constructor() {
    super();
    /** @type {Record<string, string>} */
    this.params = {};
    this.rules = parseRules("4x6");
    this.limit = 0;
    /** The code that was set last. @type {OwnSecret | null} */
    this.secret = null;
    /** What the check of a result says, and what is wrong with it. @type {unknown} */
    this.said = nothing;
    this.failure = "";
    /** What is wrong with the address. */
    this.wrong = "";
  }

  connectedCallback() {
    super.connectedCallback();
    try {
      this.rules = parseRules(this.params.rules ?? "4x6");
      if (!canEnumerate(this.rules)) throw new TooLargeError(`${formatRules(this.rules)} has ${count(countCodes(this.rules), "code")}, too many for a game in the browser`);
      this.limit = guessLimit(formatRules(this.rules));
    } catch (error) {
      this.wrong = messageOf(error);
    }
  }

  /** The codes that were set in this browser. @returns {OwnSecret[]} */
  get secrets() {
    const stored = storage.read(STORED);
    return (Array.isArray(stored) ? stored : []).flatMap((address) => {
      try {
        return findSecret(String(address)) ?? [];
      } catch {
        return [];
      }
    });
  }

  /** @param {CustomEvent<string>} event */
  set({ detail }) {
    this.secret = makeSecret(this.rules, this.limit, detail);
    storage.write(STORED, [this.secret, ...this.secrets].slice(0, MOST).map(secretAddress));
  }

  check() {
    const { value } = /** @type {HTMLTextAreaElement} */ (this.renderRoot.querySelector("textarea"));
    this.said = nothing;
    this.failure = "";
    try {
      const own = this.secrets;
      const pasted = findSecret(value);
      const { secret, game } = checkResult(value, pasted === null ? own : [...own, pasted]);
      const ending = game.over === "solved" ? "Solved in" : game.over ? "Not solved in" : "Given up after";
      const isOwn = own.some(({ commitment }) => commitment === secret.commitment);
      this.said = html`<p><strong>${ending} ${count(game.turns.length, "guess", "guesses")}${game.hinted ? ", with hints" : ""}; every reply is right.</strong></p>
        <p>The code was ${pegRow(secret.code)}, ${isOwn ? "which you set in this browser" : "by the link that you pasted; it was not set in this browser"}.</p>
        <p class="muted">No text can show when or by whom the guesses were made, nor whether somebody looked into the link.</p>`;
    } catch (error) {
      this.failure = messageOf(error);
    }
  }

  render() {
    const { rules, secret, secrets } = this;
    const name = rulesName(formatRules(rules));
    return html`
      <div class="intro">
        <h1>A code for a friend</h1>
        ${this.wrong ? html`<p class="failure" role="alert">${this.wrong}</p>` : html`<p>Choose a code, and send the link: your friend gets your code to find, and sends the result back.</p>`}
      </div>
      ${this.wrong ? nothing : html`<section class="card" aria-label="Your code">
        <h2>Your code: ${name}</h2>
        <div class="form"><label>Guesses at most<input type="number" min="1" max=${MAX_LIMIT} required .value=${String(this.limit)} @change=${this.setLimit} /></label></div>
        <code-entry label="Your code" word="Set this code" .rules=${rules} @guess=${this.set}></code-entry>
      </section>`}
      <p class="hidden" role="status">${secret === null ? "" : "The link is ready."}</p>
      ${secret === null ? nothing : this.link(secret)}
      <section class="card check" aria-labelledby="check">
        <h2 id="check">Check the result of your friend</h2>
        <label for="result">Paste the text that came back</label>
        <textarea id="result" rows="6" spellcheck="false"></textarea>
        <div class="buttons"><button @click=${this.check}>Check</button></div>
        <div role="status">${this.said}</div>
        ${this.failure ? html`<p class="failure" role="alert">${this.failure}</p>` : nothing}
      </section>
      ${secrets.length === 0 ? nothing : html`<details class="card">
        <summary>Codes that you set in this browser</summary>
        <ul class="plain">${secrets.map((each) => html`<li>${pegRow(each.code)} <a href=${secretAddress(each)}>${rulesName(formatRules(each.rules))}, ${count(each.limit, "guess", "guesses")}</a></li>`)}</ul>
      </details>`}
      <details class="card" ?open=${this.wrong !== ""}>
        <summary>Other rules</summary>
        <rules-chooser target="set" .pegs=${rules.pegs} .colors=${rules.colors} .repeats=${rules.repeats}></rules-chooser>
      </details>
    `;
  }

  /** Keep to whole numbers that a link can have. @param {Event} event */
  setLimit({ target }) {
    const field = /** @type {HTMLInputElement} */ (target);
    if (field.checkValidity()) this.limit = field.valueAsNumber;
    field.value = String(this.limit);
  }

  /** @param {OwnSecret} secret */
  link(secret) {
    const url = new URL(secretAddress(secret), location.href).href;
    const onlyHere = onlyHereWords(location.hostname);
    return html`<section class="card link" aria-label="Link">
      <p>The link to ${pegRow(secret.code)} with ${count(secret.limit, "guess", "guesses")}:</p>
      <copy-text .text=${url} label="Send this link to your friend" shares></copy-text>
      <p>${onlyHere || qrImage(url)}</p>
      <p class="muted">
        A glance at the link does not show your code. Whoever can program finds it there, so this is for fun. You cannot change the
        code later: the link commits to it.
      </p>
    </section>`;
  }
}

/** @param {unknown} error */
function messageOf(error) {
  if (!(error instanceof GameError)) throw error;
  return sentence(error.message);
}
