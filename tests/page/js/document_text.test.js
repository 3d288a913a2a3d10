import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

import { documentHtml } from "../../../clients/evilpegs_page/document_text.js";

const ROOT = new URL("../../../", import.meta.url);
const NAMES = readdirSync(new URL("docs", ROOT)).filter((name) => name.endsWith(".md")).map((name) => name.slice(0, -3)).concat("protocol");
const read = (name) => readFileSync(new URL(name === "protocol" ? "protocol/README.md" : `docs/${name}.md`, ROOT), "utf8");
const shown = (text) => documentHtml(text, "tour", NAMES, "static/documents/");
const tags = (text) => [...text.matchAll(/<(\w+)([^>]*)>/g)].map(([, name, attributes]) => [name, attributes.trim()]);
const addresses = (text) => [...text.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address]) => address);
const TAGS = new Set("p ul ol li pre code strong em del h1 h2 h3 nav a img div table thead tbody tr th td br".split(" "));
const ATTRIBUTES = new Set("id tabindex class role aria-label scope align href src alt start".split(" "));

test("markup in a text is shown as text", () => {
  const text = shown("# <b>\n\na <script>x</script> <i onclick=x>\n\n    <i>\n\n<table>\n");
  assert.deepEqual(tags(text).map(([name]) => name), ["h1", "nav", "p", "pre", "code"]);
  assert.ok(text.includes("&lt;script&gt;x&lt;/script&gt;"));
});

test("links lead to documents, to their parts and to other sites", () => {
  const text = "[a](scoring.md) [b](../protocol/README.md#errors) [c](#one-x) [d](https://example.org/?a&b) [e](docs/page.md#x)";
  assert.deepEqual(addresses(shown(text)), [
    "#/docs/scoring", "#/docs/protocol?part=errors", "#/docs/tour?part=one-x", "https://example.org/?a&amp;b", "#/docs/page?part=x",
  ]);
});

test("links to what the page does not have are text", () => {
  const text = shown("[f](../README.md) [g](../examples/bot.py) [x](javascript:x) [y](data:text/html,x) [z](//example.org) [h](http://x)");
  assert.deepEqual(addresses(text), []);
  assert.match(text, /f g x y z h/);
});

test("pictures are those of the documents", () => {
  assert.deepEqual(addresses(shown('![a "b"](scoring.svg)')), ["static/documents/scoring.svg"]);
  assert.deepEqual(addresses(shown("![words](https://example.org/x.svg) ![words](../x.svg) ![words](x.png)")), []);
});

test("parts are linked and wide blocks scroll", () => {
  const text = shown("# T\n\n## One `x`, two\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n```json\n{}\n```\n");
  assert.deepEqual(addresses(text), ["#/docs/tour?part=one-x-two"]);
  assert.match(text, /<h2 id="one-x-two" tabindex="-1">One <code>x<\/code>, two<\/h2>/);
  assert.deepEqual(tags(text).filter(([, attributes]) => attributes.includes("region")), [
    ["div", 'class="scroll" tabindex="0" role="region" aria-label="Table 1"'],
    ["pre", 'class="scroll" tabindex="0" role="region" aria-label="Example 2"'],
  ]);
  assert.deepEqual(tags(text).filter(([name]) => name === "th").map(([, attributes]) => attributes), ['scope="col"', 'scope="col" align="right"']);
  assert.ok(!text.includes("style="));
});

for (const name of NAMES) {
  test(`${name} has plain markup, loses no word, and leads only to parts that exist`, () => {
    const source = read(name);
    const text = documentHtml(source, name, NAMES, "static/documents/");
    for (const [tag, attributes] of tags(text)) {
      assert.ok(TAGS.has(tag), tag);
      for (const [, attribute] of attributes.matchAll(/([\w-]+)="[^"]*"/g)) assert.ok(ATTRIBUTES.has(attribute), attribute);
    }
    const words = (some) => some.replaceAll(/&(lt|gt|amp|quot|#39);/g, " ").match(/\p{L}+/gu);
    const plain = source.replaceAll(/!?\]\([^)]*\)|^ *```\w*/gm, " ");
    assert.deepEqual(words(text.replace(/<nav.*?<\/nav>/s, "").replaceAll(/<img[^>]*alt="([^"]*)">/g, "$1").replaceAll(/<[^>]*>/g, " ")), words(plain));
    for (const address of addresses(text)) {
      const [, other, part] = /^#\/docs\/(\w+)(?:\?part=(.*))?$/.exec(address) ?? [];
      if (other && part) assert.ok(documentHtml(read(other), other, NAMES, "").includes(`id="${part}"`), address);
    }
  });
}
