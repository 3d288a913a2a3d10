import assert from "node:assert/strict";
import { test } from "node:test";

import { parseRules } from "../../../clients/evilpegs_page/core/rules.js";
import { Candidates } from "../../../clients/evilpegs_page/game/candidates.js";

const FIRST = { code: "1122", black: 0, white: 0 };
const SECOND = { code: "3345", black: 1, white: 1 };

test("candidates follow the turns of a game", () => {
  const candidates = new Candidates(parseRules("4x6"));
  assert.deepEqual([candidates.counts, candidates.excluded], [[], []]);
  candidates.follow([FIRST]);
  assert.deepEqual([candidates.counts, candidates.excluded], [[256], [0, 1]]);
  candidates.follow([FIRST, SECOND]);
  assert.deepEqual(candidates.counts, [256, 46]);
  assert.equal(candidates.listCandidates(3).length, 3);
  assert.equal(candidates.listCandidates(100).length, 46);
});

test("candidates begin again with another game", () => {
  const candidates = new Candidates(parseRules("4x6"));
  candidates.follow([FIRST, SECOND]);
  candidates.follow([]);
  assert.deepEqual([candidates.excluded, candidates.listCandidates(9)], [[], []]);
  candidates.follow([SECOND]);
  assert.equal(candidates.counts.length, 1);
  candidates.follow([FIRST]);
  assert.deepEqual(candidates.counts, [256]);
});

test("large rules are not enumerated but exclude what one feedback rules out", () => {
  const candidates = new Candidates(parseRules("8x10"));
  candidates.follow([{ code: "11223344", black: 0, white: 0 }]);
  assert.deepEqual([candidates.isExact, candidates.counts], [false, []]);
  assert.deepEqual(candidates.excluded, [0, 1, 2, 3]);
  candidates.follow([{ code: "11223344", black: 3, white: 5 }]);
  assert.deepEqual(candidates.excluded, [4, 5, 6, 7, 8, 9]);
});
