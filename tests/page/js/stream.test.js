import assert from "node:assert/strict";
import { test } from "node:test";

import { LadderStream, MatchStream } from "../../../clients/evilpegs_page/stream.js";

/** An EventSource whose server is the test. */
class FakeSource {
  CLOSED = 2;
  readyState = 0;

  close() {
    this.readyState = this.CLOSED;
  }

  open() {
    this.readyState = 1;
    this.onopen();
  }

  deliver(...seqs) {
    for (const seq of seqs) this.onmessage({ data: event(seq) });
  }

  fail(readyState) {
    this.readyState = readyState;
    this.onerror();
  }
}

const event = (seq) => `{"seq": ${seq}}`;
const record = (...seqs) => seqs.map((seq) => `${event(seq)}\n`).join("");

/** Follow a match whose record has two events. */
function watch({ hidden = false, last = Infinity } = {}) {
  const followed = { sources: [], frames: [], timers: [], texts: [], lost: [], refused: 0, hidden };
  const browser = {
    open: (path) => {
      assert.equal(path, "api/v1/matches/m/events");
      return followed.sources[followed.sources.push(new FakeSource()) - 1];
    },
    isHidden: () => followed.hidden,
    onVisible: (listener, signal) => (followed.turn = () => signal.aborted || listener()),
    frame: (callback) => followed.frames.push(callback),
    set: (callback) => followed.timers.push(callback) - 1,
    clear: (timer) => timer !== null && delete followed.timers[timer],
  };
  const watching = {
    path: "api/v1/matches/m/events",
    text: record(1, 2),
    seq: 2,
    onText: (text) => followed.texts.push(text) >= last,
    onLost: (isLost) => followed.lost.push(isLost),
    onRefused: () => (followed.refused += 1),
  };
  followed.stream = new MatchStream(watching, browser);
  followed.stream.start();
  followed.draw = () => followed.frames.splice(0).forEach((callback) => callback());
  return followed;
}

test("a stream adds to the record, once per frame", () => {
  const { sources, frames, texts, draw } = watch();
  sources[0].deliver(1, 2);
  assert.equal(frames.length, 0);
  sources[0].deliver(3, 4);
  assert.equal(frames.length, 1);
  assert.deepEqual(texts, []);
  draw();
  sources[0].deliver(5);
  draw();
  assert.deepEqual(texts, [record(1, 2, 3, 4), record(1, 2, 3, 4, 5)]);
});

test("a stream that connects again doubles no line", () => {
  const { sources, texts, lost, draw } = watch();
  sources[0].open();
  sources[0].deliver(1, 2, 3);
  sources[0].fail(0);
  assert.deepEqual(lost, [false, false]);
  sources[0].fail(0);
  assert.equal(lost.at(-1), true);
  sources[0].open();
  assert.equal(lost.at(-1), false);
  sources[0].deliver(2, 3, 4);
  draw();
  assert.deepEqual(texts, [record(1, 2, 3, 4)]);
  assert.equal(sources.length, 1);
});

test("a stopped stream takes nothing more", () => {
  const { stream, sources, texts, turn, draw } = watch();
  sources[0].deliver(3);
  stream.stop();
  draw();
  turn();
  assert.deepEqual(texts, []);
  assert.equal(sources.length, 1);
  assert.equal(sources[0].readyState, 2);
});

test("a stream ends with the last text", () => {
  const { sources, draw } = watch({ last: 1 });
  sources[0].deliver(3);
  assert.equal(sources[0].readyState, 0);
  draw();
  assert.equal(sources[0].readyState, 2);
});

test("a refused stream says so after a pause, unless it was stopped", () => {
  const refused = watch();
  refused.sources[0].fail(2);
  assert.equal(refused.refused, 0);
  refused.timers[0]();
  assert.equal(refused.refused, 1);
  assert.deepEqual([refused.lost, refused.texts], [[], []]);
  const stopped = watch();
  stopped.sources[0].fail(2);
  stopped.stream.stop();
  assert.equal(stopped.timers[0], undefined);
});

test("a stream is connected while the page is visible", () => {
  const followed = watch({ hidden: true });
  assert.equal(followed.sources.length, 0);
  followed.hidden = false;
  followed.turn();
  followed.turn();
  assert.equal(followed.sources.length, 1);
  followed.sources[0].deliver(3);
  followed.hidden = true;
  followed.turn();
  assert.equal(followed.sources[0].readyState, 2);
  followed.hidden = false;
  followed.turn();
  followed.sources[1].deliver(1, 2, 3, 4);
  followed.draw();
  assert.deepEqual(followed.texts, [record(1, 2, 3, 4)]);
});

test("a stream of a ladder says when it begins in the middle, and takes every event", () => {
  const said = [];
  const listeners = {};
  const source = Object.assign(new FakeSource(), { addEventListener: (type, listener) => (listeners[type] = listener) });
  const watching = {
    path: "api/v1/ladders/classic/events", onEvent: ({ seq }) => said.push(seq), onPlace: () => said.push("place"),
    onLost: (isLost) => said.push(isLost), onRefused: () => {},
  };
  const browser = { open: () => source, isHidden: () => false, onVisible: () => {}, clear: () => {} };
  const stream = new LadderStream(watching, browser);
  stream.start();
  source.open();
  listeners.place();
  source.deliver(3, 1, 1);
  source.fail(0);
  source.fail(0);
  source.open();
  listeners.reset();
  assert.deepEqual(said, [false, "place", 3, 1, 1, false, true, false, "place"]);
  stream.stop();
  assert.equal(source.readyState, source.CLOSED);
});
