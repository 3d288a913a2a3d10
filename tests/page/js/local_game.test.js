// Whole games in the browser: evil as in Python, a fixed secret, storing, and wrong input.

import assert from "node:assert/strict";
import test from "node:test";

import { CodeError } from "../../../clients/evilpegs_page/core/errors.js";
import { GameError, TooLargeError, UnreadableError } from "../../../clients/evilpegs_page/core/errors.js";
import { LocalGame } from "../../../clients/evilpegs_page/core/local_game.js";
import { parseRules } from "../../../clients/evilpegs_page/core/rules.js";
import { newSeed } from "../../../clients/evilpegs_page/core/seed.js";
import { vectors } from "./support.js";

const { games, seeded, secrets } = vectors("evil_games");
const classic = parseRules("4x6");
const atOnce = () => Promise.resolve();

function withNumbers(turn) {
  return { ...turn, parts: turn.parts.map((part) => [part.black, part.white, part.count]) };
}

test("games against evil agree with Python", () => {
  for (const { rules, limit, seed, turns, over, secret, candidates, excluded } of [...games, ...seeded]) {
    const game = new LocalGame({ rules: parseRules(rules), limit, seed });
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

test("a fixed secret follows from the seed as in Python", () => {
  for (const [seed, rules, secret] of secrets) {
    const game = new LocalGame({ rules: parseRules(rules), codemaker: "fixed", seed });
    game.resign();
    assert.equal(game.secret, secret);
  }
  assert.throws(() => new LocalGame({ rules: classic, codemaker: "fixed" }), GameError);
});

test("seeds choose different replies and secrets", () => {
  const seeds = Array.from({ length: 60 }, (_, number) => `seed-${number}`);
  const replies = seeds.map((seed) => new LocalGame({ rules: classic, seed }).guess("1122"));
  assert.equal(new Set(replies.map((turn) => `${turn.black}${turn.white}`)).size, 3); // 0,0, 0,1 and 1,0 leave 256 each
  const drawn = seeds.map((seed) => new LocalGame({ rules: parseRules("1x3"), codemaker: "fixed", seed }).guess("1").black);
  assert.deepEqual([...new Set(drawn)].sort(), [0, 1]);
});

test("every game draws a seed of its own", () => {
  assert.equal(newSeed((size) => new Uint8Array(size).fill(7)), "0707070707070707");
  assert.notEqual(newSeed(), newSeed());
});

test("the limit is that of the ladders on the server", () => {
  const limits = ["4x6", "4x10-distinct", "5x8", "3x5"].map((rules) => new LocalGame({ rules: parseRules(rules) }).limit);
  assert.deepEqual(limits, [10, 12, 14, 20]);
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
  const seeded = new LocalGame({ rules: classic, seed: "seed-1" });
  seeded.guess("1122");
  const fixed = new LocalGame({ rules: classic, codemaker: "fixed", seed: "a" });
  fixed.guess("1122");
  fixed.resign();
  fixed.hinted = true;
  const unseeded = new LocalGame({ rules: classic, codemaker: "fixed", secret: "1234" });
  for (const game of [evil, seeded, fixed, unseeded]) {
    const again = LocalGame.fromJSON(JSON.parse(JSON.stringify(game)));
    assert.deepEqual(again.toJSON(), game.toJSON());
    assert.deepEqual(again.turns, game.turns);
    assert.equal(again.hinted, game.hinted);
    assert.deepEqual([again.over, again.secret, again.candidates, again.limit], [game.over, game.secret, game.candidates, game.limit]);
  }
});

test("garbage in the storage is refused", () => {
  const stored = new LocalGame({ rules: classic }).toJSON();
  const wrong = [
    null, undefined, 7, "game", [], {}, { ...stored, rules: "9" }, { ...stored, rules: "8x10" }, { ...stored, guesses: ["1"] },
    { ...stored, guesses: "1122" }, { ...stored, guesses: [1122] }, { ...stored, limit: 0 }, { ...stored, limit: "3" },
    { ...stored, codemaker: "devil" }, { ...stored, codemaker: "fixed" }, { ...stored, secret: "1122" },
    { ...stored, seed: 7 }, { ...stored, seed: "" }, { ...stored, codemaker: "fixed", seed: "a", secret: "1122" },
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

test("a guess whose reply is certain brings nothing, unless it solves", () => {
  const game = new LocalGame({ rules: classic, codemaker: "fixed", secret: "1234" });
  assert.equal(game.isIdle([0, 0, 1, 1]), false);
  game.guess("1122");
  assert.deepEqual([[0, 0, 1, 1], [1, 1, 0, 0], [0, 0, 1, null]].map((pegs) => game.isIdle(pegs)), [true, false, false]);
  const last = new LocalGame({ rules: parseRules("2x2"), codemaker: "fixed", secret: "12" });
  last.guess("11");
  last.guess("21"); // only 12 is left
  assert.deepEqual([last.candidates, last.isIdle([0, 1]), last.isIdle([1, 0])], [1, false, true]);
});
