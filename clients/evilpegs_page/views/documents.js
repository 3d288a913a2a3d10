/** The list of all documents. */

import { css, html } from "../vendor/lit.js";
import { shared } from "../components/shared_style.js";
import { documentTitles } from "../documents.js";
import { LoadingView } from "./loading_view.js";

export default class DocumentsView extends LoadingView {
  static properties = { titles: { state: true } };

  static styles = [shared, css`li { margin-top: 0.6rem; }`];

  constructor() {
    super();
    /** @type {Record<string, string>} */
    this.titles = {};
  }

  /** @param {AbortSignal} signal */
  async load(signal) {
    this.titles = await documentTitles(signal);
  }

  render() {
    const titles = Object.entries(this.titles).sort(([, one], [, other]) => one.localeCompare(other));
    return html`
      <div class="intro"><h1>Documents</h1></div>
      ${this.problem()} ${titles.length > 0 ? "" : this.loading()}
      <ul class="plain">${titles.map(([name, title]) => html`<li><a href="#/docs/${name}">${title}</a></li>`)}</ul>
    `;
  }
}
