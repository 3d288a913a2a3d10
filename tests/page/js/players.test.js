import assert from "node:assert/strict";
import { test } from "node:test";

import { ImportError, Players, nameProblem, tokenProblem } from "../../../clients/evilpegs_page/game/players.js";
import { OpenMatches } from "../../../clients/evilpegs_page/game/open_matches.js";
import { SafeStorage } from "../../../clients/evilpegs_page/game/storage.js";
import { FakeStorage, MATCH, SERVER, TOKEN, fakeStorage } from "./support/fakes.js";

const OTHER = "b".repeat(64);

test("a new browser plays as a guest", () => {
  const players = new Players(fakeStorage(), SERVER);
  assert.equal(players.current, null);
  assert.deepEqual(players.names, []);
});

test("a stored name is played under after a reload", () => {
  const raw = new FakeStorage();
  new Players(fakeStorage(raw), SERVER).add("ann", TOKEN);
  const players = new Players(fakeStorage(raw), SERVER);
  assert.equal(players.current, "ann");
  assert.deepEqual(players.tokens("ann"), [TOKEN]);
});

test("names belong to one server", () => {
  const storage = fakeStorage();
  new Players(storage, SERVER).add("ann", TOKEN);
  const other = new Players(storage, "ws://127.0.0.1:9999/v1");
  assert.equal(other.current, null);
  assert.deepEqual(other.tokens("ann"), []);
});

test("a guest replaces the guest before and is no chosen name", () => {
  const players = new Players(fakeStorage(), SERVER);
  players.add("guest-00000001", TOKEN);
  players.add("guest-00000002", OTHER);
  assert.equal(players.current, "guest-00000002");
  assert.deepEqual(players.tokens("guest-00000001"), []);
  assert.deepEqual(players.names, []);
});

test("the tokens of a name are kept newest first and few", () => {
  const players = new Players(fakeStorage(), SERVER);
  for (const digit of "123456") players.add("ann", digit.repeat(64));
  assert.deepEqual(players.tokens("ann").map((token) => token[0]), ["6", "5", "4", "3"]);
});

test("names of properties that every object has keep their tokens", () => {
  for (const name of ["constructor", "__proto__", "toString"]) {
    const raw = new FakeStorage();
    new Players(fakeStorage(raw), SERVER).add(name, TOKEN);
    const players = new Players(fakeStorage(raw), SERVER);
    assert.deepEqual([players.current, players.names, players.tokens(name)], [name, [name], [TOKEN]]);
    const other = new Players(fakeStorage(), SERVER);
    assert.equal(other.importText(players.exportText()), 1);
    assert.deepEqual(other.tokens(name), [TOKEN]);
  }
});

test("what is wrong with a given name or token is said", () => {
  assert.equal(tokenProblem("ann", TOKEN), null);
  assert.match(tokenProblem("a b", TOKEN) ?? "", /not a name/);
  assert.match(tokenProblem("ann", "12ab") ?? "", /has 4\./);
  assert.match(tokenProblem("ann", "x".repeat(64)) ?? "", /others among them/);
});

test("a forgotten name is gone", () => {
  const players = new Players(fakeStorage(), SERVER);
  players.add("ann", TOKEN);
  players.forget("ann");
  assert.equal(players.current, null);
  assert.deepEqual(players.names, []);
});

test("exported names can be imported elsewhere, without guests", () => {
  const players = new Players(fakeStorage(), SERVER);
  players.add("guest-00000001", OTHER);
  players.add("ann", TOKEN);
  const elsewhere = new Players(fakeStorage(), SERVER);
  assert.equal(elsewhere.importText(players.exportText()), 1);
  assert.deepEqual(elsewhere.names, ["ann"]);
  assert.deepEqual(JSON.parse(players.exportText()), { [SERVER]: { ann: [TOKEN] } });
});

for (const text of ["", "{", "[]", "null", "{}", '{"ws://x/v1": {"Ann": ["short"]}}', '"text"', "[[1]]"]) {
  test(`importing ${JSON.stringify(text)} is refused and adds nothing`, () => {
    const players = new Players(fakeStorage(), SERVER);
    players.add("ann", TOKEN);
    assert.throws(() => players.importText(text), ImportError);
    assert.deepEqual(players.names, ["ann"]);
  });
}

for (const garbage of ["{", "[]", "null", "7", '{"__proto__": {"ann": ["x"]}}', `{"${SERVER}": {"ann": "x"}}`, '"\\u0000"']) {
  test(`stored garbage ${JSON.stringify(garbage)} counts as nothing and can be overwritten`, () => {
    const raw = new FakeStorage();
    for (const key of ["evilpegs.tokens", "evilpegs.player", "evilpegs.matches"]) raw.values.set(key, garbage);
    const players = new Players(fakeStorage(raw), SERVER);
    const matches = new OpenMatches(fakeStorage(raw), SERVER);
    assert.equal(players.current, null);
    assert.equal(matches.get("classic"), null);
    players.add("bob", TOKEN);
    matches.keep("classic", { match: MATCH, player: "bob", nonces: { 1: "n" } });
    assert.equal(players.current, "bob");
    assert.deepEqual(matches.get("classic"), { match: MATCH, player: "bob", nonces: { 1: "n" } });
  });
}

test("blocked storage keeps names until the page closes, and says so", () => {
  const raw = new FakeStorage();
  raw.isBlocked = true;
  const players = new Players(fakeStorage(raw), SERVER);
  players.add("ann", TOKEN);
  assert.equal(players.current, "ann");
  assert.equal(players.isLasting, false);
});

test("a browser without storage keeps names until the page closes", () => {
  const storage = new SafeStorage(() => {
    throw new Error("denied");
  });
  const players = new Players(storage, SERVER);
  players.add("ann", TOKEN);
  assert.equal(players.current, "ann");
  assert.equal(players.isLasting, false);
});

test("names are checked before they are claimed", () => {
  assert.equal(nameProblem("ann_b-1"), null);
  for (const name of ["", "a", "Ann", "1ann", "a".repeat(21), "guest-1", "ann b", "änn", "<b>"]) {
    assert.equal(typeof nameProblem(name), "string", name);
  }
});

test("a match is kept for each ladder and forgotten alone", () => {
  const matches = new OpenMatches(fakeStorage(), SERVER);
  const kept = { match: MATCH, player: "ann", nonces: {} };
  matches.keep("classic", kept);
  matches.keep("super", kept);
  matches.forget("classic");
  assert.equal(matches.get("classic"), null);
  assert.deepEqual(matches.get("super"), kept);
  for (const odd of ["__proto__", "constructor", "toString"]) assert.equal(matches.get(odd), null);
});
