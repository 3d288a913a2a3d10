/** A choice of rules and codemaker for a game in the browser, and of the server's ladders for larger rules. */

import { LitElement, css, html, nothing } from "../vendor/lit.js";
import { canEnumerate } from "../core/codes.js";
import { countCodes, formatRules, makeRules } from "../core/rules.js";
import { shared } from "./shared_style.js";
import { count, rulesName } from "./words.js";

const MAX_PEGS = 12;
const MAX_COLORS = 14;

export class RulesChooser extends LitElement {
  static properties = {
    pegs: { type: Number },
    colors: { type: Number },
    repeats: { type: Boolean },
    codemaker: {},
    target: {},
  };

  static styles = [
    shared,
    css`
      form {
        align-items: end;
        gap: 0.8rem 1.1rem;
        margin-top: 0.8rem;
      }
      label {
        display: grid;
        gap: 0.2rem;
        color: var(--muted);
        font-size: 0.85rem;
        font-weight: 600;
      }
      .check {
        display: flex;
        align-items: center;
        gap: 0.5rem;
        min-height: 2.75rem;
        color: var(--ink);
        font-size: 1rem;
      }
      input {
        width: 1.15rem;
        height: 1.15rem;
        accent-color: var(--accent);
      }
      p { flex-basis: 100%; }
    `,
  ];

  constructor() {
    super();
    this.pegs = 4;
    this.colors = 6;
    this.repeats = true;
    this.codemaker = "evil";
    /** The view that is opened with the rules: `play`, or `assist`, which needs no codemaker. */
    this.target = "play";
  }

  get rules() {
    return makeRules(this.pegs, this.repeats ? this.colors : Math.max(this.colors, this.pegs), this.repeats);
  }

  render() {
    const { rules } = this;
    const codes = count(countCodes(rules), "code");
    const isPlay = this.target === "play";
    const address = `#/${this.target}/${formatRules(rules)}${isPlay ? `-${this.codemaker}` : ""}`;
    return html`<form class="row" aria-label="Rules" @submit=${(/** @type {Event} */ event) => event.preventDefault()}>
      ${this.select("Pegs", "pegs", 2, MAX_PEGS)} ${this.select("Colors", "colors", 2, MAX_COLORS)}
      ${isPlay
        ? html`<label
            >Against
            <select @change=${(/** @type {Event} */ event) => (this.codemaker = value(event))}>
              <option value="evil" ?selected=${this.codemaker === "evil"}>Evil: no secret</option>
              <option value="fixed" ?selected=${this.codemaker === "fixed"}>Fixed: a random secret</option>
            </select>
          </label>`
        : nothing}
      <label class="check"><input type="checkbox" .checked=${this.repeats} @change=${() => (this.repeats = !this.repeats)} />Colors may repeat</label>
      ${canEnumerate(rules)
        ? html`<a class="button primary" href=${address}>${isPlay ? "Play" : "Use"} ${rulesName(formatRules(rules))}</a>
            <p class="muted">${codes}.</p>`
        : html`<p>${codes} are too many here. ${isPlay ? html`<a href="#/ladders">The server has larger games.</a>` : nothing}</p>`}
    </form>`;
  }

  /** @param {string} label @param {"pegs" | "colors"} name @param {number} first @param {number} last */
  select(label, name, first, last) {
    const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
    const current = this.rules[name];
    return html`<label>${label}
      <select @change=${(/** @type {Event} */ event) => (this[name] = Number(value(event)))}>
        ${numbers.map((each) => html`<option value=${each} ?selected=${each === current}>${each}</option>`)}
      </select>
    </label>`;
  }
}

/** @param {Event} event */
function value(event) {
  return /** @type {HTMLSelectElement} */ (event.target).value;
}

customElements.define("rules-chooser", RulesChooser);
