/** Help at a real board: you set the guesses and what they got, and the server says what is left and what to guess. */

import { LitElement, css, html, nothing } from "../vendor/lit.js";
import { boardSizes, boardStyle } from "../components/board_style.js";
import "../components/code_entry.js";
import { feedbackPegs, feedbackStyle, legend } from "../components/feedback_pegs.js";
import { pegRow, pegStyle } from "../components/peg.js";
import "../components/rules_chooser.js";
import { shared } from "../components/shared_style.js";
import { turnTableStyle } from "../components/turn_table_style.js";
import { count, formatNumber, sentence } from "../components/words.js";
import { canEnumerate } from "../core/codes.js";
import { GameError } from "../core/errors.js";
import { countCodes, formatRules, parseRules } from "../core/rules.js";
import { isPublished } from "../api.js";
import { askUntilAnswer } from "../follow.js";
import { MAX_ROWS, formatRows, readRows } from "../game/own_board.js";
import { findRoute } from "../routes.js";
import { viewStyle } from "./local_view.js";

/** @typedef {import("../game/own_board.js").Row} Row */
/** @typedef {{code: string, best_by: string[], largest: number | null, expected_size: number | null}} Best */
/** @typedef {{after: {black: number}[], candidates: number, codes: string[], clash: {row: number, fitting: [number, number][]}[], among: string, guesses: Best[], expected_guesses: number | null}} Advice */

const MARKS = ["empty", "black", "white"];
/** Setting the pegs of a row takes several taps; the server is asked after the last. */
const PAUSE_MS = 500;
const MAX_FITTING = 6;

export default class AssistView extends LitElement {
  static properties = { rows: { state: true }, changing: { state: true }, advice: { state: true }, isOld: { state: true }, failure: { state: true } };

  static styles = [
    shared,
    viewStyle,
    pegStyle,
    feedbackStyle,
    boardStyle,
    turnTableStyle,
    css`
      table {
        margin-bottom: 1rem;
        --peg: clamp(1rem, calc((min(100vw, var(--board) + 2rem) - 10.7rem - var(--columns) * 1.75rem) / var(--pegs) / 1.16), 2.2rem);
      }
      .legend { margin-bottom: 0.5rem; }
      .code,
      .mark {
        min-height: 1.75rem;
        padding: 0.2rem;
        border-color: transparent;
        background: none;
      }
      .marks {
        display: grid;
        grid-template-columns: repeat(var(--columns), 1.75rem);
        gap: 0;
      }
      .mark i { font-size: 1.25rem; }
      .changing td { background: var(--accent-soft); }
      .clash td {
        box-shadow: inset 0 2px var(--bad), inset 0 -2px var(--bad);
        forced-color-adjust: none;
      }
      [aria-busy="true"] > * { color: var(--muted); }
      .panel { --peg: 1.35rem; }
      .panel .buttons { gap: 0.5rem 1rem; }
    `,
  ];

  constructor() {
    super();
    /** @type {Record<string, string>} */
    this.params = {};
    this.query = new URLSearchParams();
    this.rules = parseRules("4x6");
    /** @type {Row[] | null} null if the address names no board */
    this.rows = null;
    /** The row whose guess is in the entry; null for a new one. @type {number | null} */
    this.changing = null;
    /** @type {Advice | null} */
    this.advice = null;
    /** Whether the advice is that of the rows before the last change. */
    this.isOld = true;
    this.failure = "";
    /** @type {import("../follow.js").Follower | null} */
    this.follower = null;
    /** @type {any} */
    this.timer = null;
  }

  connectedCallback() {
    super.connectedCallback();
    const { params, query } = this;
    try {
      if (!["1", null].includes(query.get("v"))) throw new GameError("this link is from a newer version of the page");
      this.rules = parseRules(params.rules ?? "4x6");
      if (!canEnumerate(this.rules)) throw new GameError(`${params.rules} has ${count(countCodes(this.rules), "code")}, too many for the solver`);
      this.rows = readRows(this.rules, query.get("turns") ?? "");
      this.ask();
    } catch (error) {
      if (!(error instanceof GameError)) throw error;
      this.failure = sentence(error.message);
    }
  }

  disconnectedCallback() {
    clearTimeout(this.timer);
    this.follower?.stop();
    super.disconnectedCallback();
  }

  ask() {
    const { rows } = this;
    const take = (/** @type {Advice} */ advice, failure = "") => {
      if (rows !== this.rows) return;
      this.advice = advice;
      this.isOld = false;
      this.failure = failure;
    };
    const countHere = async (failure = "") => {
      const { advise } = await import("../game/own_advice.js");
      take(advise(this.rules, rows ?? []), failure);
    };
    if (isPublished) return void countHere();
    const miss = (/** @type {string} */ failure, /** @type {number} */ status) => {
      if (status !== 0) this.failure = failure;
      else if (this.isOld) void countHere("The server does not answer. Until it does, your browser counts.");
    };
    this.follower = askUntilAnswer(`api/v1/position?rules=${formatRules(this.rules)}&turns=${formatRows(rows ?? [])}`, take, miss);
  }

  /** Show other rows, keep them in the address, and ask about them. @param {Row[]} rows */
  change(rows) {
    this.rows = rows;
    this.isOld = true;
    this.follower?.stop();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), PAUSE_MS);
    // another view may be loading, whose address is not this one's to change
    if (findRoute(location.hash).route.tag === "assist-view") history.replaceState(null, "", `#/assist/${formatRules(this.rules)}?turns=${formatRows(rows)}&v=1`);
  }

  /** Take a guess as the next row, or for the row that is changed. @param {Row[]} rows @param {string} code */
  async take(rows, code) {
    const index = this.changing ?? rows.length;
    const marks = rows[index]?.marks ?? Array.from({ length: this.rules.pegs }, () => 0);
    this.changing = null;
    this.change(rows.toSpliced(index, 1, { code, marks }));
    await this.updateComplete;
    /** @type {HTMLElement | undefined} */ (this.renderRoot.querySelectorAll(".marks")[index]?.firstElementChild)?.focus({ preventScroll: true });
  }

  /** Put the guess of a row into the entry; without one, nothing. @param {number | null} index @param {string} [code] */
  edit(index, code = "") {
    this.changing = index;
    /** @type {import("../components/code_entry.js").CodeEntry} */ (this.renderRoot.querySelector("code-entry")).fill(code);
  }

  render() {
    const { pegs, colors, repeats } = this.rules;
    return html`
      <div class="intro">
        <h1>Solver</h1>
        <p>For a game at a real board: enter each guess, tap the marks of its reply, and see which codes are left.</p>
        ${this.failure ? html`<p role="alert"><strong>${this.failure}</strong></p>` : nothing}
      </div>
      ${this.rows === null ? html`<a href="#/assist">Start with an empty board</a>` : this.board(this.rows)}
      <details class="other card">
        <summary>Other rules</summary>
        <rules-chooser target="assist" .pegs=${pegs} .colors=${colors} .repeats=${repeats}></rules-chooser>
      </details>
    `;
  }

  /** @param {Row[]} rows */
  board(rows) {
    const { rules, changing, isOld } = this;
    const isFull = changing === null && rows.length >= MAX_ROWS;
    const word = isFull ? `${MAX_ROWS} rows at most` : changing === null ? "Add row" : `Change row ${changing + 1}`;
    return html`<div class="columns" .style=${`${boardSizes(rules.pegs)}; --columns: ${Math.min(Math.ceil(rules.pegs / 2), 4)}`}>
      <section class="card" aria-label="Board">
        ${legend} ${rows.length === 0 ? nothing : html`<table aria-label="Your guesses">${rows.map((row, index) => this.row(rows, row, index))}</table>`}
        <code-entry .rules=${rules} ?disabled=${isFull} word=${word} @guess=${(/** @type {CustomEvent<string>} */ { detail }) => this.take(rows, detail)}></code-entry>
      </section>
      <section class="card panel" aria-label="Advice" aria-busy=${isOld}>
        <div role="status">${this.headline()}</div>
        ${this.details(rows)}
      </section>
    </div>`;
  }

  /** @param {Row[]} rows @param {Row} row @param {number} index */
  row(rows, { code, marks }, index) {
    const number = index + 1;
    const isClash = !this.isOld && this.advice?.clash.some(({ row }) => row === number);
    const turn = (/** @type {number} */ peg) => this.change(rows.with(index, { code, marks: marks.with(peg, (marks[peg] + 1) % MARKS.length) }));
    const takeBack = () => {
      this.edit(null);
      this.change(rows.toSpliced(index, 1));
    };
    return html`<tr class="${isClash ? "clash" : ""} ${index === this.changing ? "changing" : ""}">
      <td class="number muted">${number}${isClash ? html`<span class="hidden"> contradicts</span>` : nothing}</td>
      <td><button class="code" title="Change the guess" @click=${() => this.edit(index, code)}><span class="hidden">Change guess ${number}: </span>${pegRow(code)}</button></td>
      <td>
        <div class="marks feedback" role="group" aria-label="Reply to guess ${number}">
          ${marks.map((mark, peg) => html`<button class="mark" aria-label="Row ${number}, peg ${peg + 1}: ${MARKS[mark]}" @click=${() => turn(peg)}><i class=${mark === 0 ? "neither" : MARKS[mark]}></i></button>`)}
        </div>
      </td>
      <td class="right"><button class="mark" aria-label="Take back row ${number}" @click=${takeBack}>✕</button></td>
    </tr>`;
  }

  headline() {
    const { advice } = this;
    if (advice === null) return "Counting the codes…";
    const clash = advice.clash.map(({ row }) => row);
    if (clash.length > 0) return html`<h2>No code fits ${clash.length === 1 ? "row" : "rows"} ${clash.join(", ").replace(/, (\d+)$/, " and $1 together")}</h2>`;
    if (advice.after.at(-1)?.black === this.rules.pegs) return html`<h2>Solved in ${count(advice.after.length, "guess", "guesses")}</h2>`;
    return html`<p class="left"><strong class="number">${formatNumber(advice.candidates)}</strong> <span>of ${count(countCodes(this.rules), "code")} left</span></p>`;
  }

  /** @param {Row[]} rows */
  details(rows) {
    const { advice } = this;
    if (advice === null) return nothing;
    const { clash, codes, guesses, among, expected_guesses: needed } = advice;
    if (clash.length > 0) return html`<p>${clash.length > 1 ? "One of them is wrong. " : ""}Tap its marks to correct them.</p>${clash.map((each) => fittingWords(each, this.rules.pegs))}`;
    if (advice.after.at(-1)?.black === this.rules.pegs) return nothing;
    return html`
      ${codes.length === 0 ? nothing : html`<div class="buttons" role="group" aria-label="Codes left">${codes.map(pegRow)}</div>`}
      <h2>Best guesses</h2>
      <p class="muted">Tap one to use it.</p>
      ${guesses.map(({ code, best_by: names, largest, expected_size: mean }) => {
        const best = names.length > 4 ? `${names[0] === "optimal play" ? "optimal play and " : ""}every criterion` : names.join(", ");
        return html`<div class="best">
          <button ?disabled=${this.isOld || rows.length >= MAX_ROWS} @click=${() => this.take(rows, code)}><span class="hidden">Use </span>${pegRow(code)}</button>
          <p>${largest === null || mean === null ? nothing : `Leaves ${count(largest, "code")} at most, ${formatNumber(Number(mean.toFixed(2)))} on average. `}<span class="muted">Best by ${best}.</span></p>
        </div>`;
      })}
      ${needed === null ? nothing : html`<p class="muted">The best play needs ${needed.toFixed(2)} more guesses on average.</p>`}
      ${among === "codes" ? nothing : html`<p class="muted">Compared among ${among === "samples" ? "samples of " : ""}the codes that are left; all are too many.</p>`}
    `;
  }
}

/** @param {Advice["clash"][number]} clash @param {number} pegs */
function fittingWords({ row, fitting }, pegs) {
  if (fitting.length === 0) return nothing;
  const shown = fitting.slice(0, MAX_FITTING).map(([black, white]) => html`${feedbackPegs({ black, white }, pegs)} `);
  return html`<p>Row ${row} would fit the others with ${shown}${fitting.length > MAX_FITTING ? "…" : ""}</p>`;
}
