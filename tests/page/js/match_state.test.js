import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { BrokenRecordError, GapError, MatchState } from "../../../clients/evilpegs_page/game/match_state.js";
import { MATCH, events } from "./support/fakes.js";

const README = readFileSync(new URL("../../../protocol/README.md", import.meta.url), "utf8");

function state(messages, now = 0) {
  const match = new MatchState(MATCH);
  for (const message of messages) match.apply(message, now);
  return match;
}

/** Return the server's messages about the match in the transcripts of the protocol, transcript by transcript. */
function transcripts() {
  const blocks = README.split("## Transcripts")[1].matchAll(/```text\n(.*?)```/gs);
  return [...blocks].map(([, block]) =>
    [...block.matchAll(/^(?:bot|ann) < (.*)$/gm)].map(([, text]) => JSON.parse(text)).filter((one) => one.match === MATCH),
  );
}

test("a match is followed from its first event to its last", () => {
  const { started, game, turn, feedback, gameOver, matchOver } = events();
  const match = state([started]);
  assert.equal(match.phase, "waiting");
  match.apply(game, 5);
  assert.deepEqual([match.phase, match.game, match.readyLeft(1_005)], ["ready", 1, 59_000]);
  match.apply(turn(1), 10);
  assert.deepEqual([match.phase, match.turn], ["turn", 1]);
  match.apply(feedback(1, "1122", 1, 1), 20);
  assert.equal(match.phase, "waiting");
  match.apply(turn(2), 20);
  match.apply(feedback(2, "1234", 4, 0), 30);
  match.apply(gameOver(2), 30);
  match.apply(matchOver(2), 30);
  assert.equal(match.phase, "over");
  assert.deepEqual(match.current.turns.map((one) => one.code), ["1122", "1234"]);
  assert.equal(match.current.over.outcome, "solved");
  assert.equal(match.over.head, "e".repeat(64));
});

test("the record holds the events as received, without re", () => {
  const { started, game } = events();
  const match = state([{ ...started, re: "7" }, { ...game, later_field: [1] }]);
  assert.deepEqual(match.record, [started, { ...game, later_field: [1] }]);
});

test("the clock runs from the server's number while a turn is open", () => {
  const { started, game, turn, feedback } = events({ rated: true });
  const match = state([started, game]);
  assert.equal(match.clock(99_999), 60_000);
  match.apply(turn(1), 1_000);
  assert.equal(match.clock(4_000), 57_000);
  assert.equal(match.clock(999_999), 0);
  match.apply(feedback(1, "1122", 1, 1, 58_000), 4_000);
  assert.equal(match.clock(9_000), 58_000);
  match.apply(turn(2, 58_000), 9_000);
  assert.equal(match.clock(9_500), 57_500);
});

test("an untimed game has no clock", () => {
  const { started, game, turn } = events();
  assert.equal(state([started, game, turn(1)]).clock(5), null);
});

test("a repeated event is dropped", () => {
  const { started, game, turn, feedback } = events();
  const match = state([started, game, turn(1), feedback(1, "1122", 1, 1), turn(2)]);
  assert.equal(match.apply({ ...feedback(1, "1122", 1, 1), re: "9" }, 5), false);
  assert.deepEqual([match.seq, match.phase, match.current.turns.length], [3, "turn", 1]);
});

test("a repeated event that differs is a contradiction", () => {
  const { started, game, turn, feedback } = events();
  const match = state([started, game, turn(1), feedback(1, "1122", 1, 1)]);
  assert.throws(() => match.apply(feedback(1, "1122", 0, 1), 5), BrokenRecordError);
});

test("an event after a gap is refused and changes nothing", () => {
  const { started, feedback } = events();
  const match = state([started]);
  assert.throws(() => match.apply(feedback(1, "1122", 1, 1), 5), GapError);
  assert.equal(match.seq, 1);
});

test("an event out of place is a contradiction", () => {
  const { started, game, feedback } = events();
  assert.throws(() => state([{ ...game, seq: 1 }]), BrokenRecordError);
  assert.throws(() => state([started, game, feedback(2, "1122", 1, 1)].map((e, i) => ({ ...e, seq: i + 1 }))), BrokenRecordError);
});

test("unknown types and fields and other matches are ignored", () => {
  const { started, game } = events();
  const match = state([started, game]);
  assert.equal(match.apply({ type: "weather", match: MATCH, sun: true }, 1), false);
  assert.equal(match.apply({ ...game, match: "0".repeat(16), seq: 9 }, 1), false);
  assert.equal(match.phase, "ready");
});

test("a resumed match catches up before it is anybody's move", () => {
  const { started, game, turn, feedback, resumed } = events();
  const match = state([resumed(3, "turn"), started, game]);
  assert.deepEqual([match.phase, match.isCatchingUp], ["waiting", true]);
  match.apply(feedback(1, "1122", 1, 1), 5);
  assert.deepEqual([match.phase, match.isCatchingUp], ["waiting", false]);
  match.apply(turn(2), 6);
  assert.equal(match.phase, "turn");
});

test("a resumed match that waits for ready has a new time for it", () => {
  const { started, game, resumed } = events();
  const match = state([started, game]);
  match.apply(resumed(2, "ready", { ready_by_ms: 90_000 }), 70_000);
  assert.deepEqual([match.phase, match.readyLeft(71_000)], ["ready", 89_000]);
});

test("a server that has lost events contradicts itself", () => {
  const { started, game, resumed } = events();
  assert.throws(() => state([started, game, resumed(1, "ready")]), BrokenRecordError);
});

test("resigning a match ends games that never began", () => {
  const { started, game, turn } = events({ rated: true });
  const over = (seq, number, secret) => ({
    type: "game_over", match: MATCH, seq, at: 1, game: number, outcome: "resigned", guesses: 0, elapsed_ms: 0, secret, nonce: null,
  });
  const match = state([started, game, turn(1), over(3, 1, "1111"), over(4, 2, null)]);
  assert.deepEqual(match.games.map((one) => one.over.outcome), ["resigned", "resigned"]);
  assert.equal(match.game, 1);
});

test("every transcript of the protocol is followed to its end", () => {
  const all = transcripts();
  assert.ok(all.length >= 8);
  for (const messages of all) {
    const match = state(messages);
    const last = Math.max(...messages.map((message) => message.seq ?? 0));
    assert.equal(match.seq, last);
    if (messages.some((message) => message.type === "match_over")) assert.equal(match.phase, "over");
  }
});
