import assert from "node:assert/strict";
import { test } from "node:test";

import { intervalWords, rankWords, shareWords, timeWords } from "../../../clients/evilpegs_page/components/result_words.js";
import { parseRules } from "../../../clients/evilpegs_page/core/rules.js";
import { costliest, insights, luckOf } from "../../../clients/evilpegs_page/replay/insight.js";
import { afterKey, atPosition, clamp, isLast, next } from "../../../clients/evilpegs_page/replay/position.js";
import { readReplay } from "../../../clients/evilpegs_page/replay/timeline.js";
import { vectors } from "./support.js";

const RULES = parseRules("4x6");
const LENGTHS = [3, 0, 2];
const HONEST = vectors("records").honest;

test("keys step through the games", () => {
  assert.deepEqual(afterKey("ArrowRight", LENGTHS, { game: 0, turn: 3 }), { game: 1, turn: 0 });
  assert.deepEqual(afterKey("ArrowLeft", LENGTHS, { game: 1, turn: 0 }), { game: 0, turn: 3 });
  assert.deepEqual(afterKey("ArrowLeft", LENGTHS, { game: 0, turn: 0 }), { game: 0, turn: 0 });
  assert.deepEqual(afterKey("Home", LENGTHS, { game: 2, turn: 2 }), { game: 2, turn: 0 });
  assert.deepEqual(afterKey("End", LENGTHS, { game: 2, turn: 0 }), { game: 2, turn: 2 });
  assert.deepEqual(afterKey("PageDown", LENGTHS, { game: 0, turn: 2 }), { game: 1, turn: 0 });
  assert.equal(afterKey("constructor", LENGTHS, { game: 0, turn: 0 }), null);
});

test("play ends at the last guess", () => {
  let at = { game: 0, turn: 0 };
  const steps = [];
  while (!isLast(LENGTHS, at) && steps.length < 20) steps.push((at = next(LENGTHS, at)));
  assert.deepEqual(steps.map(({ game, turn }) => `${game}.${turn}`), ["0.1", "0.2", "0.3", "1.0", "2.0", "2.1", "2.2"]);
});

test("an address that does not exist leads to the nearest that does", () => {
  for (const wanted of [{ game: NaN, turn: NaN }, { game: -4, turn: -1 }]) assert.deepEqual(clamp(LENGTHS, wanted), { game: 0, turn: 0 });
  assert.deepEqual(clamp(LENGTHS, { game: 9, turn: 1 }), { game: 2, turn: 2 });
  assert.deepEqual(clamp(LENGTHS, { game: 0, turn: 1.5 }), { game: 0, turn: 1 });
  assert.deepEqual(clamp([], { game: 3, turn: 1 }), { game: 0, turn: 0 });
});

test("the place of a replay is put into its address, and taken out of it", () => {
  const at = { game: 1, turn: 3 };
  assert.equal(atPosition("#/match/a%20b?game=9&guess=9", at), "#/match/a%20b?game=2&guess=3");
  assert.equal(atPosition("#/match/a?guess=9"), "#/match/a");
  assert.equal(atPosition("#/replay/4x6?guesses=1122-3344&v=1&guess=1", at), "#/replay/4x6?guesses=1122-3344&v=1&game=2&guess=3");
});

test("an insight has parts, bits and chance", () => {
  const [first, last] = insights(RULES, [
    { code: "1122", black: 0, white: 0 },
    { code: "3344", black: 4, white: 0 },
  ]);
  assert.deepEqual([first.before, first.after, first.parts.length], [1296, 256, 13]);
  assert.equal(first.chance, 1);
  assert.equal(first.bits.toFixed(3), "2.340");
  assert.equal(first.expectedBits.toFixed(3), "2.885");
  assert.deepEqual([last.before, last.after, last.chance], [256, 1, 1 / 256]);
});

test("luck is in guesses and positive if it was good, unlike in JSON", () => {
  assert.equal(luckOf([{ luck: 0.25 }, { luck: -0.75 }]), 0.5);
  assert.equal(luckOf([{ luck: 0.25 }, { luck: null }]), null);
  assert.equal(luckOf([null]), null);
  assert.equal(luckOf([{}]), null);
});

test("the costliest guesses come first, and those that cost nothing are left out", () => {
  const games = [{ game: 1, turns: [{ code: "1122" }, { code: "3344" }] }, { game: 3, turns: [{ code: "1234" }, { code: "1235" }] }];
  const exact = (cost) => ({ regret: { kind: "exact", at_least: cost, at_most: cost }, optimal: "1123" });
  const worths = { 1: [exact(0.2), null], 3: [{ regret: { kind: "at least", at_least: 0.5, at_most: null }, optimal: null }, exact(0)] };
  const found = costliest(games, ({ game }, turn) => worths[game][turn]);
  assert.deepEqual(found, [
    { game: 1, turn: 1, code: "1234", worth: worths[3][0] },
    { game: 0, turn: 1, code: "1122", worth: exact(0.2) },
  ]);
  assert.equal(costliest(games, () => exact(1), 3).length, 3);
  assert.deepEqual(costliest(games, () => null), []);
});

test("a feedback that no code gives brings nothing", () => {
  const known = insights(RULES, [
    { code: "1111", black: 4, white: 0 },
    { code: "2222", black: 4, white: 0 },
    { code: "3333", black: 0, white: 0 },
  ]);
  assert.deepEqual(known.map(({ before, after }) => [before, after]), [[1296, 1], [1, 0], [0, 0]]);
  assert.deepEqual(known.map(({ bits }) => bits === null), [false, true, true]);
});

test("large rules show what a practice record reveals", () => {
  const rules = parseRules("8x10");
  const turn = { code: "11112222", black: 0, white: 0 };
  assert.equal(insights(rules, [{ ...turn, parts: null }])[0].before, 10 ** 8);
  const [known] = insights(rules, [{ ...turn, parts: [[0, 0, 60], [0, 1, 40]] }]);
  assert.deepEqual([known.before, known.after], [100, 60]);
});

test("every record of the vectors can be replayed", () => {
  for (const { name, events } of HONEST) {
    const replay = readReplay(events);
    assert.equal(replay.over, true, name);
    const feedbacks = events.filter((event) => event.type === "feedback");
    assert.equal(replay.games.flatMap((game) => game.turns).length, feedbacks.length, name);
    for (const game of replay.games) {
      for (const { before, after } of insights(replay.rules, game.turns)) assert.ok(before === null || after === null || after >= 1, name);
    }
  }
});

test("a broken record shows what can be shown", () => {
  const [start, ...rest] = structuredClone(HONEST.find(({ name }) => name === "evil").events);
  const broken = rest.map((event, index) => (event.type === "feedback" && index % 2 ? { ...event, code: "<b>", black: -1 } : event));
  assert.ok(readReplay([start, ...broken]).games.every((game) => game.turns.every((turn) => /^[1-6]{4}$/.test(turn.code))));
  assert.throws(() => readReplay([{ type: "match_started", rules: "<b>" }]), /cannot be shown|is not a record/);
});

test("figures of rows are words", () => {
  assert.equal(rankWords({ rank: 1, rank_worst: 3 }), "1–3");
  assert.equal(rankWords({ rank: 2, rank_worst: 2 }), "2");
  assert.equal(rankWords({ rank: null, rank_worst: null }), "–");
  assert.equal(rankWords({ rank: null, placed: true, place: 4 }), "(4)");
  assert.equal(rankWords({ rank: null, placed: false, place: 5 }), "–");
  const row = { score: 4.4, low: 4, high: 5, adjusted_mean: null, adjusted_low: null, adjusted_high: null };
  assert.equal(intervalWords(row), "4.00–5.00");
  assert.equal(intervalWords({ ...row, low: null, high: null }), "");
  assert.equal(intervalWords({ ...row, score: 4.2, adjusted_mean: 4.2, adjusted_low: 4.1, adjusted_high: 4.3 }), "4.10–4.30");
  assert.equal(intervalWords({ ...row, score: 4.2, adjusted_mean: 4.2 }), "");
  assert.equal(shareWords(0.99999), "99.9 %");
  assert.equal(timeWords(9.96), "10 ms");
  assert.equal(timeWords(1234), "1.2 s");
});
