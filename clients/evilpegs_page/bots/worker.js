/**
 * Runs the code of a bot that a visitor wrote, in a worker whose Content-Security-Policy allows no request at all.
 *
 * It answers `{code}` and each position with one message. This file imports nothing, because the policy lets it load
 * nothing. Errors are left uncaught on purpose: only then does the browser say in which line a syntax error is.
 */
{
  const FILE = "bot.js";
  const MOST_LINES = 100;
  const MOST_LETTERS = 500;
  const worker = /** @type {any} */ (self);
  const post = worker.postMessage.bind(worker);
  /** @type {((position: object) => unknown) | null} */
  let choose = null;
  let lines = 0;

  /** @param {unknown} value */
  const shown = (value) => {
    try {
      return typeof value === "object" ? JSON.stringify(value) : String(value);
    } catch {
      return String(value);
    }
  };

  /** @param {unknown[]} values */
  const log = (...values) => {
    if (lines++ < MOST_LINES) post({ log: values.map(shown).join(" ").slice(0, MOST_LETTERS) });
    else if (lines === MOST_LINES + 1) post({ log: `… only the first ${MOST_LINES} lines are shown` });
  };

  /** @param {string} guess @param {string} secret */
  const feedback = (guess, secret) => {
    const left = new Int8Array(128);
    let [black, both] = [0, 0];
    for (let peg = 0; peg < secret.length; peg++) left[secret.charCodeAt(peg)]++;
    for (let peg = 0; peg < guess.length; peg++) {
      if (guess[peg] === secret[peg]) black++;
      if (left[guess.charCodeAt(peg)]-- > 0) both++;
    }
    return { black, white: both - black };
  };

  /** @param {string[]} candidates @param {string} guess */
  const partSizes = (candidates, guess) => {
    /** @type {Record<string, number>} */
    const sizes = {};
    for (const secret of candidates) {
      const { black, white } = feedback(guess, secret);
      const name = black * 100 + white;
      sizes[name] = (sizes[name] ?? 0) + 1;
    }
    return Object.values(sizes);
  };

  worker.onmessage = (/** @type {MessageEvent} */ { data }) => {
    if ("code" in data) {
      // the name comes first, because a syntax error ends the reading; so the code begins in line 2
      choose = (0, eval)(`//# sourceURL=${FILE}\n"use strict";${data.code}\n;typeof choose === "function" ? choose : null`);
      return post(choose === null ? { error: "the code has no function choose(position)" } : {});
    }
    const { candidates } = data;
    const guess = choose?.({ ...data, feedback, partSizes: (/** @type {string} */ code) => partSizes(candidates, code) });
    if (typeof guess === "string") return post({ guess });
    const isPromise = typeof (/** @type {any} */ (guess)?.then) === "function";
    post({ error: isPromise
      ? "choose returned a promise, as an async function does; write it without async and await, so that it returns the code itself"
      : `choose returned ${shown(guess)}, which is not text such as "1122"` });
  };

  worker.addEventListener("error", (/** @type {ErrorEvent} */ event) => {
    event.preventDefault();
    // an error that a function of this file threw belongs to the line that called it
    const place = /bot\.js:(\d+)/.exec(event.error?.stack ?? "")?.[1];
    const line = place ?? (event.filename.endsWith(FILE) ? event.lineno : null);
    post({ error: event.message.replace(/^Uncaught /, ""), line: line === null ? null : Number(line) - 1 });
  });

  for (const name of /** @type {const} */ (["log", "info", "debug", "warn", "error"])) console[name] = log;
  // Code that is kept for visits offline runs as the page, so a bot must not write there.
  for (const [owner, name] of [[worker, "caches"], [worker.navigator, "storageBuckets"], [worker.navigator, "serviceWorker"]]) {
    for (let each = owner; each; each = Object.getPrototypeOf(each)) delete each[name];
  }
  worker.postMessage = undefined; // the only way out is an answer, and lines are counted
  post({});
}
