import assert from "node:assert/strict";
import { test } from "node:test";

import { parity, qrCode, qrPath } from "../../../clients/evilpegs_page/core/qr.js";

const LINE = "http://192.0.2.10:8000/#/server/classic?and=more&";
const text = (length) => LINE.repeat(4).slice(0, length);
/** The most bytes that each version holds with error correction M. */
const CAPACITIES = [14, 26, 42, 62, 84, 106, 122, 152, 180];
/** The formats of M by mask, and the versions from 7 on, as the tables of the standard have them. */
const FORMATS = [
  "101010000010010", "101000100100101", "101111001111100", "101101101001011",
  "100010111111001", "100000011001110", "100111110010111", "100101010100000",
];
const VERSIONS = { 7: "000111110010010100", 8: "001000010110111100", 9: "001001101010011001" };
const FINDER = ["1111111", "1000001", "1011101", "1011101", "1011101", "1000001", "1111111"];

const part = (code, top, left, height, width = height) => code.slice(top, top + height).map((row) => row.slice(left, left + width));

test("a text takes the smallest version that holds it", () => {
  for (const [index, most] of CAPACITIES.entries()) {
    assert.equal(qrCode(text(most)).length, 21 + 4 * index);
    if (index < 8) assert.equal(qrCode(text(most + 1)).length, 25 + 4 * index);
  }
  assert.deepEqual(qrCode(text(181)), []);
  assert.equal(qrCode("é".repeat(8)).length, 25);
});

test("every code has finders, timing, and both copies of its format and version", () => {
  const masks = new Set();
  for (let length = 0; length <= 180; length += 3) {
    const code = qrCode(text(length));
    const size = code.length;
    for (const [top, left] of [[0, 0], [0, size - 7], [size - 7, 0]]) assert.deepEqual(part(code, top, left, 7), FINDER);
    assert.match(code[6].slice(7, size - 7), /^0(10)+$/);
    assert.match(code.map((row) => row[6]).join("").slice(7, size - 7), /^0(10)+$/);
    const row = code[8];
    const column = code.map((each) => each[8]).join("");
    const first = row.slice(0, 6) + row[7] + row[8] + column[7] + [...column.slice(0, 6)].reverse().join("");
    const second = [...column.slice(size - 7)].reverse().join("") + row.slice(size - 8);
    assert.equal(first, second);
    assert.ok(FORMATS.includes(first));
    masks.add(first);
    assert.equal(column[size - 8], "1");
    const version = (size - 17) / 4;
    if (version < 7) continue;
    const corner = part(code, 0, size - 11, 6, 3).join("");
    assert.equal([...corner].reverse().join(""), VERSIONS[version]);
    assert.equal(part(code, size - 11, 0, 3, 6).map((each) => [...each]).reduce((joined, each) => joined.map((cell, index) => cell + each[index])).join(""), corner);
  }
  assert.ok(masks.size >= 6, "the mask is chosen");
});

test("error correction is that of the standard's example", () => {
  const data = [16, 32, 12, 86, 97, 128, 236, 17, 236, 17, 236, 17, 236, 17, 236, 17];
  assert.deepEqual(parity(data, 10), [165, 36, 212, 193, 237, 54, 199, 135, 44, 85]);
});

test("a path covers exactly the dark modules", () => {
  assert.equal(qrPath(["0110", "1001"]), "M1 0h2v1h-2zM0 1h1v1h-1zM3 1h1v1h-1z");
});
