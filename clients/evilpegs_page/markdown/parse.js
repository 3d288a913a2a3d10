/**
 * The small subset of Markdown in which the protocol is written: headings, paragraphs, lists, tables, code, and within
 * them code, bold, emphasis and links. The result is data; nothing in a text can become markup.
 *
 * @typedef {{kind: "text" | "code" | "strong" | "em" | "link", text: string, href?: string}} Inline
 * @typedef {{kind: "heading", level: number, inlines: Inline[], id: string}} Heading
 * @typedef {{kind: "paragraph", inlines: Inline[]}} Paragraph
 * @typedef {{kind: "code", text: string}} Code
 * @typedef {{kind: "list", ordered: boolean, items: Inline[][]}} List
 * @typedef {{kind: "table", header: Inline[][], rows: Inline[][][]}} Table
 * @typedef {Heading | Paragraph | Code | List | Table} Block
 */

const HEADING = /^(#{1,6}) (.*)$/;
const ITEM = /^(\*|-|\d+\.) +(.*)$/;
const FENCE = /^```/;
const RULE = /^\|[\s|:-]+$/;
const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*|\[([^\]]+)\]\(([^)]*)\)/g;

/**
 * Return the blocks of a text.
 *
 * @param {string} source
 * @returns {Block[]}
 */
export function parseMarkdown(source) {
  const lines = source.replaceAll("\r\n", "\n").split("\n");
  /** @type {Block[]} */
  const blocks = [];
  while (lines.length > 0) {
    if (lines[0].trim() === "") lines.shift();
    else blocks.push(takeBlock(lines));
  }
  return blocks;
}

/** Remove the lines of the first block and return it. @param {string[]} lines @returns {Block} */
function takeBlock(lines) {
  if (FENCE.test(lines[0])) return takeCode(lines);
  const heading = HEADING.exec(lines[0]);
  if (heading !== null) {
    lines.shift();
    return { kind: "heading", level: heading[1].length, inlines: parseInlines(heading[2]), id: slug(heading[2]) };
  }
  if (lines[0].startsWith("|")) return takeTable(lines);
  if (ITEM.test(lines[0])) return takeList(lines);
  return { kind: "paragraph", inlines: parseInlines(takeWhile(lines, (line) => !startsBlock(line)).join(" ")) };
}

/** @param {string} line */
function startsBlock(line) {
  return line.trim() === "" || line.startsWith("|") || FENCE.test(line) || HEADING.test(line) || ITEM.test(line);
}

/** @param {string[]} lines @returns {Code} */
function takeCode(lines) {
  lines.shift();
  const text = [];
  while (lines.length > 0 && !FENCE.test(lines[0])) text.push(/** @type {string} */ (lines.shift()));
  lines.shift();
  return { kind: "code", text: text.join("\n") };
}

/** @param {string[]} lines @returns {Table} */
function takeTable(lines) {
  const rows = takeWhile(lines, (line) => line.startsWith("|"));
  const [header, ...body] = rows.filter((line) => !RULE.test(line)).map((line) => cells(line).map(parseInlines));
  return { kind: "table", header: header ?? [], rows: body };
}

/** Return the cells of a row. A bar within code does not end a cell. @param {string} line */
function cells(line) {
  const inner = line.trim().replace(/^\||\|$/g, "");
  return (inner.match(/(?:`[^`]*`|[^|`]|`)+/g) ?? []).map((cell) => cell.trim());
}

/** @param {string[]} lines @returns {List} */
function takeList(lines) {
  const ordered = /^\d/.test(lines[0]);
  const items = [];
  for (let item = ITEM.exec(lines[0] ?? ""); item !== null && /^\d/.test(item[1]) === ordered; item = ITEM.exec(lines[0] ?? "")) {
    lines.shift();
    items.push(parseInlines([item[2], ...takeWhile(lines, (line) => !startsBlock(line), 0)].join(" ")));
  }
  return { kind: "list", ordered, items };
}

/**
 * Remove the first lines that fit, at least `least`, and return them without blanks around them.
 *
 * @param {string[]} lines
 * @param {(line: string) => boolean} fits
 * @param {number} [least]
 */
function takeWhile(lines, fits, least = 1) {
  const taken = [];
  while (lines.length > 0 && (taken.length < least || fits(lines[0]))) taken.push(/** @type {string} */ (lines.shift()).trim());
  return taken;
}

/** @param {string} text @returns {Inline[]} */
function parseInlines(text) {
  /** @type {Inline[]} */
  const inlines = [];
  let end = 0;
  for (const found of text.matchAll(INLINE)) {
    if (found.index > end) inlines.push({ kind: "text", text: text.slice(end, found.index) });
    inlines.push(inlineOf(found));
    end = found.index + found[0].length;
  }
  if (end < text.length) inlines.push({ kind: "text", text: text.slice(end) });
  return inlines;
}

/** @param {RegExpMatchArray} found @returns {Inline} */
function inlineOf([, code, strong, em, text, href]) {
  if (code !== undefined) return { kind: "code", text: code };
  if (strong !== undefined) return { kind: "strong", text: strong };
  if (em !== undefined) return { kind: "em", text: em };
  return { kind: "link", text, href };
}

/** @param {string} text @returns {string} such as "how-a-match-goes" */
function slug(text) {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, "")
    .trim()
    .replaceAll(" ", "-");
}
