/** The documents of this version as HTML: from their Markdown, with addresses of this page. Markup in a text is shown as text. */

import { Marked, Renderer } from "./vendor/marked.js";

/**
 * Return a document as HTML, with links to its parts below the title. What is wider than a phone scrolls in a box of its
 * own, also by key. Links to files that are no documents are text.
 * @param {string} text @param {string} name its own @param {readonly string[]} names of all documents
 * @param {string} folder the address of their pictures
 */
export function documentHtml(text, name, names, folder) {
  /** @type {string[]} */
  const links = [];
  let boxes = 0;
  /** @param {string} label */
  const box = (label) => `class="scroll" tabindex="0" role="region" aria-label="${label} ${++boxes}"`;
  const plain = new Renderer();
  const marked = new Marked({
    renderer: {
      html: (token) => escaped(token.text),
      heading({ tokens, depth }) {
        const words = this.parser.parseInline(tokens);
        const part = partOf(words);
        if (depth === 2) links.push(`<a href="#/docs/${name}?part=${part}">${words}</a>`);
        return `<h${depth} id="${part}" tabindex="-1">${words}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens);
        const address = /^https:/.test(href) ? escaped(href) : ownAddress(href, name, names);
        return address === null ? words : `<a href="${address}">${words}</a>`;
      },
      image: ({ href, text: words }) => (
        /^\w+\.svg$/.test(href) ? `<img src="${escaped(`${folder}${href}`)}" alt="${escaped(words)}">` : escaped(words)
      ),
      code: (token) => plain.code(token).replace("<pre>", `<pre ${box("Example")}>`),
      table(token) {
        plain.parser = this.parser;
        return `<div ${box("Table")}>${plain.table(token).replaceAll("<th", '<th scope="col"').replace('<th scope="col"ead', "<thead")}</div>`;
      },
    },
  });
  const html = marked.parse(text, { async: false });
  return html.replace("</h1>\n", `</h1>\n<nav aria-label="Contents">${links.join("\n")}</nav>\n`);
}

/** Return the address in this page of what a document links to, or null. @param {string} href @param {string} name @param {readonly string[]} names */
function ownAddress(href, name, names) {
  const [path = "", part = ""] = href.split("#", 2);
  const named = path.endsWith("protocol/README.md") ? "protocol" : /^(?:\.\.\/)?(?:docs\/)?(\w+)\.md$/.exec(path)?.[1];
  const target = path === "" ? name : named;
  if (target === undefined || !names.includes(target)) return null;
  return `#/docs/${target}${part && `?part=${encodeURIComponent(part)}`}`;
}

/** Return the name of a heading in an address, such as "how-a-match-goes". @param {string} words its HTML */
function partOf(words) {
  return words.replace(/<[^>]*>|&[#\w]+;/g, "").toLowerCase().replace(/[^a-z0-9 _-]/g, "").trim().replaceAll(" ", "-");
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
