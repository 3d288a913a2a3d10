/**
 * A text with a button that copies it. On plain http, where a browser has no clipboard, the older way copies what is
 * selected; if that fails too, the text stays selected. `shares` adds a button that hands the text to other programs, where
 * the browser has one; it needs https.
 */

import { LitElement, css, html, nothing } from "../vendor/lit.js";
import { shared } from "./shared_style.js";

export class CopyText extends LitElement {
  static properties = { text: {}, label: {}, isCode: { type: Boolean, attribute: "code" }, shares: { type: Boolean }, said: { state: true } };

  static styles = [
    shared,
    css`
      label {
        display: block;
        margin-bottom: 0.3rem;
        font-weight: 650;
      }
      .code {
        field-sizing: fixed;
        white-space: pre;
      }
      @media (max-width: 50rem) {
        .code {
          field-sizing: content;
          font-size: 0.8rem;
          white-space: pre-wrap;
        }
      }
      textarea {
        width: 100%;
        padding: 0.6rem 0.8rem;
        font: 0.95rem/1.4 var(--mono);
        field-sizing: content;
        overflow-wrap: anywhere;
        resize: none;
      }
      .row {
        gap: 0.4rem 0.8rem;
        margin: 0.4rem 0;
      }
    `,
  ];

  constructor() {
    super();
    this.text = "";
    this.label = "Text";
    /** True if the text is code: its lines are kept whole and scrolled, but wrapped on a screen too narrow for them. */
    this.isCode = false;
    this.shares = false;
    this.said = "";
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has("text")) this.said = "";
  }

  async copy() {
    const field = /** @type {HTMLTextAreaElement} */ (this.renderRoot.querySelector("textarea"));
    field.focus();
    field.select();
    field.setSelectionRange(0, this.text.length); // iOS
    const hasCopied = await navigator.clipboard?.writeText(this.text).then(() => true, () => false);
    this.said = hasCopied || document.execCommand("copy") ? "Copied." : "The text is selected. Copy it by hand.";
  }

  async share() {
    try {
      await navigator.share({ text: this.text });
    } catch (error) {
      if (/** @type {Error} */ (error).name !== "AbortError") this.said = "Sharing did not work; copy the text instead.";
    }
  }

  render() {
    const canShare = this.shares && "share" in navigator;
    return html`
      <label for="text">${this.label}</label>
      <textarea id="text" class=${this.isCode ? "code" : ""} readonly rows=${this.text.split("\n").length + (this.isCode ? 1 : 0)} .value=${this.text}></textarea>
      <div class="row">
        ${canShare ? html`<button class="primary" @click=${this.share}>Share</button>` : nothing}
        <button class=${canShare ? "" : "primary"} @click=${this.copy}>Copy</button>
        <span role="status">${this.said}</span>
      </div>
    `;
  }
}

customElements.define("copy-text", CopyText);
