/**
 * The names that a person plays under, with the tokens that prove them, in the storage of the browser.
 *
 * The form is that of the token file of the command line: for each server and each name the issued tokens, newest
 * first. So an exported text can be used as that file, and that file can be imported here. A server names guests, and
 * their tokens are kept as well, because only a token brings a guest back to an open match.
 */

import { objectOrEmpty } from "./storage.js";

/** @import { SafeStorage } from "./storage.js" */
/** @typedef {Record<string, Record<string, string[]>>} Tokens tokens by server and name, newest first */

const TOKENS_KEY = "evilpegs.tokens";
const CURRENT_KEY = "evilpegs.player";
const MAX_TOKENS = 4;
const MAX_TEXT = 1_000_000;
const TOKEN = /^[0-9a-f]{64}$/;
const NAME = /^[^\s\x00-,./:-@[-^`{-\x9f]{2,64}$/u; // an operator may have given other letters than a-z
const SERVER = /^wss?:\/\/[!-~]{1,500}$/;
const GUEST_PREFIX = "guest-";

/** A text is no list of players; the message is for people. */
export class ImportError extends Error {}

/** Return what is wrong with a name that a player wants to claim; null if the server may accept it. @param {string} name @returns {string | null} */
export function nameProblem(name) {
  if (name.startsWith(GUEST_PREFIX)) return "Names that begin with guest- are given by the server. Choose another.";
  if (/^[a-z][a-z0-9_-]{1,19}$/.test(name)) return null;
  return "A name has 2 to 20 characters: a lower-case letter, then lower-case letters, digits, _ or -.";
}

/** Return what is wrong with a name and the token that was given with it; null if they may be right. @param {string} name @param {string} token @returns {string | null} */
export function tokenProblem(name, token) {
  if (!NAME.test(name)) return "This is not a name. Enter it as it was given to you.";
  if (TOKEN.test(token)) return null;
  return `A token has 64 characters, which are digits and the letters a to f; this one has ${token.length}${token.length === 64 ? ", and others among them" : ""}.`;
}

/** @param {string} name */
export function isGuest(name) {
  return name.startsWith(GUEST_PREFIX);
}

/** The players of one server who are known to this browser, and the one who plays now. */
export class Players {
  /** @type {SafeStorage} */ #storage;

  /** @param {SafeStorage} storage @param {string} server the address of the game, such as `ws://127.0.0.1:8765/v1` */
  constructor(storage, server) {
    this.#storage = storage;
    this.server = server;
  }

  get isLasting() {
    return this.#storage.isLasting;
  }

  /** The name that is played under; null for a guest who has not been named yet. */
  get current() {
    const name = objectOrEmpty(this.#storage.read(CURRENT_KEY))[this.server];
    return typeof name === "string" && this.tokens(name).length > 0 ? name : null;
  }

  /** The chosen names on this server, in alphabetical order; guests are left out. */
  get names() {
    return Object.keys(this.#load()[this.server] ?? {})
      .filter((name) => !isGuest(name))
      .sort();
  }

  /** Return the tokens of a name, newest first. @param {string} name */
  tokens(name) {
    const names = this.#load()[this.server] ?? {};
    return Object.hasOwn(names, name) ? names[name] : [];
  }

  /** Play under a name whose token is stored, or with null as a new guest. @param {string | null} name */
  choose(name) {
    const current = objectOrEmpty(this.#storage.read(CURRENT_KEY));
    if (name === null) delete current[this.server];
    else current[this.server] = name;
    this.#storage.write(CURRENT_KEY, current);
  }

  /**
   * Store the token of a name and play under it. A guest replaces the guest before, who would never be used again.
   * @param {string} name @param {string} token
   */
  add(name, token) {
    if (!NAME.test(name) || !TOKEN.test(token)) return;
    const all = this.#load();
    const names = (all[this.server] ??= Object.create(null));
    if (isGuest(name)) {
      for (const other of Object.keys(names)) if (isGuest(other) && other !== name) delete names[other];
    }
    names[name] = merge([token], names[name]);
    this.#storage.write(TOKENS_KEY, all);
    this.choose(name);
  }

  /** Forget the tokens of a name. Nobody can play under it again unless its token was exported. @param {string} name */
  forget(name) {
    const all = this.#load();
    delete all[this.server]?.[name];
    this.#storage.write(TOKENS_KEY, all);
    if (objectOrEmpty(this.#storage.read(CURRENT_KEY))[this.server] === name) this.choose(null);
  }

  /** Return the chosen names of all servers as the text of a token file. */
  exportText() {
    /** @type {Tokens} */
    const kept = {};
    for (const [server, names] of Object.entries(this.#load())) {
      const chosen = Object.entries(names).filter(([name]) => !isGuest(name));
      if (chosen.length > 0) kept[server] = Object.fromEntries(chosen);
    }
    return `${JSON.stringify(kept, null, 1)}\n`;
  }

  /**
   * Add the names of an exported text, and return how many names were new.
   * @param {string} text
   * @throws {ImportError} the text is no list of players; nothing was added
   */
  importText(text) {
    const added = parseTokens(text);
    const all = this.#load();
    let count = 0;
    for (const [server, names] of Object.entries(added)) {
      const known = (all[server] ??= Object.create(null));
      for (const [name, tokens] of Object.entries(names)) {
        if (!Object.hasOwn(known, name)) count += 1;
        known[name] = merge(known[name] ?? [], tokens);
      }
    }
    this.#storage.write(TOKENS_KEY, all);
    return count;
  }

  /** @returns {Tokens} */
  #load() {
    return validTokens(this.#storage.read(TOKENS_KEY));
  }
}

/** @param {string} text @returns {Tokens} */
function parseTokens(text) {
  if (text.length > MAX_TEXT) throw new ImportError("This text is too long to be a list of names.");
  /** @type {unknown} */
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ImportError("This is not the text of exported names: it is not JSON.");
  }
  const tokens = validTokens(value);
  if (Object.keys(tokens).length === 0) throw new ImportError("This text contains no names with their tokens.");
  return tokens;
}

/** Return the entries that are servers, names and tokens, and leave out everything else. @param {unknown} value @returns {Tokens} */
function validTokens(value) {
  /** Names may be those of properties that every object has. @type {Tokens} */
  const kept = Object.create(null);
  for (const [server, names] of Object.entries(objectOrEmpty(value))) {
    if (!SERVER.test(server)) continue;
    for (const [name, tokens] of Object.entries(objectOrEmpty(names))) {
      const valid = Array.isArray(tokens) ? tokens.filter((token) => typeof token === "string" && TOKEN.test(token)) : [];
      if (NAME.test(name) && valid.length > 0) (kept[server] ??= Object.create(null))[name] = merge([], valid);
    }
  }
  return kept;
}

/** @param {string[]} first @param {string[]} [then] */
function merge(first, then = []) {
  return [...new Set([...first, ...then])].slice(0, MAX_TOKENS);
}
