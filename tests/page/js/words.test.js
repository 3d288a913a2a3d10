import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

import {
  clockFace, clockWords, codemakerWords, duration, kindName, ladderTitle, outcomeWords, ratedWords, rulesWords, timesWords,
} from "../../../clients/evilpegs_page/game/ladder_words.js";
import { boundsWords, costWords, elapsedFace, formatNumber, luckWords, rulesName } from "../../../clients/evilpegs_page/components/words.js";
import { connectionStatus } from "../../../clients/evilpegs_page/game/status_words.js";

const CLOCK = { base_ms: 60_000, increment_ms: 1_000 };

test("rules are words", () => {
  assert.equal(rulesWords("4x10-distinct"), "4 pegs, 10 colors, no color twice");
  assert.equal(rulesName("5x8"), "5×8");
  assert.equal(rulesWords("<b>"), "<b>");
});

test("clocks are words", () => {
  assert.equal(clockWords(null), "No clock: take your time.");
  assert.equal(clockWords(CLOCK), "1 minute for each game, and 1 second more after each guess.");
  assert.equal(clockWords({ base_ms: 5_000, increment_ms: 0 }), "5 seconds for each game.");
  assert.equal(duration(90_000), "90 seconds");
});

test("ladders have titles and say what counts", () => {
  const ladder = { rated: true, clock: CLOCK, rules: "4x6", codemaker: "evil", games: 4 };
  assert.equal(ladderTitle(ladder), "Rated: 4×6 against evil");
  assert.equal(kindName({ rated: true, clock: { base_ms: 10_000, increment_ms: 0 } }), "Rated, fast");
  assert.equal(kindName({ rated: true, clock: { base_ms: 5_000, increment_ms: 0 } }), "For bots");
  assert.equal(kindName({ rated: true, clock: { base_ms: 600_000, increment_ms: 0 }, kind: "human" }), "For people");
  assert.match(ratedWords(ladder), /^4 games that count/);
  assert.match(ratedWords({ rated: true, games: 1 }), /^One game that counts/);
  assert.match(ratedWords({ rated: false, games: 1 }), /^One game\./);
});

test("a ladder says when matches begin", () => {
  const show = (/** @type {number} */ ms) => `${ms}`;
  assert.equal(timesWords({}), "");
  assert.equal(timesWords({ opens: 1 }, show), "Matches can start from 1.");
  assert.equal(timesWords({ closes: 2 }, show), "Matches can start until 2.");
  assert.equal(timesWords({ opens: 1, closes: 2 }, show), "Matches can start from 1 until 2.");
  assert.match(timesWords({ opens: 1_795_770_000_000 }), /^Matches can start from Nov 27, 2026/);
});

test("unknown codemakers and outcomes are shown as they are", () => {
  for (const odd of ["angel", "__proto__", "constructor"]) {
    assert.equal(codemakerWords(odd).title, odd);
    assert.equal(outcomeWords(odd), odd);
  }
});

test("numbers are exact while they are small", () => {
  assert.deepEqual([1296, 1e6, 61_917_364_224n, 56_693_912_375_296].map(formatNumber), [
    "1,296", "1,000,000", "61.9 billion", "56.7 trillion",
  ]);
});

test("a clock shows tenths at its end", () => {
  assert.deepEqual([61_999, 10_000, 9_999, 50, 0].map(clockFace), ["1:01", "0:10", "9.9", "0.0", "0.0"]);
});

test("every state of a connection has its words and the one thing to do", () => {
  const at = (state, more = {}, facts = {}) =>
    connectionStatus({ state, isDraining: false, retryAt: null, ...more }, { hasMatch: true, isTimed: false, now: 0, ...facts });
  assert.equal(at("open"), null);
  assert.equal(at("asleep"), null);
  assert.equal(at("displaced").action, "take back");
  assert.deepEqual(at("waiting", { retryAt: 2_500 }), {
    text: "Reconnecting… your match is kept. Trying again in 3 seconds.", action: "try now",
  });
  assert.match(at("waiting", {}, { isTimed: true }).text, /server is down, no clock runs; while only you are offline, yours does/);
  assert.match(at("waiting", { isDraining: true }, { isTimed: true }).text, /no clock runs/);
  assert.match(at("waiting", {}, { hasMatch: false }).text, /does not answer/);
  assert.match(at("resuming").text, /^Reconnecting/);
  assert.match(at("open", { isDraining: true }).text, /about to stop/);
});

test("a stopwatch shows seconds, minutes and hours, and never a negative time", () => {
  assert.deepEqual([-5_000, 999, 7_000, 61_000, 3_723_999].map(elapsedFace), ["0:00", "0:00", "0:07", "1:01", "1:02:03"]);
});

test("the core uses nothing but the core", () => {
  const folder = new URL("../../../clients/evilpegs_page/core/", import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".js"));
  const imports = files.flatMap((name) => {
    const module = new URL(name, folder);
    return [...readFileSync(module, "utf8").matchAll(/^(?:import|export)\b[^;]*?"(\.[^"]+)";/gm)].map(([, path]) => [name, new URL(path, module).href]);
  });
  assert.ok(imports.length > files.length);
  assert.deepEqual(imports.filter(([, address]) => !address.startsWith(folder.href)), []);
});

test("a regret is exact or within bounds", () => {
  const words = [[0.4, 0.4], [0, 0.66], [0.495, 0.9], [0.5, null]].map(([low, high]) => boundsWords({ at_least: low, at_most: high }));
  assert.deepEqual(words, ["0.40", "at most 0.66", "0.49 to 0.90", "at least 0.50"]);
});

test("against evil guesses are lost for sure, and whole", () => {
  const needed = { at_least: 3, at_most: 3 };
  const words = [[1, 1], [0, 1], [1, 2], [2, null]].map(([low, high]) => costWords({ regret: { at_least: low, at_most: high }, needed }));
  assert.deepEqual(words, ["1 guess", "at most 1 guess", "1 to 2 guesses", "at least 2 guesses"]);
  assert.equal(costWords({ regret: { at_least: 0.4, at_most: 0.4 }, needed: null }), "0.40 guesses");
});

test("luck has a sign, and those who choose their replies give none", () => {
  assert.match(luckWords(0.8, "fixed"), /\+0\.80 guesses.*better/);
  assert.match(luckWords(-0.8, "fixed"), /−0\.80 guesses.*worse/);
  assert.match(luckWords(-0.001, "fixed"), / 0\.00 guesses/);
  assert.deepEqual([luckWords(null, "fixed"), luckWords(null, "evil"), luckWords(1, "devil")], ["", "Against evil there is no luck.", "Against the devil there is no luck."]);
});
