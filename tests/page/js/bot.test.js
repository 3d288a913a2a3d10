import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { runInNewContext } from "node:vm";

import { enumerateCodes, formatCode, parseCode } from "../../../clients/evilpegs_page/core/codes.js";
import { feedback } from "../../../clients/evilpegs_page/core/feedback.js";
import { LocalGame } from "../../../clients/evilpegs_page/core/local_game.js";
import { makeRules } from "../../../clients/evilpegs_page/core/rules.js";
import { Bot, BotError, CHOICE_MS } from "../../../clients/evilpegs_page/game/bot.js";
import { BotMatch, LIMIT, playAll, playEvil } from "../../../clients/evilpegs_page/game/bot_games.js";
import { ServerPlay } from "../../../clients/evilpegs_page/game/server_play.js";
import { FakeSocket, FakeTimers, MATCH, SERVER, TOKEN, error, events, fakeStorage, settled, welcome } from "./support/fakes.js";

const FOLDER = new URL("../../../clients/evilpegs_page/bots/", import.meta.url);
const WORKER = readFileSync(new URL("worker.js", FOLDER), "utf8");
const CLASSIC = makeRules(4, 6);
const SMALL = makeRules(3, 4);

/** The page's worker in a context of its own, without the browser's reports of errors; see tests/page/test_bot_editor.py. */
class FakeWorker {
  constructor() {
    this.self = {
      postMessage: (data) => queueMicrotask(() => this.onmessage?.({ data: structuredClone(data) })),
      addEventListener() {},
    };
    runInNewContext(WORKER, { self: this.self, console: {} });
  }

  postMessage(data) {
    if (!this.isEnded) this.self.onmessage({ data: structuredClone(data) });
  }

  terminate() {
    this.isEnded = true;
  }
}

/** A worker whose answers the test gives. */
class ScriptedWorker {
  posted = [];

  postMessage(data) {
    this.posted.push(data);
  }

  terminate() {
    this.isEnded = true;
  }

  answer(data) {
    this.onmessage({ data });
    return settled();
  }
}

function newBot(worker, timers = new FakeTimers(), logs = []) {
  return new Bot({ worker, timers, onLog: (line) => logs.push(line) });
}

async function botOf(code, logs) {
  const bot = newBot(new FakeWorker(), new FakeTimers(), logs);
  await bot.load(code);
  return bot;
}

const textOf = (name) => readFileSync(new URL(`${name}.txt`, FOLDER), "utf8");
const firstOf = () => botOf(textOf("first"));

/** The guesses that the first candidate needs for each secret, played one secret at a time. */
function countSlowly(rules) {
  const all = [...Array(enumerateCodes(rules).length / rules.pegs).keys()].map((index) => {
    return enumerateCodes(rules).subarray(index * rules.pegs, (index + 1) * rules.pegs);
  });
  const counts = Array(LIMIT + 2).fill(0);
  for (const secret of all) {
    let left = all;
    for (let guesses = 1; ; guesses++) {
      const guess = left[0];
      const reply = feedback(guess, secret);
      if (reply.black === rules.pegs) {
        counts[guesses]++;
        break;
      }
      left = left.filter((code) => JSON.stringify(feedback(guess, code)) === JSON.stringify(reply));
    }
  }
  return counts;
}

test("a bot gets the position as the page documents it", async () => {
  const logs = [];
  const bot = await botOf("function choose(position) { console.log(position); return position.candidates[1]; }", logs);
  const codes = Uint8Array.of(0, 0, 1, 0, 1, 0);
  assert.equal(await bot.choose(SMALL, [{ code: "111", black: 2, white: 0 }], codes), "121");
  assert.deepEqual(JSON.parse(logs[0]), {
    rules: { pegs: 3, colors: 4, repeats: true },
    symbols: "1234",
    turns: [{ guess: "111", black: 2, white: 0 }],
    candidates: ["112", "121"],
  });
});

test("feedback and part sizes of a position are those of the game", async () => {
  const logs = [];
  const code = `function choose({ candidates, feedback, partSizes }) {
    for (const guess of ["1111", "1122", "1234"]) {
      console.log(partSizes(guess).sort((a, b) => a - b), candidates.slice(600, 610).map((secret) => feedback(guess, secret)));
    }
    return "1111";
  }`;
  await (await botOf(code, logs)).choose(CLASSIC, [], enumerateCodes(CLASSIC));
  for (const guess of ["1111", "1122", "1234"]) {
    const game = new LocalGame({ rules: CLASSIC });
    const secrets = game.listCandidates(1296).slice(600, 610);
    const sizes = game.guess(guess).parts.map((part) => part.count).sort((a, b) => a - b);
    const replies = secrets.map((secret) => feedback(parseCode(CLASSIC, guess), parseCode(CLASSIC, secret)));
    assert.ok(JSON.stringify(sizes).concat(" ", JSON.stringify(replies)).startsWith(logs.shift()));
  }
});

test("a guess that is no code is refused with the turn and the reason", async () => {
  for (const [returned, reason] of [["'12'", "needs 4"], ["'1117'", "not a code|lacks"], ["1122", "1122.*not text"], ["undefined", "undefined"]]) {
    const bot = await botOf(`function choose() { return ${returned}; }`);
    const chosen = bot.choose(CLASSIC, [{ code: "1122", black: 1, white: 0 }], enumerateCodes(CLASSIC));
    await assert.rejects(chosen, (problem) => {
      assert.ok(problem instanceof BotError);
      assert.match(problem.message, new RegExp(`^Guess 2, after 1122 \\(1 black, 0 white\\).*(${reason})`));
      return true;
    });
  }
});

test("code without choose is refused", async () => {
  await assert.rejects(botOf("let x = 1;"), /choose/);
});

test("what is logged is bounded", async () => {
  const logs = [];
  await botOf("for (let i = 0; i < 1000; i++) console.log('x'.repeat(10_000)); function choose() {}", logs);
  assert.equal(logs.length, 101);
  assert.equal(logs[0].length, 500);
});

test("a bot that does not answer is ended, and says at which guess", async () => {
  const [worker, timers] = [new ScriptedWorker(), new FakeTimers()];
  const bot = newBot(worker, timers);
  const loaded = bot.load("while (true);");
  timers.advance(10 * CHOICE_MS); // a slow network is not the bot's fault
  await worker.answer({});
  await worker.answer({});
  await loaded;
  const chosen = bot.choose(CLASSIC, [], enumerateCodes(CLASSIC));
  await settled();
  timers.advance(CHOICE_MS - 1);
  assert.ok(!worker.isEnded);
  timers.advance(1);
  await assert.rejects(chosen, /^Error: Guess 1: no answer after 5 seconds/);
  assert.ok(worker.isEnded);
  await assert.rejects(bot.choose(CLASSIC, [], enumerateCodes(CLASSIC)), BotError);
  assert.equal(timers.pending, 0);
});

test("an error has the line of the code, which is never after the last", async () => {
  for (const [line, shown] of [[2, 2], [99, 3], ["x", null]]) {
    const worker = new ScriptedWorker();
    const loaded = newBot(worker).load("a\nb\nc");
    await worker.answer({});
    const refused = assert.rejects(loaded, { line: shown });
    await worker.answer({ error: "SyntaxError: x", line });
    await refused;
  }
});

test("a worker that cannot be loaded is said to be the fault of the connection", async () => {
  const worker = new ScriptedWorker();
  const loaded = newBot(worker).load("a");
  worker.onerror();
  await assert.rejects(loaded, /did not load/);
});

test("a stopped bot ends what is waited for", async () => {
  const worker = new ScriptedWorker();
  const bot = newBot(worker);
  const loaded = bot.load("a");
  await worker.answer({});
  bot.close();
  await assert.rejects(loaded, /stopped/);
});

test("evil answers a bot as it answers a person", async () => {
  const seen = [];
  await playEvil(await firstOf(), CLASSIC, (turns) => seen.push(turns));
  const game = new LocalGame({ rules: CLASSIC });
  for (const turn of seen.at(-1)) {
    const { black, white, left } = game.guess(turn.code);
    assert.deepEqual([turn.black, turn.white, turn.left], [black, white, left]);
  }
  assert.equal(game.over, "solved");
  assert.deepEqual(seen.map((turns) => turns.length), game.turns.map((_, index) => index + 1));
});

test("a bot that never finds the code loses after the last guess", async () => {
  const stubborn = await botOf("function choose() { return '1111'; }");
  const seen = [];
  await playEvil(stubborn, CLASSIC, (turns) => seen.push(turns));
  assert.equal(seen.length, LIMIT);
});

test("all secrets give what each secret gives by itself", async () => {
  const seen = [];
  await playAll(await firstOf(), SMALL, (counts) => seen.push(counts), () => 0);
  assert.deepEqual(seen.at(-1), countSlowly(SMALL));
  const sums = seen.map((counts) => counts.reduce((sum, each) => sum + each));
  assert.deepEqual(sums, [...sums].sort((a, b) => a - b));
});

test("secrets that are not found in time are counted", async () => {
  let counts;
  await playAll(await botOf("function choose() { return '111'; }"), SMALL, (now) => (counts = now), () => 0);
  assert.deepEqual([counts[1], counts[LIMIT + 1]], [1, 63]);
});

test("all secrets are given up when they take too long in total", async () => {
  let now = 0;
  const playing = playAll(await firstOf(), CLASSIC, () => {}, () => (now += 1_000));
  await assert.rejects(playing, /2 minutes/);
});

test("each example is a bot that solves every secret of each kind of rules", async () => {
  for (const name of ["first", "random", "minimax"]) {
    for (const rules of [SMALL, makeRules(3, 6, false)]) {
      let counts;
      await playAll(await botOf(textOf(name)), rules, (now) => (counts = now), () => 0);
      assert.equal(counts[LIMIT + 1], 0);
    }
  }
});

/** A bot's match on a ladder, in its first game, which is not begun. */
async function inMatch(code, { rated = true } = {}) {
  const bot = await botOf(code);
  const sockets = [];
  const world = {
    failures: [],
    get socket() { return sockets.at(-1); },
    changed: () => world.driver?.follow().catch((problem) => world.failures.push(problem)),
  };
  const timers = new FakeTimers();
  world.play = new ServerPlay({
    server: SERVER, ladder: rated ? "classic" : "classic-practice", storage: fakeStorage(), timers, kind: "bot",
    openSocket: () => sockets[sockets.push(new FakeSocket()) - 1],
    random: () => 0.5, newNonce: () => "nonce", onChange: () => world.changed(),
  });
  world.play.start();
  sockets[0].open();
  sockets[0].answer("hello", welcome({ token: TOKEN }));
  await settled();
  world.driver = new BotMatch(world.play, bot);
  void world.play.play();
  await settled();
  sockets[0].answer("play", events({ rated }).started);
  sockets[0].deliver(events({ rated }).game);
  await settled();
  return Object.assign(world, { bot, timers, all: events({ rated }) });
}

test("a bot starts a rated game and guesses once in each turn", async () => {
  const { socket, all, failures } = await inMatch(textOf("first"));
  assert.equal(socket.count("ready"), 1);
  socket.answer("ready", all.turn(1));
  await settled();
  assert.equal(socket.last("guess").code, "1111");
  socket.answer("guess", all.feedback(1, "1111", 1, 0));
  socket.deliver(all.turn(2));
  await settled();
  assert.equal(socket.count("guess"), 2);
  assert.equal(socket.last("guess").code, "1222");
  assert.deepEqual(failures, []);
});

test("a guess that the server refuses is not sent again and again", async () => {
  const { socket, all, play } = await inMatch(textOf("first"));
  socket.answer("ready", all.turn(1));
  await settled();
  socket.answer("guess", error("rate_limited"));
  await settled();
  await settled();
  assert.equal(socket.count("guess"), 1);
  assert.notEqual(play.problem, null);
});

test("a bot that fails in a match sends nothing", async () => {
  const { socket, all, failures } = await inMatch("function choose() { return 'x'; }");
  socket.answer("ready", all.turn(1));
  await settled();
  assert.equal(socket.count("guess"), 0);
  assert.equal(failures.length, 1);
});

test("a choice that comes after the end of its game is not sent to the next", async () => {
  const world = await inMatch(textOf("first"));
  const { socket, all, bot } = world;
  let choose;
  bot.choose = () => new Promise((resolve) => (choose = resolve));
  socket.answer("ready", all.turn(1));
  await settled();
  const next = { ...all.game, game: 2, seq: 4 };
  socket.deliver({ ...all.gameOver(0, "flagged"), seq: 3 }, next);
  choose("1122");
  await settled();
  assert.equal(socket.count("guess"), 0);
  assert.equal(socket.last("ready").game, 2);
});

test("a choice that comes while the match catches up is made again afterwards", async () => {
  const world = await inMatch(textOf("first"));
  const { all, bot } = world;
  const chosen = [];
  bot.choose = () => new Promise((resolve) => chosen.push(resolve));
  world.socket.answer("ready", all.turn(1));
  await settled();
  world.socket.end();
  world.timers.advance(10_000);
  world.socket.open();
  world.socket.answer("hello", welcome({ open: [{ match: MATCH, seq: 2 }] }));
  await settled();
  world.socket.answer("resume", all.resumed(2, "turn"));
  chosen[0]("1122");
  await settled();
  assert.equal(world.socket.count("guess"), 0);
  world.socket.deliver(all.turn(1));
  await settled();
  chosen[1]("1123");
  await settled();
  assert.equal(world.socket.last("guess").code, "1123");
});

test("a new name of a bot is claimed for a bot", async () => {
  const world = await inMatch(textOf("first"));
  world.play.changePlayer("rosa");
  await settled();
  world.socket.open();
  assert.deepEqual([world.socket.last("hello").name, world.socket.last("hello").kind], ["rosa", "bot"]);
});
