/** Blocks of Markdown as elements. Links lead to https only; links to files of the repository are text. */

import { html, nothing } from "../vendor/lit.js";

/** @typedef {import("../markdown/parse.js").Block} Block */
/** @typedef {import("../markdown/parse.js").Inline} Inline */

/** @param {readonly Block[]} blocks */
export function markdownBlocks(blocks) {
  return blocks.map(block);
}

/** @param {Block} given @param {number} index which tells regions apart */
function block(given, index) {
  if (given.kind === "heading") return heading(given);
  if (given.kind === "paragraph") return html`<p>${given.inlines.map(inline)}</p>`;
  if (given.kind === "code") return html`<pre tabindex="0" role="region" aria-label="Example ${index}"><code>${given.text}</code></pre>`;
  if (given.kind === "table") return table(given, index);
  const items = given.items.map((item) => html`<li>${item.map(inline)}</li>`);
  return given.ordered ? html`<ol>${items}</ol>` : html`<ul>${items}</ul>`;
}

/** @param {import("../markdown/parse.js").Heading} given */
function heading({ level, inlines, id }) {
  const words = inlines.map(inline);
  if (level === 1) return html`<h1 id=${id}>${words}</h1>`;
  return level === 2 ? html`<h2 id=${id} tabindex="-1">${words}</h2>` : html`<h3 id=${id} tabindex="-1">${words}</h3>`;
}

/** @param {import("../markdown/parse.js").Table} given @param {number} index */
function table({ header, rows }, index) {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Table ${index}">
    <table>
      <thead>
        <tr>
          ${header.map((cell) => html`<th scope="col">${cell.map(inline)}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell.map(inline)}</td>`)}</tr>`)}
      </tbody>
    </table>
  </div>`;
}

/** @param {Inline} given */
function inline(given) {
  if (given.kind === "code") return html`<code>${given.text}</code>`;
  if (given.kind === "strong") return html`<strong>${given.text}</strong>`;
  if (given.kind === "em") return html`<em>${given.text}</em>`;
  if (given.kind === "link" && given.href?.startsWith("https://")) return html`<a href=${given.href} rel="noreferrer">${given.text}</a>`;
  return given.text ? html`${given.text}` : nothing;
}
