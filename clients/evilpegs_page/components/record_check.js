/**
 * The verification of a match in the browser: one line that says whether everything holds, and each check on request.
 *
 * The events are those that the browser received while the match was played, so the result does not depend on what the
 * server says about the match now.
 */

import { LitElement, css, html, nothing } from "../vendor/lit.js";
import { canonical } from "../core/canonical.js";
import { verifyRecord } from "../core/verification/verify.js";
import { shared } from "./shared_style.js";
import { count } from "./words.js";

/** @import { Check } from "../core/verification/check.js" */
/** @import { Verification } from "../core/verification/verify.js" */

export class RecordCheck extends LitElement {
  static properties = { events: { attribute: false }, nonces: { attribute: false }, result: { state: true } };

  static styles = [
    shared,
    css`
      .verdict {
        display: flex;
        align-items: flex-start;
        gap: 0.6rem;
        font-weight: 600;
      }
      .sign {
        flex: none;
        display: inline-grid;
        place-items: center;
        width: 1.5rem;
        height: 1.5rem;
        border-radius: 50%;
        background: var(--muted);
        color: var(--surface);
        font-size: 0.9rem;
        line-height: 1;
      }
      .good .sign { background: var(--good); }
      .bad .sign { background: var(--bad); }
      .bad { color: var(--bad); }
      details { margin-top: 0.5rem; }
      ul {
        display: grid;
        gap: 0.25rem;
        margin: 0.5rem 0 0;
        font-size: 0.9rem;
      }
      li { overflow-wrap: anywhere; }
    `,
  ];

  constructor() {
    super();
    /** @type {readonly object[]} */
    this.events = [];
    /** @type {Readonly<Record<number, string>>} */
    this.nonces = {};
    /** @type {Verification | null} */
    this.result = null;
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has("events")) void this.verify();
  }

  /** Verify the events; a result for events that were replaced meanwhile is dropped. */
  async verify() {
    const { events } = this;
    this.result = null;
    const result = await verifyRecord(events, this.nonces);
    if (this.events === events) this.result = result;
  }

  render() {
    const { result } = this;
    if (result === null) return html`<p class="verdict" role="status">Checking every reply in your browser…</p>`;
    const failed = result.checks.filter((check) => check.ok === false);
    const open = result.checks.filter((check) => check.ok === null);
    const held = result.checks.length - failed.length - open.length;
    const [kind, sign, verdict] = !result.ok
      ? ["bad", "✗", `This record does not hold: ${failed[0].detail}.`]
      : result.finished
        ? ["good", "✓", `Verified in your browser: ${count(held, "check")} hold.`]
        : ["", "–", `Not finished: ${count(held, "check")} hold, but the match is not over in this record.`];
    return html`
      <p class="verdict ${kind}" role="status">
        <span class="sign" aria-hidden="true">${sign}</span>
        <span>${verdict}</span>
      </p>
      ${open.length === 0 ? nothing : html`<p class="muted">${count(open.length, "statement")} cannot be checked in a browser; <code>evilpegs verify</code> checks ${open.length === 1 ? "it" : "them"}.</p>`}
      <details>
        <summary>What was checked</summary>
        <ul class="plain">${result.checks.map((check) => this.line(check))}</ul>
      </details>
    `;
  }

  /** @param {Check} check */
  line(check) {
    const sign = check.ok === null ? "–" : check.ok ? "✓" : "✗";
    const word = check.ok === null ? "Not checked" : check.ok ? "Holds" : "Does not hold";
    const where = check.game === 0 ? "Match" : `Game ${check.game}`;
    return html`<li class=${check.ok === false ? "bad" : ""}>
      <span aria-hidden="true">${sign}</span><span class="hidden">${word}:</span> ${where}, ${check.name}: ${check.detail}
    </li>`;
  }
}

/** Return the text of a record file: one event per line, in the form whose hashes the match contains. @param {readonly object[]} events */
export function recordText(events) {
  return events.map((event) => `${canonical(event)}\n`).join("");
}

customElements.define("record-check", RecordCheck);
