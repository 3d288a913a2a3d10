// The game of the day agrees with `evilpegs play --daily`.

import assert from "node:assert/strict";
import test from "node:test";

import { dailyGame, dailyTerms, dateText, WEEKDAYS_BEGIN } from "../../../clients/evilpegs_page/core/daily.js";
import { UnreadableError } from "../../../clients/evilpegs_page/core/errors.js";
import { formatRules } from "../../../clients/evilpegs_page/core/rules.js";
import { shareText } from "../../../clients/evilpegs_page/core/share.js";
import { vectors } from "./support.js";

const daily = vectors("daily");

test("daily games agree with Python", () => {
  for (const day of daily.games) {
    const game = dailyGame(day.date);
    assert.deepEqual([formatRules(game.rules), game.codemaker], [day.rules, day.codemaker]);
    assert.deepEqual(game.turns.map((turn) => [turn.code, [turn.black, turn.white]]), day.reply ? [[day.first, day.reply]] : []);
    assert.equal(game.candidates, day.left);
    assert.equal(game.over, null);
    day.guesses.forEach((guess) => game.guess(guess));
    assert.equal(game.over, "solved");
    assert.equal(shareText(game, day.date), day.share);
  }
});

test("a lost daily game is shared with an X", () => {
  for (const day of daily.games) {
    const game = dailyGame(day.date);
    while (game.over === null) {
      game.guess(day.first);
    }
    assert.equal(shareText(game, day.date), day.share_lost);
  }
});

test("new rules begin at the date that Python has", () => {
  assert.deepEqual([WEEKDAYS_BEGIN], daily.weekdays_begin);
  const terms = daily.games.filter((day) => day.date >= WEEKDAYS_BEGIN).map((day) => `${day.rules} ${day.codemaker}`);
  assert.equal(new Set(terms).size, 6);
});

test("a date before the new rules has neither a seed nor another game", () => {
  const { rules, codemaker, seed } = dailyTerms("2026-12-06");
  assert.deepEqual([formatRules(rules), codemaker, seed], ["4x6", "evil", undefined]);
  const { code, black, white } = dailyGame("2026-11-22").turns[0];
  assert.deepEqual([code, black, white], ["1155", 0, 0]);
  assert.equal(dailyTerms("2026-12-07").seed, "daily-2026-12-07");
});

test("another date is noticed", () => {
  assert.notEqual(dailyGame("2026-11-22").turns[0].code, dailyGame("2026-11-23").turns[0].code);
});

test("the text to share gives no code away", () => {
  for (const { share, guesses, first } of daily.games) {
    const [, ...rows] = share.split("\n");
    assert.ok(rows.every((row) => /^[⚫⚪·]{4,5}$/u.test(row)));
    assert.ok([first, ...guesses].every((code) => !share.includes(code)));
  }
});

test("texts that are no dates are refused", () => {
  for (const text of daily.no_dates) {
    assert.throws(() => dailyGame(text), UnreadableError, text);
  }
});

test("the date is that of the reader's calendar", () => {
  assert.equal(dateText(new Date(2026, 0, 2, 0, 0)), "2026-01-02");
  assert.equal(dateText(new Date(2026, 10, 22, 23, 59)), "2026-11-22");
});
