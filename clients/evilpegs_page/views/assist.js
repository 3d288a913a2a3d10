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
import { Follower } from "../follow.js";
import { MAX_ROWS, feedbackOf, formatRows, readRows } from "../game/own_board.js";
import { findRoute } from "../routes.js";

/** @typedef {import("../game/own_board.js").Row} Row */
/** @typedef {{code: string, best_by: string[], largest: number | null, expected_size: number | null}} Best */
/** @typedef {{candidates: number, codes: string[], clash: {row: number, fitting: [number, number][]}[], among: string, guesses: Best[], expected_guesses: number | null}} Advice */

const MARKS = ["empty", "black", "white"];
/** Setting the pegs of a row takes several taps; the server is asked after the last. */
const PAUSE_MS = 500;
const RETRY_MS = 2_000;
const MAX_FITTING = 6;

export default class AssistView extends LitElement {
  static properties = {
    params: { attribute: false },
    query: { attribute: false },
    rows: { state: true },
    changing: { state: true },
    advice: { state: true },
    isOld: { state: true },
    failure: { state: true },
  };

  static styles = [
    shared,
    pegStyle,
    feedbackStyle,
    boardStyle,
    turnTableStyle,
    css`
      .intro {
        max-width: 46rem;
        margin: 0.4rem 0 1.2rem;
      }
      .board {
        --peg: clamp(1rem, calc((min(100vw, var(--board) + 2rem) - 10.7rem - var(--columns) * 1.75rem) / var(--pegs) / 1.16), 2.2rem);
      }
      table {
        margin-bottom: 1rem;
      }
      .code,
      .mark,
      .remove {
        min-height: 2.75rem;
        padding: 0.2rem;
        border-color: transparent;
        background: none;
      }
      .marks {
        display: grid;
        grid-template-columns: repeat(var(--columns), 1.75rem);
      }
      .mark {
        min-height: 1.75rem;
        padding: 0;
        font-size: 1.25rem;
      }
      tr.changing td {
        background: var(--accent-soft);
      }
      tr.clash td {
        box-shadow: inset 0 2px var(--bad), inset 0 -2px var(--bad);
      }
      .panel {
        --peg: 1.5rem;
      }
      .failure {
        margin-bottom: 1rem;
        color: var(--bad);
      }
      .old > * {
        opacity: 0.5;
      }
      .codes {
        display: flex;
        flex-wrap: wrap;
        gap: 0.5rem 1rem;
        margin: 0;
        padding: 0;
        list-style: none;
        --peg: 1.25rem;
      }
      .best :is(th, td):first-child {
        width: 99%;
      }
      .best th {
        white-space: nowrap;
      }
      .best small {
        display: block;
        color: var(--muted);
      }
      .best td {
        vertical-align: top;
      }
      .best .number {
        line-height: 2.75rem;
      }
      .other {
        margin-top: 1.25rem;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {Record<string, string>} */
    this.params = {};
    this.query = new URLSearchParams();
    /** @type {import("../core/rules.js").Rules} */
    this.rules = parseRules("4x6");
    /** @type {Row[]} */
    this.rows = [];
    /** The row whose guess is in the entry; null for a new one. @type {number | null} */
    this.changing = null;
    /** @type {Advice | null} */
    this.advice = null;
    /** Whether the advice is that of the rows before the last change. */
    this.isOld = true;
    this.failure = "";
    /** Whether the address names no board. */
    this.isBroken = false;
    /** @type {Follower | null} */
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
      if (!canEnumerate(this.rules)) throw new GameError(`${this.name} has ${count(countCodes(this.rules), "code")}, too many for the solver`);
      this.rows = readRows(this.rules, query.get("turns") ?? "");
    } catch (error) {
      if (!(error instanceof GameError)) throw error;
      this.failure = sentence(error.message);
      this.isBroken = true;
      return;
    }
    this.ask();
  }

  disconnectedCallback() {
    clearTimeout(this.timer);
    this.follower?.stop();
    super.disconnectedCallback();
  }

  get name() {
    return formatRules(this.rules);
  }

  ask() {
    this.follower?.stop();
    this.follower = new Follower({
      path: `api/v1/position?rules=${this.name}&turns=${formatRows(this.rows)}`,
      everyMs: RETRY_MS,
      onText: (text) => {
        this.advice = JSON.parse(text);
        this.isOld = false;
        this.failure = "";
        return true;
      },
      onFailure: ({ status, message }) => {
        // a full server answers later
        this.failure = status === 503 ? "" : message;
        return status !== 503 && status !== 0;
      },
    });
    this.follower.start();
  }

  /** Show other rows, keep them in the address, and ask about them. @param {Row[]} rows */
  change(rows) {
    this.rows = rows;
    this.isOld = true;
    this.follower?.stop();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), PAUSE_MS);
    // another view may be loading, whose address is not this one's to change
    if (findRoute(location.hash).route.tag === "assist-view") history.replaceState(null, "", `#/assist/${this.name}?turns=${formatRows(rows)}&v=1`);
  }

  /** Take a guess as the next row, or for the row that is changed. @param {string} code */
  async take(code) {
    const row = this.changing ?? this.rows.length;
    const marks = this.rows[row]?.marks ?? Array.from({ length: this.rules.pegs }, () => 0);
    this.changing = null;
    this.change(this.rows.toSpliced(row, 1, { code, marks }));
    await this.updateComplete;
    /** @type {HTMLElement | undefined} */ (this.renderRoot.querySelectorAll(".marks")[row]?.firstElementChild)?.focus({ preventScroll: true });
  }

  /** Turn a peg of a row's feedback from empty to black to white. @param {number} row @param {number} peg */
  mark(row, peg) {
    const { code, marks } = this.rows[row];
    this.change(this.rows.with(row, { code, marks: marks.with(peg, (marks[peg] + 1) % MARKS.length) }));
  }

  /** @param {number} row */
  takeBack(row) {
    this.changing = null;
    this.entry.clear();
    this.change(this.rows.toSpliced(row, 1));
  }

  /** Put the guess of a row into the entry. @param {number} row */
  edit(row) {
    this.changing = row;
    this.entry.fill(this.rows[row].code);
  }

  get entry() {
    return /** @type {import("../components/code_entry.js").CodeEntry} */ (this.renderRoot.querySelector("code-entry"));
  }

  render() {
    const { rules } = this;
    return html`
      <div class="intro">
        <h1>Solver</h1>
        <p class="muted">Play at a real board. Enter each guess, tap its black and white pegs, and see which codes are left.</p>
      </div>
      ${this.failure ? html`<p class="failure" role="alert">${this.failure}</p>` : nothing}
      ${this.isBroken ? html`<p><a href="#/assist">Begin with an empty board</a></p>` : this.board()}
      <details class="other card">
        <summary>Other rules</summary>
        <rules-chooser target="assist" .pegs=${rules.pegs} .colors=${rules.colors} .repeats=${rules.repeats}></rules-chooser>
      </details>
    `;
  }

  board() {
    const { rows, changing } = this;
    const isFull = changing === null && rows.length >= MAX_ROWS;
    return html`<div class="columns" .style=${boardSizes(this.rules.pegs)}>
        <section class="card" aria-label="Board">
          ${rows.length === 0 ? nothing : html`<table class="board" .style=${`--columns: ${Math.min(Math.ceil(this.rules.pegs / 2), 4)}`}><caption class="hidden">Your guesses</caption><tbody>${rows.map((row, index) => this.row(row, index))}</tbody></table>`}
          ${isFull ? html`<p class="muted">A board has at most ${MAX_ROWS} rows.</p>` : nothing}
          <code-entry .rules=${this.rules} ?disabled=${isFull} word=${changing === null ? "Add row" : `Change row ${changing + 1}`} @guess=${(/** @type {CustomEvent<string>} */ { detail }) => this.take(detail)}></code-entry>
        </section>
        <section class="card panel ${this.isOld ? "old" : ""}" aria-label="Advice" aria-busy=${this.isOld}>${this.said()} ${rows.length === 0 ? legend : nothing}</section>
      </div>
      <p class="hidden" role="status">${this.spoken()}</p>`;
  }

  /** @param {Row} row @param {number} index */
  row({ code, marks }, index) {
    const number = index + 1;
    const isClash = !this.isOld && this.advice?.clash.some(({ row }) => row === number);
    return html`<tr class="${isClash ? "clash" : ""} ${index === this.changing ? "changing" : ""}">
      <td class="number muted">${number}${isClash ? html`<span class="hidden"> contradicts</span>` : nothing}</td>
      <td><button class="code" title="Change the guess" @click=${() => this.edit(index)}><span class="hidden">Change guess ${number}: </span>${pegRow(code)}</button></td>
      <td>
        <div class="marks" role="group" aria-label="Feedback of row ${number}">
          ${marks.map((mark, peg) => html`<button class="mark" aria-label="Row ${number}, peg ${peg + 1}: ${MARKS[mark]}" @click=${() => this.mark(index, peg)}><i class=${mark === 0 ? "neither" : MARKS[mark]}></i></button>`)}
        </div>
      </td>
      <td class="right"><button class="remove" aria-label="Take back row ${number}" @click=${() => this.takeBack(index)}>✕</button></td>
    </tr>`;
  }

  said() {
    const { advice, rows } = this;
    if (advice === null) return html`<p class="muted">Counting the codes …</p>`;
    if (advice.clash.length > 0) return this.contradiction(advice.clash);
    const isSolved = rows.length > 0 && feedbackOf(rows[rows.length - 1]).black === this.rules.pegs;
    if (isSolved && !this.isOld) return html`<h2>Solved in ${count(rows.length, "guess", "guesses")}</h2>`;
    return html`
      <p class="left"><strong class="number">${formatNumber(advice.candidates)}</strong> <span>of ${count(countCodes(this.rules), "code")} left</span></p>
      ${advice.codes.length === 0 ? nothing : html`<ul class="codes" aria-label="Codes left">${advice.codes.map((code) => html`<li>${pegRow(code)}</li>`)}</ul>`}
      <h2>Best guesses</h2>
      <table class="best">
        <thead>
          <tr><th scope="col">Tap to use</th><th scope="col" class="right">Most left</th><th scope="col" class="right">Mean left</th></tr>
        </thead>
        <tbody>
          ${advice.guesses.map((guess) => this.suggestion(guess))}
        </tbody>
      </table>
      ${advice.expected_guesses === null ? nothing : html`<p class="muted">The best play needs ${advice.expected_guesses.toFixed(2)} more guesses on average.</p>`}
      ${advice.among === "codes" ? nothing : html`<p class="muted">Compared among ${advice.among === "samples" ? "samples of " : ""}the codes that are left; all are too many.</p>`}
    `;
  }

  /** @param {Best} guess */
  suggestion({ code, best_by: names, largest, expected_size: mean }) {
    return html`<tr>
      <td><button class="code" ?disabled=${this.isOld || this.rows.length >= MAX_ROWS} @click=${() => this.take(code)}><span class="hidden">Use </span>${pegRow(code)}</button><small>Best by ${names.length > 4 ? `${names[0] === "optimal play" ? "optimal play, " : ""}every criterion` : names.join(", ")}</small></td>
      <td class="right number">${largest === null ? "" : formatNumber(largest)}</td>
      <td class="right number">${mean === null ? "" : formatNumber(Number(mean.toFixed(2)))}</td>
    </tr>`;
  }

  /** @param {Advice["clash"]} clash */
  contradiction(clash) {
    return html`
      <h2>No code fits ${clashRows(clash)}</h2>
      <p>${clash.length > 1 ? "One of them is wrong. " : ""}Tap its pegs to set them right.</p>
      ${clash.map(({ row, fitting }) => {
        if (fitting.length === 0) return nothing;
        const shown = fitting.slice(0, MAX_FITTING).map(([black, white]) => html`${feedbackPegs({ black, white }, this.rules.pegs)} `);
        return html`<p>Row ${row} would fit the others with ${shown}${fitting.length > MAX_FITTING ? "…" : ""}</p>`;
      })}
    `;
  }

  spoken() {
    const { advice } = this;
    if (this.isOld || advice === null) return "";
    return advice.clash.length > 0 ? `No code fits ${clashRows(advice.clash)}.` : `${formatNumber(advice.candidates)} of ${count(countCodes(this.rules), "code")} left.`;
  }
}

/** @param {Advice["clash"]} clash @returns {string} such as "rows 1, 2 and 4 together" */
function clashRows(clash) {
  const rows = clash.map(({ row }) => row);
  return rows.length === 1 ? `row ${rows[0]}` : `rows ${rows.slice(0, -1).join(", ")} and ${rows.at(-1)} together`;
}
