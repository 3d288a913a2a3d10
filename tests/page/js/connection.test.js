import assert from "node:assert/strict";
import { test } from "node:test";

import { GameConnection } from "../../../clients/evilpegs_page/game/connection.js";
import { retryDelay } from "../../../clients/evilpegs_page/game/waiting.js";
import { ERROR_CODES, LostAnswerError, RefusedError, refusalWords } from "../../../clients/evilpegs_page/game/refusals.js";
import { FakeSocket, FakeTimers, MATCH, error, events, settled, welcome } from "./support/fakes.js";

/** Return a connection with its sockets, timers and what it reported. */
function fake({ canOpen = () => true } = {}) {
  const timers = new FakeTimers();
  const sockets = [];
  const seen = { welcomes: 0, messages: [], states: [] };
  const connection = new GameConnection({
    openSocket: () => {
      if (!canOpen()) throw new Error("no network");
      sockets.push(new FakeSocket());
      return sockets.at(-1);
    },
    timers,
    random: () => 0.5,
    hello: () => ({ client: { name: "test", version: "1" } }),
    onWelcome: () => (seen.welcomes += 1),
    onMessage: (message) => seen.messages.push(message),
    onState: () => seen.states.push(connection?.state),
  });
  return { connection, timers, sockets, seen, get socket() { return sockets.at(-1); } };
}

/** Return a connection that is open, and follows a match if told to. */
async function opened({ follow = false } = {}) {
  const world = fake();
  if (follow) world.connection.follow(MATCH, () => 3);
  else world.connection.wake();
  world.socket.open();
  world.socket.answer("hello", welcome());
  if (follow) world.socket.answer("resume", events().resumed(3, "turn"));
  await settled();
  assert.equal(world.connection.state, "open");
  return world;
}

/** Accept the newest socket and everything until the connection is open. */
async function reopen(world) {
  world.socket.open();
  world.socket.answer("hello", welcome());
  if (world.socket.count("resume")) world.socket.answer("resume", events().resumed(3, "turn"));
  await settled();
}

test("a request wakes the connection, waits for welcome and returns its own answer", async () => {
  const world = fake();
  const pong = world.connection.request({ type: "ping", c: 7 });
  world.socket.open();
  assert.equal(world.socket.count("ping"), 0);
  world.socket.answer("hello", welcome());
  const { id } = world.socket.last("ping");
  world.socket.deliver({ type: "pong", c: 1, re: "other" }, { type: "turn", match: MATCH });
  world.socket.deliver({ type: "pong", c: 7, re: id });
  assert.equal((await pong).c, 7);
  assert.equal(world.seen.welcomes, 1);
});

test("every request has an id of its own, and answers may come out of order", async () => {
  const { connection, socket } = await opened();
  const first = connection.request({ type: "ping", c: 1 });
  const second = connection.request({ type: "ping", c: 2 });
  const [a, b] = socket.sent.filter((message) => message.type === "ping");
  assert.notEqual(a.id, b.id);
  socket.deliver({ type: "pong", c: 2, re: b.id }, { type: "pong", c: 1, re: a.id });
  assert.deepEqual([(await first).c, (await second).c], [1, 2]);
});

test("a refused request raises the code and words for the player", async () => {
  const { connection, socket } = await opened();
  const answer = connection.request({ type: "play", ladder: "none" });
  socket.answer("play", error("unknown_ladder"));
  await assert.rejects(answer, (refusal) => refusal instanceof RefusedError && refusal.code === "unknown_ladder");
});

test("frames that are no messages, unknown types and unknown fields are ignored", async () => {
  const { connection, socket, seen } = await opened();
  const answer = connection.request({ type: "ping", c: 1 });
  for (const frame of ["", "{", "[]", "null", "7", '{"type":1}', "x".repeat(10)]) socket.deliver(frame);
  socket.onmessage({ data: new Uint8Array(3) });
  socket.deliver({ type: "weather", wind: 3 });
  socket.answer("ping", { type: "pong", c: 1, taste: "salt" });
  assert.equal((await answer).taste, "salt");
  assert.equal(seen.messages[0].type, "weather");
});

test("an answer that nobody waits for is ignored", async () => {
  const { connection, socket } = await opened();
  const answer = connection.request({ type: "ping", c: 1 });
  const { id } = socket.last("ping");
  socket.deliver({ type: "pong", c: 1, re: id }, { type: "pong", c: 2, re: id }, error("internal", { re: "99" }));
  assert.equal((await answer).c, 1);
  assert.equal(connection.state, "open");
});

test("a lost answer is reported, and the match is resumed after its last event", async () => {
  const world = await opened({ follow: true });
  const answer = world.connection.request({ type: "guess" });
  world.socket.end();
  await assert.rejects(answer, LostAnswerError);
  assert.equal(world.connection.state, "waiting");
  world.timers.advance(1_000);
  world.socket.open();
  world.socket.answer("hello", welcome());
  assert.deepEqual(world.socket.last("resume"), { type: "resume", match: MATCH, seq: 3, id: world.socket.last("resume").id });
  assert.equal(world.connection.state, "resuming");
  world.socket.answer("resume", events().resumed(3, "turn"));
  await settled();
  assert.equal(world.connection.state, "open");
});

test("a cut in every state leads back to an open connection", async () => {
  const cuts = {
    connecting: () => {},
    greeting: (socket) => socket.open(),
    resuming: (socket) => {
      socket.open();
      socket.answer("hello", welcome());
    },
  };
  for (const [state, reach] of Object.entries(cuts)) {
    const world = fake();
    world.connection.follow(MATCH, () => 3);
    reach(world.socket);
    assert.equal(world.connection.state, state);
    world.socket.end();
    await settled();
    assert.equal(world.connection.state, "waiting", state);
    world.timers.advance(1_000);
    assert.equal(world.sockets.length, 2, state);
    await reopen(world);
    assert.equal(world.connection.state, "open", state);
  }
});

test("requests made while the connection is cut are sent when it is back", async () => {
  const world = await opened({ follow: true });
  world.socket.end();
  const answer = world.connection.request({ type: "ping", c: 3 });
  await reopen(world);
  world.socket.answer("ping", { type: "pong", c: 3 });
  assert.equal((await answer).c, 3);
});

test("attempts come later and later, and at once when somebody asks for it", async () => {
  const world = await opened({ follow: true });
  const waits = [];
  for (let attempt = 0; attempt < 9; attempt += 1) {
    world.socket.end();
    waits.push(world.connection.retryAt - world.timers.now());
    world.timers.advance(waits.at(-1));
  }
  assert.deepEqual(waits, [150, 300, 600, 1_200, 2_400, 4_800, 7_500, 7_500, 7_500]);
  world.socket.end();
  const count = world.sockets.length;
  world.connection.wake();
  assert.equal(world.sockets.length, count + 1);
});

test("delays are drawn from the upper half of their bounds", () => {
  assert.equal(retryDelay(0, () => 0), 100);
  assert.equal(retryDelay(3, () => 0.999), 800 + 799.2);
  assert.equal(retryDelay(1_000, () => 0), 5_000);
});

test("a server that lets the page in and drops it is not hurried", async () => {
  const world = await opened({ follow: true });
  const waits = [];
  for (let round = 0; round < 4; round += 1) {
    world.socket.end();
    waits.push(world.connection.retryAt - world.timers.now());
    world.timers.advance(waits.at(-1));
    await reopen(world);
  }
  assert.deepEqual(waits, [150, 300, 600, 1_200]);
  world.timers.advance(5_000);
  world.socket.end();
  assert.equal(world.connection.retryAt - world.timers.now(), 150);
});

test("a browser without a network tries again", async () => {
  let isOnline = false;
  const world = fake({ canOpen: () => isOnline });
  world.connection.follow(MATCH, () => 3);
  assert.equal(world.connection.state, "waiting");
  isOnline = true;
  world.timers.advance(1_000);
  await reopen(world);
  assert.equal(world.connection.state, "open");
});

test("a restarted server is waited for after it said that it stops", async () => {
  const world = await opened({ follow: true });
  world.socket.deliver({ type: "notice", kind: "draining", message: "stopping" });
  assert.equal(world.connection.isDraining, true);
  world.socket.end(1012);
  world.timers.advance(1_000);
  world.socket.open();
  world.socket.answer("hello", error("draining"));
  assert.deepEqual([world.connection.state, world.connection.isDraining], ["waiting", true]);
  world.timers.advance(1_000);
  await reopen(world);
  assert.deepEqual([world.connection.state, world.connection.isDraining], ["open", false]);
});

test("a match that another page took stays there until it is taken back", async () => {
  for (const code of [4003, 1006]) {
    const world = await opened({ follow: true });
    world.socket.deliver({ type: "notice", kind: "seat_taken", message: "another connection" });
    world.socket.end(code);
    assert.equal(world.connection.state, "displaced");
    world.timers.advance(600_000);
    world.connection.wake();
    assert.equal(world.sockets.length, 1);
    world.connection.reopen();
    await reopen(world);
    assert.equal(world.connection.state, "open");
  }
});

test("a pause that the server asks for is kept before the request is sent again", async () => {
  const { connection, socket, timers } = await opened();
  const answer = connection.request({ type: "play", ladder: "classic" });
  socket.answer("play", error("rate_limited", { retry_after_ms: 2_500 }));
  timers.advance(2_400);
  assert.equal(socket.count("play"), 1);
  timers.advance(100);
  assert.equal(socket.count("play"), 2);
  socket.answer("play", events().started);
  assert.equal((await answer).type, "match_started");
});

test("a server that asks for pauses for ever is given up", async () => {
  const { connection, socket, timers } = await opened();
  const answer = connection.request({ type: "play", ladder: "classic" });
  for (let round = 0; round < 9; round += 1) {
    socket.answer("play", error("rate_limited", { retry_after_ms: 100 }));
    timers.advance(100);
  }
  await assert.rejects(answer, (refusal) => refusal.code === "rate_limited");
});

test("a paused request is lost with its connection", async () => {
  const { connection, socket, timers } = await opened();
  const answer = connection.request({ type: "play", ladder: "classic" });
  socket.answer("play", error("rate_limited", { retry_after_ms: 100 }));
  socket.end();
  await assert.rejects(answer, LostAnswerError);
  timers.advance(10_000);
  assert.equal(socket.count("play"), 1);
});

test("a login that the server puts off is tried again after its pause", async () => {
  const world = fake();
  world.connection.follow(MATCH, () => 3);
  world.socket.open();
  world.socket.answer("hello", error("rate_limited", { retry_after_ms: 4_000 }));
  assert.equal(world.connection.retryAt, 4_000);
  world.timers.advance(4_000);
  await reopen(world);
  assert.equal(world.connection.state, "open");
});

test("a refused login ends the attempts and fails what waits", async () => {
  for (const fatal of [false, true]) {
    const world = fake();
    const answer = world.connection.request({ type: "play", ladder: "classic" });
    world.socket.open();
    world.socket.answer("hello", error("auth_failed", { fatal }));
    await assert.rejects(answer, (refusal) => refusal.code === "auth_failed");
    assert.deepEqual([world.connection.state, world.connection.refusal.code], ["refused", "auth_failed"]);
    await assert.rejects(world.connection.request({ type: "ping", c: 1 }), RefusedError);
    world.connection.reopen();
    await reopen(world);
    assert.equal(world.connection.state, "open");
  }
});

test("a match that the server does not know ends the attempts", async () => {
  const world = fake();
  world.connection.follow(MATCH, () => 3);
  world.socket.open();
  world.socket.answer("hello", welcome());
  world.socket.answer("resume", error("not_your_match"));
  await settled();
  assert.deepEqual([world.connection.state, world.connection.refusal.code], ["refused", "not_your_match"]);
});

test("a fatal error ends the connection, and the match is resumed later", async () => {
  const world = await opened({ follow: true });
  world.socket.deliver(error("rate_limited", { fatal: true, retry_after_ms: 3_000 }));
  assert.deepEqual([world.connection.state, world.connection.retryAt], ["waiting", 3_000]);
});

test("an idle guest who is dropped sleeps until the next request", async () => {
  const world = await opened();
  world.socket.end(1008);
  assert.equal(world.connection.state, "asleep");
  world.timers.advance(600_000);
  assert.equal(world.sockets.length, 1);
  void world.connection.request({ type: "ping", c: 1 });
  assert.equal(world.sockets.length, 2);
});

test("a dead socket is noticed by its silence", async () => {
  const world = await opened({ follow: true });
  world.timers.advance(19_000);
  world.socket.deliver(events().turn(1));
  world.timers.advance(19_999);
  assert.equal(world.socket.count("ping"), 0);
  world.timers.advance(1);
  assert.equal(world.socket.count("ping"), 1);
  world.socket.deliver({ type: "pong", c: 0 });
  world.timers.advance(20_000);
  assert.equal(world.socket.count("ping"), 2);
  world.timers.advance(10_000);
  assert.equal(world.connection.state, "waiting");
});

test("a server that never accepts or greets is left", async () => {
  for (const isOpen of [false, true]) {
    const world = fake();
    world.connection.follow(MATCH, () => 3);
    if (isOpen) world.socket.open();
    world.timers.advance(15_000);
    assert.equal(world.connection.state, "waiting");
    world.sockets[0].open();
    assert.equal(world.sockets[0].isClosed, true);
  }
});

test("an answer to hello that is not welcome is no server of this game", async () => {
  const world = fake();
  world.connection.follow(MATCH, () => 3);
  world.socket.open();
  world.socket.answer("hello", { type: "pong", c: 1 });
  assert.equal(world.connection.state, "waiting");
});

test("a closed connection stays closed, and nothing runs any more", async () => {
  const world = await opened({ follow: true });
  const answer = world.connection.request({ type: "guess" });
  const stale = world.socket;
  world.connection.close();
  await assert.rejects(answer, LostAnswerError);
  stale.onmessage?.({ data: "{}" });
  world.connection.wake();
  assert.deepEqual([world.connection.state, world.timers.pending, world.sockets.length], ["closed", 0, 1]);
});

test("every error code of the protocol has words of its own", async () => {
  const { readFileSync } = await import("node:fs");
  const schema = JSON.parse(readFileSync(new URL("../../../protocol/evilpegs_protocol/schema.json", import.meta.url), "utf8"));
  const codes = JSON.stringify(schema).match(/"ErrorCode":\{[^}]*?"enum":(\[[^\]]*\])/);
  assert.deepEqual([...ERROR_CODES].sort(), JSON.parse(codes[1]).sort());
  const words = new Set(ERROR_CODES.map((code) => refusalWords({ code })));
  assert.ok(words.size >= ERROR_CODES.length - 1);
  assert.match(refusalWords({ code: "from_the_future", message: "wait" }), /wait/);
});
