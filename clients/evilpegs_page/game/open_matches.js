/**
 * The match that a person plays on each ladder, in the storage of the browser, so that a reload comes back to it.
 *
 * With it are kept the nonces that were sent: a record must show them, so they are needed when it is verified.
 */

import { objectOrEmpty } from "./storage.js";

/** @import { SafeStorage } from "./storage.js" */
/** @typedef {{match: string, player: string, nonces: Record<string, string>}} KeptMatch */

const KEY = "evilpegs.matches";
const MATCH = /^[0-9a-f]{16}$/;

export class OpenMatches {
  /** @type {SafeStorage} */ #storage;
  /** @type {string} */ #server;

  /** @param {SafeStorage} storage @param {string} server the address of the game */
  constructor(storage, server) {
    this.#storage = storage;
    this.#server = server;
  }

  /** Return the match that this player plays on a ladder; null if there is none. @param {string} ladder @returns {KeptMatch | null} */
  get(ladder) {
    const kept = this.#ladders()[ladder];
    return kept === undefined ? null : readKept(kept);
  }

  /** @param {string} ladder @param {KeptMatch} kept */
  keep(ladder, kept) {
    this.#save({ ...this.#ladders(), [ladder]: kept });
  }

  /** @param {string} ladder */
  forget(ladder) {
    const ladders = this.#ladders();
    delete ladders[ladder];
    this.#save(ladders);
  }

  #ladders() {
    return objectOrEmpty(objectOrEmpty(this.#storage.read(KEY))[this.#server]);
  }

  /** @param {Record<string, unknown>} ladders */
  #save(ladders) {
    this.#storage.write(KEY, { ...objectOrEmpty(this.#storage.read(KEY)), [this.#server]: ladders });
  }
}

/** @param {unknown} value @returns {KeptMatch | null} */
function readKept(value) {
  const { match, player, nonces } = objectOrEmpty(value);
  if (typeof match !== "string" || !MATCH.test(match) || typeof player !== "string") return null;
  const pairs = Object.entries(objectOrEmpty(nonces)).filter(([, nonce]) => typeof nonce === "string");
  return { match, player, nonces: /** @type {Record<string, string>} */ (Object.fromEntries(pairs)) };
}
