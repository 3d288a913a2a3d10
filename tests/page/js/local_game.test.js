// Whole games in the browser: evil as in Python, a fixed secret, storing, and wrong input.

import assert from "node:assert/strict";
import test from "node:test";

import { CodeError } from "../../../clients/evilpegs_page/core/codes.js";
import { GameError, TooLargeError, UnreadableError } from "../../../clients/evilpegs_page/core/errors.js";
import { LocalGame } from "../../../clients/evilpegs_page/core/local_game.js";
import { randomBelow } from "../../../clients/evilpegs_page/core/random.js";
import { parseRules } from "../../../clients/evilpegs_page/core/rules.js";
import { vectors } from "./support.js";

const { games } = vectors("evil_games");
const classic = parseRules("4x6");
const atOnce = () => Promise.resolve();

function withNumbers(turn) {
  return { ...turn, parts: turn.parts.map((part) => [part.black, part.white, part.count]) };
}

test("games against evil agree with Python", () => {
  for (const { rules, limit, turns, over, secret, candidates, excluded } of games) {
    const game = new LocalGame({ rules: parseRules(rules), limit });
    for (const turn of turns) {
      assert.equal(game.over, null);
      assert.equal(game.secret, null);
      assert.deepEqual(withNumbers(game.guess(turn.code)), turn);
    }
    assert.equal(game.over, over);
    assert.equal(game.secret, secret);
    assert.deepEqual(game.listCandidates(5), candidates);
    assert.deepEqual(game.excludedColors(), excluded);
  }
});

test("a game with one changed number is noticed", () => {
  const [{ rules, limit, turns }] = games;
  const game = new LocalGame({ rules: parseRules(rules), limit });
  const [turn] = turns;
  assert.notDeepEqual(withNumbers(game.guess(turn.code)), { ...turn, left: turn.left + 1 });
});

test("guesses in steps give the same turns", async () => {
  for (const { rules, limit, turns } of games.filter((game) => game.rules === "5x8")) {
    const game = new LocalGame({ rules: parseRules(rules), limit });
    for (const turn of turns) {
      assert.deepEqual(withNumbers(await game.guessInSteps(turn.code, atOnce)), turn);
    }
  }
});

test("a million codes are played, in steps too", async () => {
  const game = new LocalGame({ rules: parseRules("6x10") });
  const other = new LocalGame({ rules: parseRules("6x10") });
  assert.ok(game.isLarge);
  let pauses = 0;
  const turn = await other.guessInSteps("112345", async () => {
    pauses += 1;
  });
  assert.ok(pauses >= 10);
  assert.deepEqual(turn, game.guess("112345"));
  assert.equal(turn.before, 1_000_000);
  assert.equal(turn.parts.reduce((sum, part) => sum + part.count, 0), 1_000_000);
});

test("a guess is refused while another is under way", async () => {
  const game = new LocalGame({ rules: classic });
  const turn = game.guessInSteps("1122");
  assert.throws(() => game.guess("1122"), GameError);
  await assert.rejects(() => game.guessInSteps("1122"), GameError);
  assert.throws(() => game.resign(), GameError);
  assert.equal((await turn).left, 256);
  assert.equal(game.turns.length, 1);
});

test("a fixed secret is answered truthfully", () => {
  const game = new LocalGame({ rules: classic, codemaker: "fixed", secret: "1234" });
  const { black, white, left } = game.guess("1122");
  assert.deepEqual([black, white, left], [1, 1, 208]);
  assert.equal(game.secret, null);
  assert.equal(game.guess("1234").black, 4);
  assert.deepEqual([game.over, game.secret, game.candidates], ["solved", "1234", 1]);
});

test("a fixed secret is drawn from all codes", () => {
  const rules = parseRules("1x3");
  const seen = new Set();
  for (let count = 0; count < 200; count++) {
    const game = new LocalGame({ rules, codemaker: "fixed" });
    game.resign();
    seen.add(game.secret);
  }
  assert.deepEqual([...seen].sort(), ["1", "2", "3"]); // each is missing with a chance of 1e-35
});

test("draws beyond the largest multiple are rejected", () => {
  const answers = [new Uint8Array(16).fill(255), new Uint8Array(16).fill(1)];
  const drawn = randomBelow(1296n, () => answers.shift());
  assert.equal(answers.length, 0);
  assert.equal(drawn, BigInt(`0x${"01".repeat(16)}`) % 1296n);
});

test("a lost or resigned game shows a code that fits", () => {
  const lost = new LocalGame({ rules: classic, limit: 1 });
  lost.guess("1122");
  assert.deepEqual([lost.over, lost.secret], ["unsolved", "3333"]);
  const resigned = new LocalGame({ rules: classic });
  resigned.resign();
  assert.deepEqual([resigned.over, resigned.secret], ["resigned", "1111"]);
  for (const game of [lost, resigned]) {
    assert.throws(() => game.guess("1122"), GameError);
    assert.throws(() => game.resign(), GameError);
  }
});

test("wrong guesses change nothing", () => {
  const game = new LocalGame({ rules: classic });
  for (const text of ["", "112", "11223", "1127", "wrong", "112 "]) {
    assert.throws(() => game.guess(text), CodeError);
  }
  assert.deepEqual([game.turns.length, game.candidates], [0, 1296]);
});

test("a game survives being stored", () => {
  const evil = new LocalGame({ rules: classic, limit: 7 });
  evil.guess("1122");
  evil.guess("3344");
  const fixed = new LocalGame({ rules: classic, codemaker: "fixed" });
  fixed.guess("1122");
  fixed.resign();
  for (const game of [evil, fixed]) {
    const again = LocalGame.fromJSON(JSON.parse(JSON.stringify(game)));
    assert.deepEqual(again.toJSON(), game.toJSON());
    assert.deepEqual(again.turns, game.turns);
    assert.deepEqual([again.over, again.secret, again.candidates, again.limit], [game.over, game.secret, game.candidates, game.limit]);
  }
});

test("garbage in the storage is refused", () => {
  const stored = new LocalGame({ rules: classic }).toJSON();
  const wrong = [
    null, undefined, 7, "game", [], {}, { ...stored, rules: "9" }, { ...stored, rules: "8x10" }, { ...stored, guesses: ["1"] },
    { ...stored, guesses: "1122" }, { ...stored, guesses: [1122] }, { ...stored, limit: 0 }, { ...stored, limit: "3" },
    { ...stored, codemaker: "devil" }, { ...stored, codemaker: "fixed" }, { ...stored, secret: "1122" },
    { ...stored, limit: 1, guesses: ["1122", "1122"] }, { ...stored, codemaker: "fixed", secret: "77" },
  ];
  for (const value of wrong) {
    assert.throws(() => LocalGame.fromJSON(value), UnreadableError, JSON.stringify(value));
  }
});

test("games that a browser cannot play are refused", () => {
  assert.throws(() => new LocalGame({ rules: parseRules("8x10") }), TooLargeError);
  assert.throws(() => new LocalGame({ rules: classic, codemaker: "devil" }), GameError);
  assert.throws(() => new LocalGame({ rules: classic, limit: 0 }), GameError);
});
