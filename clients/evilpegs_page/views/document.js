/** A document of this version. The part of the address scrolls to a heading. */

import { css, html } from "../vendor/lit.js";
import { shared } from "../components/shared_style.js";
import { documentHtml } from "../document_text.js";
import { FOLDER, documentFile, documentTitles } from "../documents.js";
import { LoadingView } from "./loading_view.js";

export default class DocumentView extends LoadingView {
  static properties = { article: { state: true } };

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
      :is(h1, h2, h3):focus { outline: none; }
      nav {
        display: flex;
        flex-wrap: wrap;
        gap: 0.3rem 1rem;
        max-width: 52rem;
        margin: 0.8rem 0 1.4rem;
      }
      nav a { padding: 0.2rem 0; }
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
        padding: 0.8rem 1rem;
        border-radius: 0.7rem;
        background: var(--sunken);
        overflow-wrap: normal;
      }
      pre code {
        padding: 0;
        background: none;
      }
      img {
        width: 100%;
        border-radius: 0.7rem;
        background: white;
      }
      @media print {
        pre { white-space: pre-wrap; }
      }
      table {
        min-width: 34rem;
        overflow-wrap: break-word;
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
    `,
  ];

  constructor() {
    super();
    /** @type {HTMLElement | null} */
    this.article = null;
  }

  /** @param {AbortSignal} signal */
  async load(signal) {
    const titles = await documentTitles(signal);
    const name = this.params.name ?? "protocol";
    if (titles[name] === undefined) {
      this.failure = `No document is called ${name}.`;
      return;
    }
    const text = documentHtml(await documentFile(`${name}.md`, signal), name, Object.keys(titles), FOLDER);
    // its markup is that of document_text.js, and a parsed document runs no scripts
    const { body } = new DOMParser().parseFromString(text, "text/html");
    this.article = document.createElement("article");
    this.article.append(...body.childNodes);
    await this.updateComplete;
    const heading = this.article.querySelector(`[id="${CSS.escape(this.query.get("part") ?? "")}"]`);
    if (!(heading instanceof HTMLElement)) return;
    heading.scrollIntoView();
    heading.focus({ preventScroll: true });
  }

  render() {
    return html`<p><a href="#/docs">All documents</a></p>${this.article ?? html`<h1>Document</h1>${this.problem()} ${this.loading()}`}`;
  }
}
