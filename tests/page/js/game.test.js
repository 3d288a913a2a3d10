// Rules, codes, feedback, partitions and evil's replies agree with Python.

import assert from "node:assert/strict";
import test from "node:test";

import {
  canEnumerate, codeAt, enumerateCodes, formatCode, parseCode,
} from "../../../clients/evilpegs_page/core/codes.js";
import { CodeError, RulesError, TooLargeError } from "../../../clients/evilpegs_page/core/errors.js";
import { chooseReply, largestParts } from "../../../clients/evilpegs_page/core/evil.js";
import {
  allFeedbacks, feedback, feedbackName, feedbackNumber,
} from "../../../clients/evilpegs_page/core/feedback.js";
import { feedbackNumbers, partition, selectCandidates } from "../../../clients/evilpegs_page/core/partition.js";
import { countCodes, formatRules, makeRules, parseRules } from "../../../clients/evilpegs_page/core/rules.js";
import { sha256, toHex } from "../../../clients/evilpegs_page/core/sha256.js";
import { vectors } from "./support.js";

const codes = vectors("codes");

test("rules are read as in Python", () => {
  for (const [text, name, size] of codes.rules) {
    assert.equal(formatRules(parseRules(text)), name);
    assert.equal(String(countCodes(parseRules(text))), size);
  }
  for (const text of codes.no_rules) {
    assert.throws(() => parseRules(text), RulesError, JSON.stringify(text));
  }
});

test("rules are frozen and checked", () => {
  assert.ok(Object.isFrozen(makeRules(4, 6)));
  for (const [pegs, colors] of [[4.5, 6], [NaN, 6], [4, Infinity], [4, "6"]]) {
    assert.throws(() => makeRules(pegs, colors), RulesError);
  }
});

test("codes are read as in Python", () => {
  for (const [rules, text, colors] of codes.codes) {
    if (colors === null) {
      assert.throws(() => parseCode(parseRules(rules), text), CodeError, text);
    } else {
      assert.deepEqual([...parseCode(parseRules(rules), text)], colors);
      assert.equal(formatCode(colors), text.toUpperCase());
    }
  }
});

test("a wrong code is quoted in the message", () => {
  assert.throws(() => parseCode(parseRules("4x6"), "1127"), /'1127'.*4x6.*123456/);
  assert.throws(() => parseCode(parseRules("4x10"), "112I"), /'112I'.*no I and no O/);
  assert.throws(() => parseCode(parseRules("4x9"), "112I"), /'112I'; use 4 of 123456789$/);
});

test("codes are where Python has them", () => {
  for (const [rules, index, code] of codes.code_at) {
    assert.equal(formatCode(codeAt(parseRules(rules), BigInt(index))), code);
  }
  assert.throws(() => codeAt(parseRules("4x6"), 1296n), RangeError);
  assert.throws(() => codeAt(parseRules("4x6"), -1n), RangeError);
});

test("all codes come in code order", () => {
  for (const [rules, digest] of codes.enumerated) {
    assert.equal(toHex(sha256(enumerateCodes(parseRules(rules)))), digest, rules);
  }
});

test("rules of more than a million codes are refused", () => {
  assert.ok(canEnumerate(parseRules("6x10")));
  assert.equal(canEnumerate(parseRules("8x10")), false);
  assert.throws(() => enumerateCodes(parseRules("8x10")), (error) => error instanceof TooLargeError && /8x10.*server/.test(error.message));
});

test("feedback agrees with Python, both ways", () => {
  for (const [name, guess, code, black, white] of vectors("feedback").feedback) {
    const rules = parseRules(name);
    const [first, second] = [parseCode(rules, guess), parseCode(rules, code)];
    assert.deepEqual(feedback(first, second), { black, white });
    assert.deepEqual(feedback(second, first), { black, white });
    const [number] = feedbackNumbers(rules, second, first);
    assert.equal(number, feedbackNumber({ black, white }, rules.pegs));
    assert.deepEqual(allFeedbacks(rules.pegs)[number], { black, white });
  }
});

test("a feedback with one changed number is noticed", () => {
  const [name, guess, code, black, white] = vectors("feedback").feedback[7];
  const rules = parseRules(name);
  assert.notDeepEqual(feedback(parseCode(rules, guess), parseCode(rules, code)), { black: black + 1, white });
});

test("a feedback is said in words", () => {
  assert.equal(feedbackName({ black: 1, white: 2 }), "1 black, 2 white");
});

test("parts and evil's reply agree with Python", () => {
  for (const { rules: name, history, guess, parts, evil } of vectors("partitions").partitions) {
    const rules = parseRules(name);
    let candidates = enumerateCodes(rules);
    for (const [code, black, white] of history) {
      const numbers = feedbackNumbers(rules, candidates, parseCode(rules, code));
      candidates = selectCandidates(rules, candidates, numbers, { black, white });
    }
    const found = partition(rules, candidates, parseCode(rules, guess));
    assert.deepEqual(found.map((part) => [part.black, part.white, part.count]), parts);
    const { black, white } = chooseReply(found, rules.pegs);
    assert.deepEqual([black, white], evil);
  }
});

test("evil gives all-black only if nothing else is possible", () => {
  const win = { black: 4, white: 0, count: 9 };
  const other = { black: 1, white: 0, count: 1 };
  assert.equal(chooseReply([other, win], 4), other);
  assert.equal(chooseReply([win], 4), win);
});

test("ties go to the fewest blacks, then the fewest whites", () => {
  const parts = [[0, 1, 3], [0, 2, 5], [1, 0, 5], [1, 1, 5]].map(([black, white, count]) => ({ black, white, count }));
  assert.equal(chooseReply(parts, 4), parts[1]);
  assert.deepEqual(largestParts(parts, 4), parts.slice(1));
});
