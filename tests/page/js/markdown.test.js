import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { parseMarkdown } from "../../../clients/evilpegs_page/markdown/parse.js";

const PROTOCOL = readFileSync(new URL("../../../protocol/README.md", import.meta.url), "utf8");

test("each block has its kind", () => {
  const blocks = parseMarkdown("# One `x`\nText\ngoes on.\n\n* a\n  b\n* c\n1. d\n\n```json\n# no heading\n```\n| h | `a|b` |\n|---|---|\n| 1 | **2** |\n");
  assert.deepEqual(blocks.map(({ kind }) => kind), ["heading", "paragraph", "list", "list", "code", "table"]);
  assert.equal(blocks[0].id, "one-x");
  assert.equal(blocks[1].inlines[0].text, "Text goes on.");
  assert.equal(blocks[2].items[0][0].text, "a b");
  assert.equal(blocks[4].text, "# no heading");
  assert.deepEqual(blocks[5].header[1], [{ kind: "code", text: "a|b" }]);
  assert.deepEqual(blocks[5].rows[0][1], [{ kind: "strong", text: "2" }]);
});

test("inlines nest nothing and lose nothing", () => {
  const [{ inlines }] = parseMarkdown("a *b* **c** `d*e*` [f](g.md) 2 * 3 <b>");
  assert.deepEqual(inlines.map(({ kind }) => kind), ["text", "em", "text", "strong", "text", "code", "text", "link", "text"]);
  assert.equal(inlines.at(-1).text, " 2 * 3 <b>");
});

test("unfinished blocks end with the text", () => {
  assert.deepEqual(parseMarkdown("```\nx"), [{ kind: "code", text: "x" }]);
  assert.deepEqual(parseMarkdown("|"), [{ kind: "table", header: [], rows: [] }]);
  assert.deepEqual(parseMarkdown(""), []);
});

test("the protocol has its tables and loses no word", () => {
  const blocks = parseMarkdown(PROTOCOL);
  const tables = blocks.filter(({ kind }) => kind === "table");
  assert.equal(tables.length, PROTOCOL.match(/^\|---/gm).length);
  for (const table of tables) for (const row of table.rows) assert.equal(row.length, table.header.length);
  const words = JSON.stringify(blocks).match(/\w+/g).length;
  assert.ok(words > PROTOCOL.match(/\w+/g).length);
});
