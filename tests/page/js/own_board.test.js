import assert from "node:assert/strict";
import { test } from "node:test";

import { parseRules } from "../../../clients/evilpegs_page/core/rules.js";
import { feedbackOf, formatRows, MAX_ROWS, readRows } from "../../../clients/evilpegs_page/game/own_board.js";

const RULES = parseRules("4x6");

test("a board is kept in its address", () => {
  for (const text of ["", "1122:1,0", "1122:1,0;3344:0,2;5566:4,0"]) assert.equal(formatRows(readRows(RULES, text)), text);
  assert.equal(formatRows(readRows(parseRules("4x16"), "abcd:0,4")), "ABCD:0,4");
  assert.equal(readRows(RULES, Array(MAX_ROWS).fill("1122:1,0").join(";")).length, MAX_ROWS);
});

test("feedback is counted wherever its pegs are", () => {
  const [row] = readRows(RULES, "1122:1,2");
  assert.deepEqual(row, { code: "1122", marks: [1, 2, 2, 0] });
  assert.deepEqual(feedbackOf({ code: "1122", marks: [2, 0, 1, 2] }), { black: 1, white: 2 });
});

for (const text of ["1122", "1122:1", "1122:3,2", "1122:x,0", "112:1,0", "1177:1,0", "<b>:1,0", Array(MAX_ROWS + 1).fill("1122:1,0").join(";")]) {
  test(`an address without a board is refused: ${text.slice(0, 20)}`, () => {
    assert.throws(() => readRows(RULES, text), { message: /\S/, name: /GameError|CodeError/ });
  });
}
