import assert from "node:assert/strict";
import { test } from "node:test";

import { LiveMatches } from "../../../clients/evilpegs_page/replay/live_matches.js";

const PLAYER = { ladder: "classic", games: 2, pegs: 4 };
const began = (match) => ({ type: "match_started", match, seq: 1, player: match, ...PLAYER });
const game = (match, seq, number) => ({ type: "game_started", match, seq, game: number });
const reply = (match, seq, code = "1122") => ({ type: "feedback", match, seq, game: 1, code, black: 1, white: 0 });
const over = (match, seq) => ({ type: "match_over", match, seq });
const names = (live) => live.shown.map(({ match }) => match);

/** Begin these matches, one after another. */
function begin(...matches) {
  const live = new LiveMatches();
  for (const match of matches) live.take(began(match));
  return live;
}

test("a match has its newest game, and how it ended", () => {
  const live = begin("a");
  for (const event of [game("a", 2, 1), reply("a", 3), reply("a", 4, "3344"), reply("a", 4, "3344")]) live.take(event);
  live.fill(6);
  assert.deepEqual(live.shown[0].turns.map(({ code }) => code), ["1122", "3344"]);
  assert.equal(live.shown[0].isStale, false);
  live.take({ type: "game_over", match: "a", seq: 5, game: 1, outcome: "solved" });
  assert.equal(live.shown[0].outcome, "solved");
  live.take(game("a", 6, 2));
  assert.deepEqual(live.shown[0].turns, []);
  assert.equal(live.shown[0].outcome, "");
  live.take({ type: "game_over", match: "a", seq: 7, game: 9, outcome: "resigned" });
  assert.equal(live.shown[0].outcome, "");
});

test("a match with a gap is stale until its record is read", () => {
  const live = new LiveMatches();
  live.take(reply("a", 4, "3344"));
  live.fill(6);
  assert.equal(live.shown[0].isStale, true);
  const record = [began("a"), game("a", 2, 1), reply("a", 3)];
  record.forEach((event) => live.take(event));
  assert.equal(live.shown[0].isStale, true, "the record was older than the event");
  [...record, reply("a", 4, "3344")].forEach((event) => live.take(event));
  assert.equal(live.shown[0].isStale, false);
  assert.deepEqual(live.shown[0].turns.map(({ code }) => code), ["1122", "3344"]);
});

test("the list of the server brings matches, and takes those that ended unseen", () => {
  const live = begin("gone", "kept");
  live.list([{ match: "new", player: "ann", ladder: "classic" }, { match: "kept", player: "bob", ladder: "classic" }]);
  live.fill(6);
  assert.deepEqual(names(live), ["new", "kept"]);
  assert.ok(live.shown.every(({ isStale }) => isStale));
});

test("nothing that is shown moves while there is room", () => {
  const live = begin("a", "b");
  live.fill(3);
  assert.deepEqual(names(live), ["b", "a"]);
  live.take(game("a", 2, 1));
  live.take(began("c"));
  live.next(3);
  assert.deepEqual(names(live), ["b", "a", "c"]);
});

test("if there are more than fit, each is shown in its turn, the newest activity first", () => {
  const live = begin("a", "b", "c", "d", "e");
  live.next(2);
  assert.deepEqual(names(live), ["e", "d"]);
  live.take(game("a", 2, 1));
  live.next(2);
  assert.deepEqual(names(live), ["a", "c"]);
  live.next(2);
  assert.equal(names(live)[0], "b");
});

test("a match that is over stays for two turns, and takes no place from one that is played", () => {
  const live = begin("a", "b", "c");
  live.take(over("a", 2));
  live.next(2);
  assert.deepEqual(names(live), ["c", "b"]);
  live.fill(3);
  assert.deepEqual(names(live), ["c", "b", "a"]);
  live.next(3);
  assert.deepEqual(names(live), ["c", "b"]);
});

test("a day of matches needs no more memory than an hour of them", () => {
  const live = new LiveMatches();
  for (let number = 0; number < 20_000; number += 1) {
    live.take(began(`m${number}`));
    for (let seq = 2; seq < 6; seq += 1) live.take(game(`m${number}`, seq, seq));
    if (number % 10 === 0) live.next(6);
    else live.fill(6);
  }
  assert.equal(live.all.size, 200);
  assert.equal(live.shown.length, 6);
});

test("a match that began while the server listed the open ones is kept", () => {
  const live = begin("ended", "kept");
  const known = [...live.all.keys()];
  live.take(began("new"));
  live.list([{ match: "kept", player: "bob", ladder: "classic" }], known);
  assert.deepEqual([...live.all.keys()].sort(), ["kept", "new"]);
});
