import assert from "node:assert/strict";
import { test } from "node:test";

import { ServerPlay } from "../../../clients/evilpegs_page/game/server_play.js";
import { FakeSocket, FakeStorage, FakeTimers, MATCH, SERVER, TOKEN, error, events, fakeStorage, settled, welcome } from "./support/fakes.js";

/** Return the play of a ladder with everything around it. */
function fake({ ladder = "classic-practice", raw = new FakeStorage() } = {}) {
  const timers = new FakeTimers();
  const sockets = [];
  let nonces = 0;
  const play = new ServerPlay({
    server: SERVER,
    ladder,
    storage: fakeStorage(raw),
    openSocket: () => {
      sockets.push(new FakeSocket());
      return sockets.at(-1);
    },
    timers,
    random: () => 0.5,
    newNonce: () => `nonce${(nonces += 1)}`,
    onChange: () => {},
  });
  return { play, timers, sockets, raw, get socket() { return sockets.at(-1); } };
}

async function greeted(options, fields = { token: TOKEN }) {
  const world = fake(options);
  world.play.start();
  world.socket.open();
  world.socket.answer("hello", welcome(fields));
  await settled();
  return world;
}

/** Return the play in the first turn of a match. */
async function inFirstTurn({ rated = false } = {}) {
  const world = await greeted({ ladder: rated ? "classic" : "classic-practice" });
  const all = events({ rated });
  void world.play.play();
  await settled();
  world.socket.answer("play", all.started);
  world.socket.deliver(all.game);
  if (rated) void world.play.moves.ready();
  world.socket.answer("ready", all.turn(1));
  await settled();
  assert.equal(world.play.match.phase, "turn");
  return world;
}

/** Cut the connection and accept the next one up to `resume`. */
async function cutAndGreet(world) {
  world.socket.end();
  await settled();
  world.timers.advance(10_000);
  world.socket.open();
  world.socket.answer("hello", welcome({ open: [{ match: MATCH, seq: 2 }] }));
  await settled();
}

test("an untimed practice game begins at once, a rated one when the player says so", async () => {
  const practice = await greeted({ ladder: "classic-practice" });
  void practice.play.play();
  await settled();
  practice.socket.answer("play", events().started);
  practice.socket.deliver(events().game);
  assert.equal(practice.socket.last("ready").nonce, "nonce1");

  const rated = await greeted({ ladder: "classic" });
  void rated.play.play();
  await settled();
  rated.socket.answer("play", events({ rated: true }).started);
  rated.socket.deliver(events({ rated: true }).game);
  await settled();
  assert.equal(rated.socket.count("ready"), 0);
  void rated.play.moves.ready();
  assert.equal(rated.socket.count("ready"), 1);
});

test("the only game of a rated match begins with the match", async () => {
  const { play, socket } = await greeted({ ladder: "classic" });
  void play.play();
  await settled();
  socket.answer("play", { ...events({ rated: true }).started, games: 1 });
  socket.deliver(events({ rated: true }).game);
  assert.equal(socket.count("ready"), 1);
});

test("a guess is sent once and names its match, game and turn", async () => {
  const { play, socket } = await inFirstTurn();
  void play.moves.guess("1122");
  void play.moves.guess("1123");
  assert.equal(socket.count("guess"), 1);
  const { id, ...guess } = socket.last("guess");
  assert.deepEqual(guess, { type: "guess", match: MATCH, game: 1, turn: 1, code: "1122" });
  socket.answer("guess", events().feedback(1, "1122", 1, 1));
  assert.equal(play.moves.sentGuess, null);
  assert.equal(play.match.current.turns.length, 1);
});

test("a guess that the server never received is sent again after a cut", async () => {
  const world = await inFirstTurn();
  void world.play.moves.guess("1122");
  await cutAndGreet(world);
  world.socket.answer("resume", events().resumed(2, "turn"));
  world.socket.deliver(events().turn(1));
  await settled();
  assert.equal(world.socket.last("guess").code, "1122");
  assert.equal(world.play.moves.sentGuess.turn, 1);
});

test("a guess that the server had received is not sent again", async () => {
  const world = await inFirstTurn();
  void world.play.moves.guess("1122");
  await cutAndGreet(world);
  world.socket.answer("resume", events().resumed(3, "turn"));
  world.socket.deliver(events().feedback(1, "1122", 1, 1), events().turn(2));
  await settled();
  assert.equal(world.socket.count("guess"), 0);
  assert.equal(world.play.moves.sentGuess, null);
  assert.deepEqual([world.play.match.phase, world.play.match.turn], ["turn", 2]);
});

test("a guess whose reply is being computed is waited for", async () => {
  const world = await inFirstTurn();
  void world.play.moves.guess("1122");
  await cutAndGreet(world);
  world.socket.answer("resume", events().resumed(2, "thinking"));
  await settled();
  assert.equal(world.socket.count("guess"), 0);
  assert.equal(world.play.moves.sentGuess.code, "1122");
  world.socket.deliver(events().feedback(1, "1122", 1, 1), events().turn(2));
  await settled();
  assert.equal(world.socket.count("guess"), 0);
});

test("a lost ready is sent again with the same nonce", async () => {
  const world = await greeted({ ladder: "classic" });
  const all = events({ rated: true });
  void world.play.play();
  await settled();
  world.socket.answer("play", all.started);
  world.socket.deliver(all.game);
  void world.play.moves.ready();
  await cutAndGreet(world);
  world.socket.answer("resume", all.resumed(2, "ready", { ready_by_ms: 60_000 }));
  await settled();
  assert.equal(world.socket.last("ready").nonce, "nonce1");
  assert.deepEqual(world.play.nonces, { 1: "nonce1" });
});

test("a rated game does not start by itself after a cut", async () => {
  const world = await greeted({ ladder: "classic" });
  const all = events({ rated: true });
  void world.play.play();
  await settled();
  world.socket.answer("play", all.started);
  world.socket.deliver(all.game);
  await cutAndGreet(world);
  world.socket.answer("resume", all.resumed(2, "ready", { ready_by_ms: 60_000 }));
  await settled();
  assert.equal(world.socket.count("ready"), 0);
});

test("a match whose first event was lost is found among the open ones", async () => {
  const world = await greeted();
  void world.play.play();
  await settled();
  await cutAndGreet(world);
  assert.equal(world.socket.last("resume").match, MATCH);
  assert.equal(world.socket.last("resume").seq, 0);
  world.socket.answer("resume", events().resumed(2, "ready", { ready_by_ms: 60_000 }));
  world.socket.deliver(events().started, events().game);
  await settled();
  assert.equal(world.socket.count("play"), 0);
  assert.equal(world.socket.count("ready"), 1);
});

test("a match that never began is begun again after a cut", async () => {
  const world = await greeted();
  void world.play.play();
  await settled();
  world.socket.end();
  await settled();
  world.timers.advance(10_000);
  world.socket.open();
  world.socket.answer("hello", welcome());
  await settled();
  assert.equal(world.socket.count("play"), 1);
});

test("a reload comes back to the match with the guest's token", async () => {
  const before = await inFirstTurn();
  const after = fake({ raw: before.raw });
  after.play.start();
  after.socket.open();
  assert.equal(after.socket.last("hello").token, TOKEN);
  after.socket.answer("hello", welcome({ open: [{ match: MATCH, seq: 3 }] }));
  assert.equal(after.socket.last("resume").seq, 0);
  after.socket.answer("resume", events().resumed(3, "turn"));
  after.socket.deliver(events().started, events().game, events().feedback(1, "1122", 1, 1), events().turn(2));
  await settled();
  assert.deepEqual([after.play.match.phase, after.play.match.turn], ["turn", 2]);
  assert.deepEqual(after.play.nonces, { 1: "nonce1" });
});

test("a guest who has not played leaves no token behind", async () => {
  const { raw } = await greeted();
  assert.equal(raw.values.has("evilpegs.tokens"), false);
});

test("a guest whom the server has forgotten becomes a new guest", async () => {
  const before = await inFirstTurn();
  const after = fake({ raw: before.raw });
  after.play.start();
  after.socket.open();
  after.socket.answer("hello", error("auth_failed"));
  assert.equal(after.sockets.length, 2);
  after.socket.open();
  assert.equal(after.socket.last("hello").token, undefined);
  after.socket.answer("hello", welcome({ player: "guest-11111111", token: "b".repeat(64) }));
  await settled();
  assert.equal(after.play.match, null);
  assert.match(after.play.problem, /match/);
  assert.equal(after.socket.count("resume"), 0);
});

test("a name is claimed, its token stored and used from then on", async () => {
  const world = await greeted();
  world.play.changePlayer("ann");
  world.socket.open();
  assert.deepEqual([world.socket.last("hello").name, world.socket.last("hello").kind], ["ann", "human"]);
  world.socket.answer("hello", welcome({ player: "ann", kind: "human", token: TOKEN }));
  assert.equal(world.play.players.current, "ann");
  world.socket.end();
  void world.play.play();
  await settled();
  world.socket.open();
  assert.equal(world.socket.last("hello").token, TOKEN);
});

for (const code of ["name_taken", "bad_name", "auth_required"]) {
  test(`a claim refused with ${code} leaves the player who they were`, async () => {
    const world = await greeted();
    world.play.changePlayer("ann");
    world.socket.open();
    world.socket.answer("hello", error(code));
    assert.equal(world.sockets.length, 3);
    world.socket.open();
    assert.equal(world.socket.last("hello").name, undefined);
    world.socket.answer("hello", welcome());
    assert.equal(typeof world.play.problem, "string");
    assert.equal(world.play.connection.state, "open");
  });
}

test("a name whose token is unknown is not given up silently", async () => {
  const raw = new FakeStorage();
  const first = fake({ raw });
  first.play.players.add("ann", "1".repeat(64));
  first.play.players.add("ann", "2".repeat(64));
  first.play.start();
  for (const digit of "21") {
    first.socket.open();
    assert.equal(first.socket.last("hello").token, digit.repeat(64));
    first.socket.answer("hello", error("auth_failed"));
  }
  assert.equal(first.play.connection.state, "refused");
  assert.deepEqual(first.play.players.names, ["ann"]);
  first.play.changePlayer(null);
  first.socket.open();
  assert.equal(first.socket.last("hello").token, undefined);
});

test("a refused guess is reported and may be tried again", async () => {
  const { play, socket } = await inFirstTurn();
  void play.moves.guess("9999");
  socket.answer("guess", error("illegal_code", { message: "not a code of 4x6" }));
  await settled();
  assert.match(play.problem, /not a code of 4x6/);
  assert.equal(play.moves.sentGuess, null);
  void play.moves.guess("1122");
  assert.equal(socket.count("guess"), 2);
});

test("a move for a turn that is over brings the missing events, a few times at most", async () => {
  const { play, socket } = await inFirstTurn();
  for (let round = 0; round < 6; round += 1) {
    void play.moves.guess("1122");
    socket.answer("guess", error("stale_turn", { expected: { game: 1, turn: 2 } }));
    await settled();
    if (play.connection.state === "resuming") socket.answer("resume", events().resumed(2, "turn"));
    socket.deliver(events().turn(1));
    await settled();
  }
  assert.equal(socket.count("resume"), 3);
});

test("a gap in the events is filled", async () => {
  const { play, socket } = await inFirstTurn();
  socket.deliver(events().feedback(2, "1123", 1, 1));
  assert.equal(socket.last("resume").seq, 2);
  socket.answer("resume", events().resumed(4, "turn"));
  socket.deliver(events().feedback(1, "1122", 1, 1), events().feedback(2, "1123", 1, 1), events().turn(3));
  assert.equal(play.match.current.turns.length, 2);
});

test("a server that contradicts itself is not trusted any more", async () => {
  const { play, socket } = await inFirstTurn();
  socket.deliver(events().feedback(1, "1122", 1, 1), events().feedback(1, "1122", 0, 0));
  assert.match(play.problem, /contradicts/);
  assert.equal(play.connection.state, "closed");
});

test("a hint belongs to its turn", async () => {
  const { play, socket } = await inFirstTurn();
  void play.moves.requestHint();
  assert.equal(play.moves.isHinting, true);
  socket.answer("hint", { type: "hint", match: MATCH, code: "3345", candidates: 256, why: "good" });
  await settled();
  assert.deepEqual([play.moves.hint.code, play.moves.isHinting], ["3345", false]);
  void play.moves.guess("3345");
  socket.answer("guess", events().feedback(1, "3345", 1, 1));
  assert.equal(play.moves.hint, null);
});

test("a page that lost its seat sends nothing until the match is taken back", async () => {
  const world = await inFirstTurn();
  void world.play.moves.guess("1122");
  world.socket.deliver({ type: "notice", kind: "seat_taken", message: "another" });
  world.socket.end(4003);
  await settled();
  world.timers.advance(100_000);
  assert.deepEqual([world.sockets.length, world.play.moves.sentGuess], [1, null]);
  world.play.takeBack();
  world.socket.open();
  world.socket.answer("hello", welcome());
  world.socket.answer("resume", events().resumed(2, "turn"));
  world.socket.deliver(events().turn(1));
  await settled();
  assert.equal(world.socket.count("guess"), 0);
  assert.equal(world.play.match.phase, "turn");
});

test("a rematch begins a new match after the old one is over", async () => {
  const world = await inFirstTurn();
  const { feedback, gameOver, matchOver } = events();
  void world.play.moves.guess("1234");
  world.socket.answer("guess", feedback(1, "1234", 4, 0));
  world.socket.deliver(gameOver(1), matchOver(1));
  await settled();
  assert.equal(world.play.match.phase, "over");
  void world.play.play();
  await settled();
  assert.equal(world.socket.count("play"), 2);
  const second = events({ match: "f".repeat(16) });
  world.socket.answer("play", second.started);
  world.socket.deliver(second.game);
  assert.equal(world.play.match.id, "f".repeat(16));
  assert.equal(world.socket.count("ready"), 2);
});

test("an open match of the player that this browser does not know is named", async () => {
  const { play } = await greeted({}, { open: [{ match: "f".repeat(16), seq: 4 }] });
  assert.deepEqual(play.strangeMatches, ["f".repeat(16)]);
});

test("a match that this browser began keeps its nonces when another ladder continues it", async () => {
  const begun = await inFirstTurn();
  const nonces = { ...begun.play.nonces };
  assert.notDeepEqual(nonces, {});
  const other = await greeted({ ladder: "classic-evil-practice", raw: begun.raw }, { open: [{ match: MATCH, seq: 2 }] });
  other.play.adopt("classic-practice", MATCH);
  assert.deepEqual(fake({ raw: begun.raw }).play.nonces, nonces);
});
