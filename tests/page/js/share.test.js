// Links to games, and results as text.

import assert from "node:assert/strict";
import test from "node:test";

import { UnreadableError } from "../../../clients/evilpegs_page/core/errors.js";
import { LocalGame } from "../../../clients/evilpegs_page/core/local_game.js";
import { parseRules } from "../../../clients/evilpegs_page/core/rules.js";
import { gameAddress, linkSeed, onlyHereWords, positionPath, readTerms, replayAddress, shareText } from "../../../clients/evilpegs_page/core/share.js";
import { findRoute } from "../../../clients/evilpegs_page/routes.js";

const seed = "9f9f9f9f9f9f9f9f";

test("a link carries rules, codemaker, seed and version", () => {
  for (const [rules, codemaker] of [["4x6", "evil"], ["4x10-distinct", "fixed"]]) {
    const game = new LocalGame({ rules: parseRules(rules), codemaker, seed });
    const address = gameAddress(game, "");
    assert.equal(address, `#/play/${rules}-${codemaker}?seed=${seed}&v=1`);
    const { params, query } = findRoute(address);
    assert.deepEqual([params.rules, linkSeed(query)], [`${rules}-${codemaker}`, seed]);
  }
});

test("a game of the day is linked by its date, and a game without a seed not at all", () => {
  const game = new LocalGame({ rules: parseRules("4x6") });
  assert.equal(gameAddress(game, "2026-11-22"), "#/daily/2026-11-22?v=1");
  assert.equal(gameAddress(game, ""), "");
  assert.deepEqual(findRoute("#/daily/2026-11-22?v=1").params, { date: "2026-11-22" });
});

test("an address without a version is read, and an unknown version is refused", () => {
  assert.equal(linkSeed(new URLSearchParams("seed=class-7b")), "class-7b");
  assert.equal(linkSeed(new URLSearchParams("")), undefined);
  for (const version of ["2", "", "one", "1.0"]) {
    assert.throws(() => linkSeed(new URLSearchParams({ v: version, seed })), UnreadableError, version);
  }
});

test("a bad seed is refused", () => {
  for (const bad of ["", " ", "a b", "<b>", "é", "a".repeat(41), "a\n", "a/b"]) {
    const opened = linkSeed(new URLSearchParams({ seed: bad, v: "1" }));
    assert.throws(() => new LocalGame({ rules: parseRules("4x6"), seed: opened }), UnreadableError, bad);
  }
});

test("a result names rules and codemaker, and gives no code away", () => {
  const game = new LocalGame({ rules: parseRules("3x5"), codemaker: "fixed", secret: "123", limit: 2 });
  game.guess("135");
  assert.equal(shareText(game, ""), "evilpegs 3x5 fixed X/2\n⚫⚪·");
  game.guess("123");
  assert.equal(shareText(game, ""), "evilpegs 3x5 fixed 2/2\n⚫⚪·\n⚫⚫⚫");
});

test("addresses that only this machine can open are known", () => {
  for (const host of ["localhost", "localhost.", "pegs.localhost", "127.0.0.1", "127.9.9.9", "[::1]"]) assert.notEqual(onlyHereWords(host), "", host);
  for (const host of ["192.168.1.7", "10.127.0.1", "localhost.example", "notlocalhost", "127.0.0.1.example", "[::2]"]) assert.equal(onlyHereWords(host), "", host);
});

test("a replay is linked by its guesses, and by what the codemaker draws from", () => {
  const addresses = [{ seed }, { codemaker: "fixed", secret: "1234" }, {}].map((options) => {
    const game = new LocalGame({ rules: parseRules("4x6"), ...options });
    ["1122", "3344"].forEach((code) => game.guess(code));
    const { params, query } = findRoute(replayAddress(game));
    const { rules, codemaker } = readTerms(params.rules);
    assert.deepEqual([rules, codemaker, query.get("guesses")], [game.rules, game.codemaker, "1122-3344"]);
    const against = codemaker === "fixed" ? "" : `&codemaker=evil${query.has("seed") ? `&seed=${seed}` : ""}`;
    assert.match(positionPath(game), new RegExp(`^api/v1/position\\?rules=4x6&turns=1122:\\d,\\d;3344:\\d,\\d${against}$`));
    return [linkSeed(query), query.get("secret")];
  });
  assert.deepEqual(addresses, [[seed, null], [undefined, "1234"], [undefined, null]]);
});

test("a game with hints says so when it is shared", () => {
  const game = new LocalGame({ rules: parseRules("4x6"), codemaker: "fixed", secret: "1234" });
  game.guess("1234");
  game.hinted = true;
  assert.equal(shareText(game, "").split("\n")[0], "evilpegs 4x6 fixed 1/10 with hints");
});
