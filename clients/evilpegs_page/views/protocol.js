/** The protocol page of the server's version, rendered. The part of the address scrolls to a heading. */

import { css, html, nothing } from "../vendor/lit.js";
import { getChanged } from "../api.js";
import { markdownBlocks } from "../components/markdown_text.js";
import { shared } from "../components/shared_style.js";
import { parseMarkdown } from "../markdown/parse.js";
import { LoadingView } from "./loading_view.js";

export default class ProtocolView extends LoadingView {
  static properties = {
    ...LoadingView.properties,
    query: { attribute: false },
    blocks: { state: true },
  };

  static styles = [
    shared,
    css`
      article {
        display: grid;
        gap: 0.9rem;
        max-width: 52rem;
        overflow-wrap: anywhere;
      }
      article > * {
        min-width: 0;
        margin: 0;
      }
      h2 {
        margin-top: 1.4rem;
        font-size: 1.35rem;
      }
      h3 {
        margin-top: 0.8rem;
        font-size: 1.05rem;
      }
      :is(h2, h3):focus {
        outline: none;
      }
      nav {
        display: flex;
        flex-wrap: wrap;
        gap: 0.3rem 1rem;
        max-width: 52rem;
        margin: 0.8rem 0 1.4rem;
      }
      nav a {
        padding: 0.2rem 0;
      }
      ul,
      ol {
        display: grid;
        gap: 0.3rem;
        padding-left: 1.3rem;
      }
      code {
        padding: 0.05em 0.3em;
        border-radius: 0.3em;
        background: var(--sunken);
        font: 0.88em var(--mono);
      }
      pre {
        overflow-x: auto;
        padding: 0.8rem 1rem;
        border-radius: 0.7rem;
        background: var(--sunken);
        overflow-wrap: normal;
      }
      pre code {
        padding: 0;
        background: none;
      }
      .scroll {
        position: relative;
        overflow-x: auto;
      }
      table {
        width: 100%;
        min-width: 34rem;
        border-collapse: collapse;
        font-size: 0.95rem;
      }
      th,
      td {
        padding: 0.4rem 0.8rem 0.4rem 0;
        border-bottom: 1px solid var(--line);
        text-align: left;
        vertical-align: top;
      }
      th {
        color: var(--muted);
        font-size: 0.85rem;
      }
      .failure {
        color: var(--bad);
      }
    `,
  ];

  constructor() {
    super();
    this.query = new URLSearchParams();
    /** @type {readonly import("../markdown/parse.js").Block[] | null} */
    this.blocks = null;
  }

  /** @param {AbortSignal} signal */
  async load(signal) {
    const answer = await getChanged(new URL("../protocol.md", import.meta.url).href, "", signal);
    this.blocks = parseMarkdown(answer?.text ?? "");
    await this.updateComplete;
    this.scrollToPart();
  }

  /** Scroll to the heading that the address names, if there is one. */
  scrollToPart() {
    const part = this.query.get("part");
    const heading = part === null ? null : /** @type {ShadowRoot} */ (this.renderRoot).getElementById(part);
    heading?.scrollIntoView();
    heading?.focus({ preventScroll: true });
  }

  render() {
    if (this.failure) return html`<h1>The protocol</h1><p class="failure" role="alert">${this.failure}</p>`;
    if (this.blocks === null) return html`<h1>The protocol</h1><p class="muted" role="status">Loading…</p>`;
    const [title, ...rest] = this.blocks;
    return html`<article>
      ${markdownBlocks([title])} ${this.contents(rest)} ${markdownBlocks(rest)}
    </article>`;
  }

  /** @param {readonly import("../markdown/parse.js").Block[]} blocks */
  contents(blocks) {
    const headings = blocks.filter((block) => block.kind === "heading" && block.level === 2);
    return html`<nav aria-label="Contents">
      ${headings.map((block) =>
        block.kind === "heading" ? html`<a href="#/protocol?part=${block.id}">${block.inlines.map((inline) => inline.text).join("")}</a>` : nothing,
      )}
    </nav>`;
  }
}
