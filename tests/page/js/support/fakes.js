/** Stand-ins for the parts of a browser that a connection uses; tests drive them by hand. */

import { SafeStorage } from "../../../../clients/evilpegs_page/game/storage.js";

/** A socket whose server is the test. */
export class FakeSocket {
  onopen = null;
  onmessage = null;
  onclose = null;
  isClosed = false;
  readyState = 0;
  /** Every message that the page has sent. */
  sent = [];

  send(text) {
    if (this.isClosed) throw new Error("the socket is closed");
    this.sent.push(JSON.parse(text));
  }

  close() {
    this.isClosed = true;
  }

  /** Accept the connection. */
  open() {
    this.readyState = 1;
    this.onopen?.({});
  }

  /** Deliver messages, or texts as they are. */
  deliver(...messages) {
    for (const message of messages) {
      this.onmessage?.({ data: typeof message === "string" ? message : JSON.stringify(message) });
    }
  }

  /** Answer the last message of a type. */
  answer(type, answer) {
    this.deliver({ re: this.last(type).id, ...answer });
  }

  /** Return the last message of a type that the page has sent. */
  last(type) {
    const found = this.sent.findLast((message) => message.type === type);
    if (found === undefined) throw new Error(`the page has sent no ${type}`);
    return found;
  }

  count(type) {
    return this.sent.filter((message) => message.type === type).length;
  }

  /** End the connection, as a cut or a server does. */
  end(code = 1006) {
    this.isClosed = true;
    this.readyState = 3;
    this.onclose?.({ code });
  }
}

/** Timers that fire when the test lets time pass. */
export class FakeTimers {
  #now = 0;
  #timers = new Map();
  #next = 1;

  now = () => this.#now;

  set = (callback, ms) => {
    this.#timers.set(this.#next, { callback, at: this.#now + ms });
    return this.#next++;
  };

  clear = (timer) => {
    this.#timers.delete(timer);
  };

  get pending() {
    return this.#timers.size;
  }

  advance(ms) {
    const end = this.#now + ms;
    for (;;) {
      const due = [...this.#timers].filter(([, timer]) => timer.at <= end).sort((a, b) => a[1].at - b[1].at)[0];
      if (due === undefined) break;
      this.#timers.delete(due[0]);
      this.#now = due[1].at;
      due[1].callback();
    }
    this.#now = end;
  }
}

/** A storage like that of a browser. */
export class FakeStorage {
  values = new Map();
  isBlocked = false;

  getItem(key) {
    if (this.isBlocked) throw new Error("storage is blocked");
    return this.values.get(key) ?? null;
  }

  setItem(key, value) {
    if (this.isBlocked) throw new Error("storage is full");
    this.values.set(key, value);
  }

  removeItem(key) {
    this.values.delete(key);
  }
}

export function fakeStorage(raw = new FakeStorage()) {
  return new SafeStorage(() => raw);
}

/** Let everything run that waits for a promise. */
export function settled() {
  return new Promise((resolve) => setImmediate(resolve));
}

export const TOKEN = "a".repeat(64);
export const SERVER = "ws://127.0.0.1:8765/v1";
export const MATCH = "1a3185c59c4ed34a";

const LADDER = { rules: "4x6", codemaker: "fixed", tie: null, exact_up_to: null, guess_limit: 10 };

export const LADDERS = [
  { ...LADDER, id: "classic", clock: { base_ms: 60_000, increment_ms: 1_000 }, games: 10, rated: true },
  { ...LADDER, id: "classic-practice", clock: null, games: 1, rated: false },
];

export function welcome(fields = {}) {
  return {
    type: "welcome", player: "guest-0123abcd", kind: "guest", open: [], ladders: LADDERS,
    limits: { frame_bytes: 4096, nesting: 8, open_matches: 8, requests_per_second: 100 },
    server: { name: "evilpegs", version: "0.1.0", site: null }, ...fields,
  };
}

export function error(code, fields = {}) {
  return { type: "error", code, message: `about ${code}`, fatal: false, ...fields };
}

/** The events of a match on `classic-practice` or `classic` against the secret 1234, by the names of their types. */
export function events({ rated = false, match = MATCH } = {}) {
  const at = 1_800_000_000_000;
  const { id, ...ladder } = LADDERS[rated ? 0 : 1];
  const left = rated ? 60_000 : null;
  return {
    started: {
      ...ladder, type: "match_started", match, seq: 1, at, player: "guest-0123abcd",
      client: { name: "evilpegs-page", version: "1" }, ladder: id, pegs: 4, colors: 6, symbols: "123456",
      repeats: true,
    },
    game: { type: "game_started", match, seq: 2, at, game: 1, commitment: "c".repeat(64), ready_by_ms: 60_000 },
    turn: (turn, leftMs = left) => ({ type: "turn", match, game: 1, turn, left_ms: leftMs }),
    feedback: (turn, code, black, white, leftMs = left) => ({
      type: "feedback", match, seq: turn + 2, at, game: 1, turn, code, black, white, took_ms: 40, left_ms: leftMs,
    }),
    gameOver: (turns, outcome = "solved") => ({
      type: "game_over", match, seq: turns + 3, at, game: 1, outcome, guesses: turns, elapsed_ms: 40 * turns,
      secret: "1234", nonce: "d".repeat(64),
    }),
    matchOver: (turns, outcome = "solved") => ({
      type: "match_over", match, seq: turns + 4, at, outcomes: [outcome], guesses: [turns], elapsed_ms: 40 * turns,
      head: "e".repeat(64),
    }),
    resumed: (seq, state, more = {}) => ({ type: "resumed", match, seq, state, game: 1, ...more }),
  };
}
