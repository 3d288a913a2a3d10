// The link with a code for a friend, and the result that comes back: every part that was changed is refused.

import assert from "node:assert/strict";
import test from "node:test";

import { GameError, UnreadableError } from "../../../clients/evilpegs_page/core/errors.js";
import { checkResult, findSecret, makeSecret, readSecret, resultText, secretAddress, secretGame } from "../../../clients/evilpegs_page/core/own_secret.js";
import { formatRules, parseRules } from "../../../clients/evilpegs_page/core/rules.js";
import { findRoute } from "../../../clients/evilpegs_page/routes.js";
import { vectors } from "./support.js";

const shared = vectors("challenges");
const nonce = "0123456789abcdef";
const secret = makeSecret(parseRules("4x6"), 10, "1234", nonce);
const address = secretAddress(secret);

function open(link) {
  const { route, params, query } = findRoute(link);
  assert.equal(route.tag, "secret-view");
  return readSecret(params.rules, query);
}

function played(...guesses) {
  const game = secretGame(secret);
  guesses.forEach((guess) => game.guess(guess));
  return game;
}

test("a link carries rules, limit, code and commitment, for rules of every kind", () => {
  for (const [rules, limit, code] of [["4x6", 10, "1234"], ["4x10-distinct", 1, "9012"], ["1x34", 99, "Z"], ["16x2", 20, "1212121212121212"]]) {
    const made = makeSecret(parseRules(rules), limit, code);
    const link = secretAddress(made);
    assert.deepEqual(open(link), made);
    assert.ok(!link.replace(`${rules}?`, "").includes(code) || code.length === 1, link);
    assert.ok(link.length <= 160, link); // so that a QR code holds it
  }
});

test("links, and results of games, agree with Python", () => {
  for (const [link, rules, limit, code, commitment] of shared.links) {
    const read = open(link);
    assert.deepEqual([formatRules(read.rules), read.limit, read.code, read.commitment], [rules, limit, code, commitment]);
    assert.equal(secretAddress(read), link);
  }
  for (const [link, guesses, text, letters] of shared.results) {
    const read = open(link);
    const game = secretGame(read);
    guesses.forEach((guess) => game.guess(guess));
    assert.equal(resultText(read, game), text);
    for (const each of [text, letters]) assert.deepEqual(checkResult(each, [read]).game.toJSON(), game.toJSON());
  }
});

test("links that Python refuses are refused", () => {
  for (const link of shared.broken) assert.throws(() => open(link), GameError, link);
});

test("links to the same code differ", () => {
  assert.equal(new Set(Array.from({ length: 20 }, () => secretAddress(makeSecret(secret.rules, 10, "1234")))).size, 20);
});

test("a link of which any character was changed is refused", () => {
  const start = address.indexOf("limit=");
  const end = address.indexOf("&v="); // which is 1 in a link without it
  for (let place = start; place < end; place++) {
    const other = address[place] === "1" ? "2" : "1";
    const changed = address.slice(0, place) + other + address.slice(place + 1);
    assert.throws(() => open(changed), UnreadableError, changed);
    assert.throws(() => open(address.slice(0, place)), UnreadableError, `cut at ${place}`);
  }
});

test("a link with other rules, another limit or a part of another link is refused", () => {
  const other = secretAddress(makeSecret(secret.rules, 10, "1234"));
  const part = (link, name) => findRoute(link).query.get(name);
  const swap = (name) => address.replace(part(address, name), part(other, name));
  for (const changed of [swap("set"), swap("commitment"), address.replace("4x6", "4x7"), address.replace("limit=10", "limit=11"), address.replace("limit=10", "limit=0"),
    address.replace("limit=10", "limit=1e1"), address.replace("limit=10", "limit=010"), address.replace("v=1", "v=2"), address.replace("4x6", "4x6-distinct")]) {
    assert.notEqual(changed, address);
    assert.throws(() => open(changed), UnreadableError, changed);
  }
  for (const rules of ["17x6", "4y6", "<b>", "9x9"]) assert.throws(() => secretGame(open(address.replace("4x6", rules))), GameError, rules);
});

test("a commitment to what is no code is refused", () => {
  for (const [rules, code] of [["4x6", "1237"], ["4x6-distinct", "1123"], ["4x6", "123?"]]) {
    assert.throws(() => open(secretAddress(makeSecret(parseRules(rules), 10, code))), UnreadableError, code);
  }
});

test("a link is found in a text", () => {
  assert.deepEqual(findSecret(`Here: http://192.0.2.10:8000/${address}\nHave fun!`), secret);
  assert.equal(findSecret("no link, but 4x6 #/secret/ and #/secret/4x6"), null);
  assert.throws(() => findSecret(address.slice(0, -70)), UnreadableError);
});

test("a result that holds is read, as it comes through a messenger or from a terminal", () => {
  for (const guesses of [["1122", "1344", "1234"], ["1234"], Array(10).fill("6666"), ["5555"]]) {
    const text = resultText(secret, played(...guesses));
    const letters = text.replaceAll("⚫", "B").replaceAll("⚪", "W").replaceAll("·", ".");
    for (const pasted of [text, `Hi!\n\n${text}\nBye`, `> ${text.replaceAll("\n", "\r\n> ")}`, text.replaceAll("⚫", "⚫\uFE0F"), letters, `  ${text.replaceAll("\n", "  \n\n ")}`]) {
      const { secret: found, game } = checkResult(pasted, [makeSecret(secret.rules, 10, "4321"), secret]);
      assert.deepEqual([found, game.turns.map(({ code }) => code)], [secret, guesses]);
    }
  }
});

test("hints are said", () => {
  const game = played("1122", "1234");
  game.hinted = true;
  const text = resultText(secret, game);
  assert.equal(checkResult(text, [secret]).game.hinted, true);
  assert.throws(() => checkResult(text.replace(" with hints", ""), [secret]), /checksum/);
});

test("a result of which anything was changed is refused in one line that says what", () => {
  const text = resultText(secret, played("1122", "1344", "1234"));
  const lines = text.split("\n");
  for (const [changed, what] of [
    [text.replace("3/10", "2/10"), /checksum/],
    [text.replace("4x6", "5x8"), /checksum/],
    [text.replace("1344", "1345"), /checksum/],
    [lines.toSpliced(1, 1).join("\n"), /checksum/],
    [lines.toSpliced(1, 0, lines[1]).join("\n"), /checksum/],
    [text.slice(0, -1) + (text.endsWith("0") ? "1" : "0"), /checksum/],
    [text.replace("1122 ⚫", "1122 ⚪"), /reply 1 is not right/],
    [text.replace("1344 ⚫⚫⚪·", "1344 ⚫⚫⚪"), /reply 2 is not right/],
    [text.replace(/challenge .{16}/, "challenge 0123456789abcdef"), /not set in this browser/],
    [text.slice(0, -1), /not a result/],
    [lines.slice(1).join("\n"), /not a result/],
    [lines.slice(0, -1).join("\n"), /not a result/],
    [text.replace("1122 ", "1122"), /not a result/],
    ["", /not a result/],
    ["evilpegs 4x6 fixed 3/10", /not a result/],
    [address, /not a result/],
  ]) {
    assert.notEqual(changed, text);
    assert.throws(() => checkResult(changed, [secret]), (error) => error instanceof UnreadableError && what.test(error.message) && !error.message.includes("\n"), changed);
  }
});

test("somebody who computes the checksum too cannot claim other guesses than the rules allow", () => {
  const claim = (limit, ...guesses) => {
    const other = makeSecret(secret.rules, limit, "1234", nonce);
    const game = secretGame(other);
    guesses.forEach((guess) => game.guess(guess));
    return resultText({ ...other, commitment: secret.commitment }, game);
  };
  assert.throws(() => checkResult(claim(12, ...Array(11).fill("6666")), [secret]), /guess 11 is not possible/);
  assert.throws(() => checkResult(claim(12, "1234"), [secret]), /first line is not right/);
});
