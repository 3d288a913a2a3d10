// SHA-256, HMAC, canonical JSON and what follows from a nonce agree with Python and the published test cases.

import assert from "node:assert/strict";
import test from "node:test";

import { canonical, eventHash, GENESIS } from "../../../clients/evilpegs_page/core/canonical.js";
import { codeAt, formatCode } from "../../../clients/evilpegs_page/core/codes.js";
import { commitment, secretIndex, tieIndex, tieShare } from "../../../clients/evilpegs_page/core/commitment.js";
import { countCodes, parseRules } from "../../../clients/evilpegs_page/core/rules.js";
import { fromHex, hmacSha256, sha256, sha256Hex, toHex } from "../../../clients/evilpegs_page/core/sha256.js";
import { vectors } from "./support.js";

const hashes = vectors("hashes");
const MATCH = "0123456789abcdef";

test("SHA-256 agrees with Python", () => {
  for (const [text, digest] of hashes.sha256) {
    assert.equal(sha256Hex(text), digest);
  }
  assert.equal(sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"); // FIPS 180-4
});

test("SHA-256 of every length up to three blocks agrees with node", async () => {
  const { createHash } = await import("node:crypto");
  for (let length = 0; length <= 192; length++) {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 37 + length) % 256);
    assert.equal(toHex(sha256(bytes)), createHash("sha256").update(bytes).digest("hex"));
  }
});

test("HMAC agrees with Python and RFC 4231", () => {
  for (const [key, message, digest] of hashes.hmac) {
    assert.equal(toHex(hmacSha256(fromHex(key), fromHex(message))), digest);
  }
});

test("one changed bit is noticed", () => {
  const [key, message, digest] = hashes.hmac[0];
  assert.notEqual(toHex(hmacSha256(fromHex(key.replace(/b$/, "a")), fromHex(message))), digest);
  assert.notEqual(sha256Hex("abd"), sha256Hex("abc"));
});

test("hex digits are checked", () => {
  assert.deepEqual([...fromHex("00fFa0")], [0, 255, 160]);
  for (const text of ["0", "0g", "zz"]) {
    assert.throws(() => fromHex(text), RangeError);
  }
});

test("canonical JSON agrees with Python", () => {
  for (const [json, text] of hashes.canonical) {
    assert.equal(canonical(JSON.parse(json)), text);
  }
});

test("what canonical JSON lacks is refused", () => {
  for (const json of hashes.no_canonical) {
    assert.throws(() => canonical(JSON.parse(json)), TypeError, json);
  }
  for (const value of [undefined, NaN, Infinity, 1n, () => 1, Symbol("x"), [undefined], new Array(2), { a: undefined }]) {
    assert.throws(() => canonical(value), TypeError);
  }
});

test("hashes form a chain as in Python", () => {
  const [texts, chain] = hashes.chain;
  let hash = GENESIS;
  texts.forEach((text, index) => {
    hash = eventHash(hash, text);
    assert.equal(hash, chain[index]);
  });
});

test("commitments agree with Python", () => {
  for (const [match, game, rules, nonce, expected] of hashes.commitments) {
    assert.equal(commitment(match, game, rules, nonce), expected);
    assert.notEqual(commitment(match, game + 1, rules, nonce), expected);
  }
});

test("secrets agree with Python", () => {
  for (const [name, nonce, client, game, secret] of hashes.secrets) {
    const rules = parseRules(name);
    assert.equal(formatCode(codeAt(rules, secretIndex(nonce, client, MATCH, game, countCodes(rules)))), secret);
  }
});

test("draws of a secret beyond the largest multiple are rejected", () => {
  const [, nonce] = hashes.secrets[0];
  const codes = (1n << 255n) + 1n; // nearly every second draw is rejected
  const drawn = Array.from({ length: 20 }, (_, game) => secretIndex(nonce, null, MATCH, game, codes));
  assert.ok(drawn.every((index) => index >= 0n && index < codes));
});

test("ties agree with Python and the protocol page", () => {
  for (const [nonce, game, turn, tied, share, index] of hashes.ties) {
    assert.equal(tieIndex(nonce, MATCH, game, turn, tied, share), index);
  }
  const zeros = "0".repeat(64);
  const shares = [tieShare(2, "my-own-luck"), tieShare(2, null), tieShare(null, "my-own-luck")];
  assert.deepEqual(shares.map((share) => tieIndex(zeros, MATCH, 1, 1, 1e9, share)), [123394498, 520066348, 322839220]);
});
