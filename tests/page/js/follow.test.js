import assert from "node:assert/strict";
import { test } from "node:test";

import { ApiError } from "../../../clients/evilpegs_page/api.js";
import { Follower } from "../../../clients/evilpegs_page/follow.js";

/** A browser whose answers, timers and visibility a test scripts. */
function fakeBrowser(answers) {
  const browser = {
    asked: [],
    timers: [],
    hidden: false,
    visible: null,
    get: async (path, etag) => {
      browser.asked.push([path, etag]);
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    },
    isHidden: () => browser.hidden,
    onVisible: (listener) => (browser.visible = listener),
    set: (callback, ms) => browser.timers.push({ callback, ms }),
    clear: () => {},
  };
  return browser;
}

function follow(answers, { isDone = false } = {}) {
  const browser = fakeBrowser(answers);
  const texts = [];
  const failures = [];
  const following = {
    path: "api/v1/x",
    everyMs: 3000,
    onText: (text) => texts.push(text) > 0 && isDone,
    onFailure: (error) => failures.push(error.status) > 0 && error.status === 404,
    onUnchanged: () => void failures.push("unchanged"),
  };
  return { browser, texts, failures, follower: new Follower(following, browser) };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("a follower sends the tag of the answer before", async () => {
  const { browser, texts, follower } = follow([{ text: "one", etag: '"1"' }, null]);
  follower.start();
  await settled();
  await browser.timers[0].callback();
  assert.deepEqual(browser.asked, [["api/v1/x", ""], ["api/v1/x", '"1"']]);
  assert.deepEqual(texts, ["one"]);
  assert.equal(browser.timers[0].ms, 3000);
});

test("a follower says when a document is unchanged after a failure", async () => {
  const { browser, texts, failures, follower } = follow([{ text: "one", etag: '"1"' }, new ApiError("gone"), null]);
  follower.start();
  await settled();
  await browser.timers[0].callback();
  await browser.timers[1].callback();
  assert.deepEqual([texts, failures], [["one"], [0, "unchanged"]]);
});

test("a follower asks nothing while the page is hidden, and at once when it is visible", async () => {
  const { browser, follower } = follow([{ text: "one", etag: "" }, null, null]);
  follower.start();
  await settled();
  browser.hidden = true;
  await browser.timers[0].callback();
  assert.equal(browser.asked.length, 1);
  assert.equal(browser.timers.length, 1);
  browser.hidden = false;
  await browser.visible();
  assert.equal(browser.asked.length, 2);
});

test("a follower goes on after a refusal, and stops after the last document or a final refusal", async () => {
  const { browser, failures, follower } = follow([new ApiError("busy", 503), new ApiError("unknown", 404)]);
  follower.start();
  await settled();
  await browser.timers[0].callback();
  assert.deepEqual(failures, [503, 404]);
  assert.equal(browser.timers.length, 1);
  const done = follow([{ text: "last", etag: "" }], { isDone: true });
  done.follower.start();
  await settled();
  assert.equal(done.browser.timers.length, 0);
});

test("a stopped follower takes nothing more", async () => {
  const { browser, texts, follower } = follow([{ text: "late", etag: "" }]);
  follower.start();
  follower.stop();
  await settled();
  assert.deepEqual(texts, []);
  assert.equal(browser.timers.length, 0);
});
