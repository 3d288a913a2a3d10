/**
 * Who plays: a guest, or a name whose token this browser keeps. Names are chosen, claimed, exported and forgotten here.
 *
 * A choice is sent as the event `player` with the name as `detail`, null for a guest. Whether the server accepts a new
 * name is decided there; the panel shows what the server answered in `problem`.
 */

import { LitElement, css, html, nothing } from "../vendor/lit.js";
import { ImportError, isGuest, nameProblem, tokenProblem } from "../game/players.js";
import { saveText } from "./save_text.js";
import { shared } from "./shared_style.js";
import { count } from "./words.js";

export class PlayerPanel extends LitElement {
  static properties = {
    players: { attribute: false }, name: {}, problem: {}, isOpen: { type: Boolean }, notice: { state: true }, failure: { state: true },
  };

  static styles = [
    shared,
    css`
      .who {
        gap: 0.25rem 0.75rem;
        overflow-wrap: anywhere;
      }
      summary {
        padding: 0.35rem 0;
        color: var(--accent);
        font-weight: 600;
      }
      .parts {
        display: grid;
        gap: 1rem;
        padding-top: 0.5rem;
      }
      form { align-items: end; }
      label {
        display: grid;
        flex: 1;
        gap: 0.2rem;
        min-width: 10rem;
        font-weight: 600;
      }
      input,
      textarea {
        width: 100%;
        border-color: var(--muted);
        background: var(--background);
      }
      textarea { font: 0.85rem/1.4 var(--mono); }
      ul {
        display: grid;
        gap: 0.4rem;
      }
      li strong {
        flex: 1;
        overflow-wrap: anywhere;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {import("../game/players.js").Players | null} */
    this.players = null;
    /** The name that the server knows the player by; empty before it said so. */
    this.name = "";
    this.problem = "";
    this.isOpen = false;
    this.notice = "";
    this.failure = "";
  }

  /** @param {string | null} name */
  choose(name) {
    this.failure = this.notice = "";
    this.dispatchEvent(new CustomEvent("player", { detail: name, bubbles: true, composed: true }));
  }

  /** @param {SubmitEvent} event */
  claim(event) {
    event.preventDefault();
    const field = /** @type {HTMLInputElement} */ (this.renderRoot.querySelector("#name"));
    const name = field.value.trim();
    const problem = nameProblem(name);
    if (problem === null) this.choose(name);
    else this.failure = problem;
  }

  /** @param {SubmitEvent} event */
  join(event) {
    event.preventDefault();
    const [name, typed] = ["given", "token"].map((id) => /** @type {HTMLInputElement} */ (this.renderRoot.querySelector(`#${id}`)).value.trim());
    const token = typed.replace(/\s/g, "").toLowerCase();
    this.failure = tokenProblem(name, token) ?? "";
    if (this.failure) return;
    this.players?.add(name, token);
    this.choose(name);
  }

  export() {
    if (this.players === null) return;
    saveText("evilpegs-names.json", this.players.exportText(), "application/json");
    this.notice = "Saved as evilpegs-names.json. Anybody with this text can play under your names.";
  }

  /** @param {SubmitEvent} event */
  import(event) {
    event.preventDefault();
    const field = /** @type {HTMLTextAreaElement} */ (this.renderRoot.querySelector("#text"));
    this.failure = this.notice = "";
    try {
      const added = this.players?.importText(field.value) ?? 0;
      field.value = "";
      this.notice = `${count(added, "name")} added.`;
    } catch (error) {
      if (!(error instanceof ImportError)) throw error;
      this.failure = error.message;
    }
  }

  /** @param {string} name */
  forget(name) {
    if (!confirm(`Forget ${name}? Without an exported copy nobody can play under this name again.`)) return;
    this.players?.forget(name);
    this.choose(null);
  }

  render() {
    const { players } = this;
    if (players === null) return nothing;
    const isNamed = this.name !== "" && !isGuest(this.name);
    return html`
      <p class="who row">
        <span>You play as ${isNamed ? html`<strong>${this.name}</strong>` : "a guest"}.</span>
        ${players.isLasting ? nothing : html`<span class="muted">This browser keeps nothing: export your names before you leave.</span>`}
      </p>
      ${this.failure || this.problem ? html`<p class="failure" role="alert">${this.failure || this.problem}</p>` : nothing}
      ${this.notice ? html`<p role="status">${this.notice}</p>` : nothing}
      <details ?open=${this.isOpen}>
        <summary>${isNamed ? "Names" : "Choose a name"}</summary>
        <div class="parts">${this.claimForm()} ${this.nameList()} ${this.transfer()}</div>
      </details>
    `;
  }

  claimForm() {
    return html`<form class="row" @submit=${this.claim}>
        <label>New name<input id="name" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="64" /></label>
        <button class="primary">Take this name</button>
      </form>
      <form class="row" @submit=${this.join}>
        <label>Name that you were given<input id="given" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="64" /></label>
        <label>Its token<input id="token" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="80" /></label>
        <button>Use it</button>
      </form>`;
  }

  nameList() {
    const names = this.players?.names ?? [];
    if (names.length === 0) return nothing;
    return html`<ul class="plain" aria-label="Names in this browser">
      ${names.map(
        (name) => html`<li class="row">
          <strong>${name}</strong>
          ${name === this.name ? html`<span class="muted">in use</span>` : html`<button @click=${() => this.choose(name)}>Use</button>`}
          <button @click=${() => this.forget(name)} aria-label="Forget ${name}">Forget</button>
        </li>`,
      )}
      ${isGuest(this.name) ? nothing : html`<li><button @click=${() => this.choose(null)}>Play as a guest</button></li>`}
    </ul>`;
  }

  transfer() {
    const hasNames = (this.players?.names ?? []).length > 0;
    return html`
      ${hasNames
        ? html`<div class="row">
            <button @click=${this.export}>Export names</button>
            <span class="muted">They also work as the token file of the command line.</span>
          </div>`
        : nothing}
      <form class="row" @submit=${this.import}>
        <label>Names exported from another browser<textarea id="text" rows="2" spellcheck="false" autocomplete="off"></textarea></label>
        <button>Import</button>
      </form>
    `;
  }
}

customElements.define("player-panel", PlayerPanel);
