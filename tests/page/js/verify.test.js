// Honest records hold, forged ones are refused by the check that they break, and garbage never throws.

import assert from "node:assert/strict";
import test from "node:test";

import { UnreadableError } from "../../../clients/evilpegs_page/core/errors.js";
import { canonical } from "../../../clients/evilpegs_page/core/canonical.js";
import { readRecord, readRecordFile, recordEvents } from "../../../clients/evilpegs_page/core/record_file.js";
import { verifyRecord } from "../../../clients/evilpegs_page/core/verification/verify.js";
import { apply, edited, vectors } from "./support.js";

const { honest } = vectors("records");
const { forged } = vectors("forgeries");
const atOnce = async () => {};
const eventsOf = Object.fromEntries(honest.map(({ name, events }) => [name, events]));

for (const { name, events, unchecked } of honest) {
  test(`honest record holds: ${name}`, async () => {
    let pauses = 0;
    const result = await verifyRecord(events, {}, async () => (pauses += 1));
    assert.equal(pauses, events.filter((event) => event.type === "game_started").length);
    assert.deepEqual(result.checks.filter((check) => check.ok === false), []);
    assert.deepEqual([result.ok, result.finished], [true, true]);
    const left = new Set(result.checks.filter((check) => check.ok === null).map((check) => check.name));
    assert.deepEqual([...left].sort(), [...unchecked].sort());
    assert.ok(result.checks.every((check) => check.detail !== ""));
  });

  test(`every changed or missing field is found: ${name}`, async () => {
    for (const [index, event] of events.entries()) {
      if (events.findIndex(({ type }) => type === event.type) !== index) continue; // its fields are read as those of the first
      for (const field of Object.keys(event)) {
        if (event.type === "match_over" && ["at", "signature"].includes(field)) {
          continue; // nothing that comes later could vouch for them
        }
        const changed = events.with(index, { ...event, [field]: otherValue(event[field]) });
        assert.equal((await verifyRecord(changed, {}, atOnce)).ok, false, `${event.type} ${field}`);
        const { [field]: _, ...rest } = event;
        assert.equal((await verifyRecord(events.with(index, rest), {}, atOnce)).ok, false, `${event.type} without ${field}`);
      }
    }
  });

  test(`every missing event is found: ${name}`, async () => {
    for (const index of events.keys()) {
      const result = await verifyRecord(events.toSpliced(index, 1), {}, atOnce);
      assert.equal(result.ok && result.finished, false);
    }
  });

  test(`a record that is cut off is not finished: ${name}`, async () => {
    for (let length = 1; length < events.length; length++) {
      const result = await verifyRecord(events.slice(0, length), {}, atOnce);
      assert.deepEqual([result.ok, result.finished], [true, false]);
    }
  });
}

function otherValue(value) {
  switch (typeof value) {
    case "number":
      return value + 1;
    case "boolean":
      return !value;
    case "string":
      return /^[0-9a-f]{16,}$/.test(value) ? "7".repeat(value.length) : `${value}x`;
    default:
      return value === null ? 5 : Array.isArray(value) ? value.slice(1) : null;
  }
}

for (const { record, forgery, refused_by: check, changes } of forged) {
  test(`forged record is refused: ${record}: ${forgery}`, async () => {
    const result = await verifyRecord(apply(eventsOf[record], changes), {}, atOnce);
    assert.equal(result.ok, false);
    const failed = result.checks.filter((found) => found.ok === false).map((found) => found.name);
    assert.ok(failed.includes(check), `${failed} instead of ${check}`);
  });
}

const { doctored } = vectors("doctored");

for (const { kind, record, edits, verdict } of doctored) {
  test(`doctored record is judged as evilpegs verify does: ${kind}`, async () => {
    assert.equal(await judge(edited(eventsOf[record].map(canonical), edits)), verdict);
  });
}

/** @param {string} text */
async function judge(text) {
  let events;
  try {
    events = readRecordFile(text);
  } catch (error) {
    assert.ok(error instanceof UnreadableError);
    return "unreadable";
  }
  const { ok, finished } = await verifyRecord(events, {}, atOnce);
  return !ok ? "does not hold" : finished ? "holds" : "not finished";
}

test("the client's own nonce must have been used", async () => {
  const { events } = honest.find(({ name }) => name === "fixed");
  assert.ok((await verifyRecord(events, { 1: "my-own-luck" }, atOnce)).ok);
  const { ok, checks } = await verifyRecord(events, { 1: "another" }, atOnce);
  assert.equal(ok, false);
  assert.deepEqual(checks.filter((check) => check.ok === false).map((check) => [check.game, check.name]), [[1, "client nonce"]]);
});

test("unknown fields and the field re are allowed", async () => {
  const events = structuredClone(eventsOf.fixed);
  events[3].re = "7";
  assert.ok((await verifyRecord(events, {}, atOnce)).ok);
  const signed = events.findIndex((event) => event.type === "match_over");
  events[signed].news = { x: [1] };
  assert.ok((await verifyRecord(events, {}, atOnce)).ok);
});

test("garbage is a check that does not hold, never an exception", async () => {
  const [first] = eventsOf.evil;
  const deep = JSON.parse("[".repeat(20_000) + "]".repeat(20_000));
  const cyclic = { ...first };
  cyclic.self = cyclic;
  const hostile = new Proxy({}, {
    get() {
      throw new Error("no");
    },
  });
  const garbage = [
    null, undefined, 0, "record", true, {}, { length: 2 }, [], [null], [undefined], [[]], [7], ["match_started"], [{}],
    [{ type: "match_started" }], [{ type: "__proto__" }], [{ type: "constructor" }], [{ type: ["feedback"] }],
    [{ ...first, news: deep }], [cyclic], [{ ...first, news: NaN }], [{ ...first, rules: "99x99" }], [{ ...first, clock: [] }],
    [{ ...first, client: "x" }], [hostile], hostile, new Array(3), [first, , first], [first, first],
  ];
  for (const value of garbage) {
    const result = await verifyRecord(value, {}, atOnce);
    assert.equal(result.ok, false);
    assert.ok(result.checks.length > 0);
  }
});

test("honest events in random order or number never throw", async () => {
  const pool = honest.flatMap(({ events }) => events);
  let state = 1;
  const next = (bound) => {
    state = (state * 48271) % 2147483647;
    return state % bound;
  };
  for (let round = 0; round < 300; round++) {
    const events = [pool[0], ...Array.from({ length: next(12) }, () => pool[next(pool.length)])];
    const { ok, finished, checks } = await verifyRecord(events, {}, atOnce);
    assert.equal(typeof ok, "boolean");
    assert.ok(!(ok && finished));
    assert.ok(checks.length > 0);
  }
});

test("a record file is read, with messages that are no events left out", async () => {
  const events = eventsOf["evil practice"];
  const lines = events.map((event, index) => JSON.stringify(index % 2 ? event : { ...event, re: "1" }));
  lines.splice(3, 0, '{"type":"turn","match":"0123456789abcdef","game":1,"turn":1,"left_ms":null}', "");
  for (const text of [lines.join("\n"), `\uFEFF${lines.join("\r\n")}\n`]) {
    assert.deepEqual(readRecord(text), events);
    assert.ok((await verifyRecord(readRecord(text), {}, atOnce)).ok);
  }
  assert.deepEqual(recordEvents(lines.filter((line) => line !== "").map((line) => JSON.parse(line))), events);
});

test("what is no record file is refused in one line", () => {
  const [started, ...rest] = eventsOf.fixed.map((event) => JSON.stringify(event));
  const wrong = [
    "", "\n\n", "hello", "[1]", "7", "null", "{}", rest.join("\n"), `${started}\n{"type":`, [started, ...rest, started].join("\n"),
    started.replace("{", '{"at":1,'), started.replace('"pegs":4', '"pegs":4.0'), started.replace('"pegs":4', '"pegs":4e0'),
    "{".repeat(100_000),
  ];
  for (const text of wrong) {
    assert.throws(() => readRecord(text), (error) => error instanceof UnreadableError && !error.message.includes("\n"), text.slice(0, 60));
  }
});

test("texts with colons, points and quotes are no keys and no fractions", () => {
  const odd = { ...eventsOf.fixed[0], news: ['":1', "a: 1.5e3", '\\":', { "1.5": "x", 'q"': ":" }] };
  assert.deepEqual(readRecord(JSON.stringify(odd)), [odd]);
});
