/**
 * Where a guess is composed: a row of pegs, the colors to choose from, and the button that plays it.
 *
 * Colors are clicked, tapped, dragged onto a peg, or typed: symbols fill the peg at the cursor, the arrow keys move it and
 * change its color, Backspace takes back the last peg, and Escape empties all. Nothing is played but by the button or Enter. Keys act
 * only while the focus is in the columns of the game, the board and what stands beside it (WCAG 2.1.4). A guess is sent as the
 * event `guess` with the code as `detail`; `drafted` has the pegs so far. What stands inside the element is shown below the button.
 */

import { LitElement, html, nothing } from "../vendor/lit.js";
import { formatCode } from "../core/codes.js";
import { SYMBOLS } from "../core/rules.js";
import { CodeDraft } from "./code_draft.js";
import { codeEntryStyle } from "./code_entry_style.js";
import { peg, pegStyle } from "./peg.js";
import { PegDrag } from "./peg_drag.js";
import { shared } from "./shared_style.js";

const FIELDS = "input, textarea, select, [contenteditable]";

export const PLAY_RULE = "Guess or Enter plays. ⌫ takes a peg back.";
export const IDLE_RULE = "This tells you nothing: you know the reply already.";

export class CodeEntry extends LitElement {
  static properties = {
    rules: { attribute: false },
    excluded: { attribute: false },
    disabled: { type: Boolean },
    word: {},
    label: {},
  };

  static styles = [shared, pegStyle, codeEntryStyle];

  constructor() {
    super();
    /** @type {import("../core/rules.js").Rules} */
    this.rules = { pegs: 4, colors: 6, repeats: true };
    /** @type {readonly number[]} colors that no code left contains */
    this.excluded = [];
    this.disabled = false;
    /** What the button says. */
    this.word = "Guess";
    this.label = "Your guess";
    this.draft = new CodeDraft(this.rules);
    /** What a screen reader says about the last change. */
    this.said = "";
    /** The pegs that it is about. @type {readonly (number | null)[]} */
    this.known = [];
    this.drag = new PegDrag({ onMove: () => this.requestUpdate(), onDrop: (drag) => this.drop(drag) });
    /** Where keys act. @type {HTMLElement} */
    this.board = this;
    this._onKey = (/** @type {KeyboardEvent} */ event) => this.onKey(event);
  }

  connectedCallback() {
    super.connectedCallback();
    this.board = /** @type {HTMLElement} */ (this.closest(".columns") ?? this);
    this.board.addEventListener("keydown", this._onKey);
  }

  disconnectedCallback() {
    this.board.removeEventListener("keydown", this._onKey);
    this.drag.end();
    super.disconnectedCallback();
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has("rules")) this.draft = new CodeDraft(this.rules);
    const { pegs, isEmpty } = this.draft;
    const put = pegs.flatMap((color, slot) => (color === (this.known[slot] ?? null) ? [] : [this.slotWords(slot)]));
    if (put.length > 0) this.said = isEmpty ? "" : put.join(", ");
    this.known = [...pegs];
  }

  /** @param {number} slot */
  slotWords(slot) {
    const color = this.draft.pegs[slot];
    return `Peg ${slot + 1}: ${color === null ? "empty" : SYMBOLS[color]}`;
  }

  /** Take the focus when a guess can be made and nothing else has it, so that keys act at once. @param {Map<string, unknown>} changed */
  updated(changed) {
    this.dispatchEvent(new CustomEvent("drafted", { detail: this.draft.pegs }));
    const focused = document.activeElement;
    if (changed.has("disabled") && !this.disabled && (focused === document.body || focused?.localName === "main")) this.takeFocus();
  }

  /** Focus the row: a peg or a button loses the focus when it is disabled. */
  takeFocus() {
    /** @type {HTMLElement} */ (this.renderRoot.querySelector(".slots")).focus({ preventScroll: true });
  }

  play() {
    if (this.disabled || !this.draft.isFull) return;
    const detail = formatCode(/** @type {number[]} */ (this.draft.pegs));
    this.clear();
    this.dispatchEvent(new CustomEvent("guess", { detail, bubbles: true, composed: true }));
  }

  clear() {
    this.fill("");
  }

  /** Begin with a code. @param {string} code */
  fill(code) {
    this.draft = new CodeDraft(this.rules);
    Array.from(code, (symbol) => this.draft.put(SYMBOLS.indexOf(symbol)));
    this.takeFocus();
    this.requestUpdate();
  }

  /** @param {number} color @param {number} [slot] */
  put(color, slot) {
    if (this.disabled) return;
    this.draft.put(color, slot);
    this.requestUpdate();
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const target = /** @type {Element} */ (event.composedPath()[0]);
    if (this.disabled || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (target instanceof Element && target.matches(FIELDS)) return;
    if (this.act(event.key, target)) {
      event.preventDefault();
      this.requestUpdate();
    }
  }

  /** Do what a key means; return false if it means nothing here. @param {string} key @param {Element} target */
  act(key, target) {
    const color = key.length === 1 ? SYMBOLS.indexOf(key.toUpperCase()) : -1;
    if (color !== -1 && color < this.rules.colors) this.type(color, target);
    else if (key === "Backspace" || key === "Delete") this.draft.erase();
    else if (key === "ArrowLeft" || key === "ArrowRight") this.draft.move(key === "ArrowLeft" ? -1 : 1);
    else if (key === "ArrowUp" || key === "ArrowDown") this.draft.turn(key === "ArrowUp" ? 1 : -1);
    else if (key === "Escape" && !this.draft.isEmpty) this.clear();
    else if (key === "Enter" && this.draft.isFull && !this.isElsewhere(target)) this.play();
    else return false;
    return true;
  }

  /** Put a typed color. The focus leaves a link or a button elsewhere, so that Enter plays the guess. @param {number} color @param {Element} target */
  type(color, target) {
    if (this.isElsewhere(target)) this.takeFocus();
    this.put(color);
  }

  /** Return true if Enter belongs to a link or a button that is no peg. @param {Element} target */
  isElsewhere(target) {
    return target instanceof Element && target.matches("a, button:not(.slot, .key), summary");
  }

  /** Put the peg that was dragged where it was dropped, if that is a peg of the row. @param {import("./peg_drag.js").Drag} drag */
  drop({ color, from, x, y }) {
    const slot = /** @type {ShadowRoot} */ (this.renderRoot).elementFromPoint(x, y)?.closest("[data-slot]");
    if (!(slot instanceof HTMLElement)) return;
    const to = Number(slot.dataset.slot);
    if (from === null) {
      this.put(color, to);
    } else {
      this.draft.exchange(from, to);
      this.requestUpdate();
    }
  }

  /** @param {PointerEvent} event @param {number | null} color @param {number | null} from */
  beginDrag(event, color, from) {
    if (color !== null && !this.disabled) this.drag.begin(event, color, from);
  }

  /** @param {number} slot */
  select(slot) {
    this.draft.cursor = slot;
    this.requestUpdate();
  }

  render() {
    const { pegs, colors } = this.rules;
    const columns = Math.min(Math.max(pegs, colors), 6);
    return html`
      <div class="entry" @touchmove=${this.drag.holdStill} @contextmenu=${this.drag.holdStill} .style=${`--columns: ${columns}; --count: ${pegs}`}>
        <div class="slots row" role="group" tabindex="-1" aria-label=${this.label}>${this.draft.pegs.map((_, slot) => this.slotButton(slot))}</div>
        <div class="keys row" role="group" aria-label="Colors">${Array.from({ length: colors }, (_, color) => this.colorButton(color))}</div>
        <div class="actions row">
          <button @click=${this.erase} ?disabled=${this.disabled || this.draft.isEmpty} aria-label="Take back the last peg" title="Take back the last peg">⌫</button>
          <button class="primary" @click=${this.play} ?disabled=${this.disabled || !this.draft.isFull}>${this.word}</button>
        </div>
        <slot></slot>
      </div>
      <span class="hidden" role="status">${this.said}</span>
      ${this.ghost()}
    `;
  }

  erase() {
    this.draft.erase();
    this.takeFocus();
    this.requestUpdate();
  }

  /** @param {number} slot */
  slotButton(slot) {
    const color = this.draft.pegs[slot];
    const isCursor = slot === this.draft.cursor && !this.disabled;
    return html`<button class="slot ${isCursor ? "cursor" : ""}" data-slot=${slot} aria-label=${this.slotWords(slot)} ?disabled=${this.disabled}
      aria-current=${isCursor ? "true" : nothing} @click=${() => this.select(slot)}
      @pointerdown=${(/** @type {PointerEvent} */ event) => this.beginDrag(event, color, slot)}>${color === null ? html`<span class="empty"></span>` : peg(color)}</button>`;
  }

  /** @param {number} color */
  colorButton(color) {
    const isExcluded = this.excluded.includes(color);
    return html`<button class="key ${isExcluded ? "excluded" : ""}" aria-label="${SYMBOLS[color]}${isExcluded ? ", in no code left" : ""}"
      ?disabled=${this.disabled} @click=${() => this.put(color)}
      @pointerdown=${(/** @type {PointerEvent} */ event) => this.beginDrag(event, color, null)}>${peg(color)}</button>`;
  }

  ghost() {
    const { moving } = this.drag;
    if (moving === null) return nothing;
    return html`<span class="ghost" .style=${`left: ${moving.x}px; top: ${moving.y}px`}>${peg(moving.color)}</span>`;
  }
}

customElements.define("code-entry", CodeEntry);
