// The results of the page's own games: each counts once, sums, streaks, and files.

import assert from "node:assert/strict";
import test from "node:test";

import { dayEnd } from "../../../clients/evilpegs_page/core/daily.js";
import { UnreadableError } from "../../../clients/evilpegs_page/core/errors.js";
import { LocalGame } from "../../../clients/evilpegs_page/core/local_game.js";
import { cleanResults, formatResults, parseResults, streak, sumUp, withResult } from "../../../clients/evilpegs_page/core/results.js";
import { parseRules } from "../../../clients/evilpegs_page/core/rules.js";

const TODAY = "2026-12-20";

function game(guesses, { seed = "7f3a", resigned = false } = {}) {
  const rules = parseRules("3x5");
  const played = new LocalGame({ rules, codemaker: "fixed", seed: undefined, secret: "123" });
  played.seed = seed;
  guesses.forEach((code) => played.guess(code));
  if (resigned) played.resign();
  return played;
}

test("a game counts once it is over, with its first result", () => {
  assert.deepEqual(withResult({}, game(["111"]), "", TODAY), {});
  const results = withResult({}, game(["111", "123"]), "", TODAY);
  assert.deepEqual(results, { "3x5-fixed 7f3a": 2 });
  assert.deepEqual(withResult(results, game(["123"]), "", TODAY), results);
  assert.deepEqual(withResult({}, game(["111"], { resigned: true }), "", TODAY), { "3x5-fixed 7f3a": 0 });
  assert.deepEqual(withResult({}, game(["123"], { seed: undefined }), "", TODAY), { "3x5-fixed 7f3a": 1 });
});

test("a game without a seed has no name, and that of a day the name of the day", () => {
  const old = game(["123"]);
  old.seed = undefined;
  assert.deepEqual(withResult({}, old, "", TODAY), {});
  assert.deepEqual(withResult({}, old, TODAY, TODAY), { [`3x5-fixed daily ${TODAY}`]: 1 });
  assert.deepEqual(withResult({}, old, "2026-12-19", TODAY), { "3x5-fixed late 2026-12-19": 1 });
});

test("a game with hints does not count", () => {
  const hinted = game(["123"]);
  hinted.hinted = true;
  assert.deepEqual(withResult({}, hinted, "", TODAY), {});
});

test("results add up by rules", () => {
  assert.deepEqual(sumUp({ "5x8-fixed a": 0, "4x6-evil a": 10, "4x6-evil d": 0, "4x6-evil b": 7, "4x6-evil c": 10 }), [
    { rules: "4x6-evil", played: 4, solved: 3, histogram: [{ guesses: 7, games: 1 }, { guesses: 10, games: 2 }, { guesses: 0, games: 1 }] },
    { rules: "5x8-fixed", played: 1, solved: 0, histogram: [{ guesses: 0, games: 1 }] },
  ]);
  assert.deepEqual(sumUp({}), []);
});

test("a streak ends today or yesterday, and only games solved on their day are part of it", () => {
  const days = (...dates) => Object.fromEntries(dates.map((date) => [`4x6-evil daily ${date}`, 5]));
  assert.equal(streak(days("2026-12-18", "2026-12-19"), TODAY), 2);
  assert.equal(streak(days("2026-12-18", "2026-12-19", TODAY), TODAY), 3);
  assert.equal(streak(days("2026-12-17", "2026-12-18"), TODAY), 0);
  assert.equal(streak(days("2026-12-31", "2027-01-01"), "2027-01-01"), 2);
  assert.equal(streak({ ...days("2026-12-18", TODAY), "4x6-evil late 2026-12-19": 5 }, TODAY), 1);
  assert.equal(streak({ ...days("2026-12-19"), [`4x6-evil daily ${TODAY}`]: 0 }, TODAY), 1);
});

test("a file brings the results back, and nonsense in it is left out", () => {
  const results = { "4x6-evil 7f3a": 5, "4x10-distinct-fixed daily 2026-12-08": 0 };
  assert.deepEqual(parseResults(formatResults(results)), results);
  const mixed = { ...results, "4x6-evil": 1, "<b> a": 1, "4x6-evil b": -1, "4x6-evil c": "5", "4x6-evil d": 1.5 };
  assert.deepEqual(parseResults(formatResults(mixed)), results);
  for (const bad of ["", "{", "null", "7", "[]", '{"format": "other"}']) assert.throws(() => parseResults(bad), UnreadableError, bad);
  for (const bad of [null, 7, "text", [1, 2]]) assert.deepEqual(cleanResults(bad), {});
});

test("a day ends at the midnight of the reader", () => {
  const noon = new Date(2026, 11, 31, 12);
  assert.equal(dayEnd(noon), new Date(2027, 0, 1).getTime());
});
