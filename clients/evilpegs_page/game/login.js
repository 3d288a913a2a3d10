/**
 * How a player says hello: with the token of the chosen name, by claiming a new name, or as a guest.
 *
 * A guest's token is stored when the guest begins to play, because a server forgets guests who leave without having
 * played, and wrong tokens are answered slowly. A name may have several tokens; they are tried in order.
 */

import { isGuest } from "./players.js";

/** @import { Players } from "./players.js" */
/** @import { Welcome } from "./messages.js" */

const CLIENT = Object.freeze({ name: "evilpegs-page", version: "1" });

export class Login {
  /** @type {Players} */ #players;
  /** @type {string | null} the name that the next `hello` claims */ #claimed = null;
  /** @type {{name: string, token: string} | null} the guest that the server has named */ #guest = null;
  /** @type {Set<string>} tokens that the server does not know */ #refused = new Set();

  /** @param {Players} players @param {"human" | "bot"} [kind] what a new name is claimed for */
  constructor(players, kind = "human") {
    this.#players = players;
    this.kind = kind;
  }

  hello() {
    if (this.#claimed !== null) return { client: CLIENT, name: this.#claimed, kind: this.kind };
    const token = this.#token();
    return token === null ? { client: CLIENT } : { client: CLIENT, token };
  }

  /** Claim a new name with the next `hello`. @param {string} name */
  claim(name) {
    this.#claimed = name;
  }

  /** Play under a stored name, or with null as a guest. @param {string | null} name */
  choose(name) {
    this.#claimed = null;
    this.#guest = null;
    this.#refused.clear();
    this.#players.choose(name);
  }

  /** Note the server's answer; the token of a new name is stored at once. @param {Welcome} welcome */
  accept(welcome) {
    if (welcome.kind === "guest") {
      if (welcome.token !== undefined) this.#guest = { name: welcome.player, token: welcome.token };
    } else {
      this.#guest = null; // who claimed a name is that guest no more
      if (welcome.token !== undefined) this.#players.add(welcome.player, welcome.token);
    }
    this.#claimed = null;
  }

  /** Store the token of a guest who has begun to play. */
  keepGuest() {
    if (this.#guest !== null) this.#players.add(this.#guest.name, this.#guest.token);
  }

  /**
   * Note that the server did not let the player in, and return what the page can do about it:
   *
   * - `other token`: another token of the name may be accepted;
   * - `new guest`: the server has forgotten the guest, and names a new one;
   * - `same player`: the new name was refused, and the player is who they were before;
   * - `nothing`: the player has to decide.
   * @param {string} code the error code
   * @returns {"other token" | "new guest" | "same player" | "nothing"}
   */
  refuse(code) {
    if (this.#claimed !== null) {
      this.#claimed = null;
      return "same player";
    }
    const token = this.#token();
    if (code !== "auth_failed" || token === null) return "nothing";
    this.#refused.add(token);
    if (this.#token() !== null) return "other token";
    const name = this.#players.current;
    if (name !== null && !isGuest(name)) return "nothing";
    if (name !== null) this.#players.forget(name);
    return "new guest";
  }

  /** @returns {string | null} */
  #token() {
    const name = this.#players.current;
    const tokens = name !== null ? this.#players.tokens(name) : [];
    return tokens.find((token) => !this.#refused.has(token)) ?? null;
  }
}
