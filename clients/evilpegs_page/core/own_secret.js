/**
 * A code that somebody chose for a friend: the link with it, the friend's result as text, and the check of that text.
 *
 * The link is `#/secret/4x6?limit=10&set=…&commitment=…&v=1`. `set` is a nonce of eight bytes, then the colors of the code, each XORed
 * with a byte of the SHA-256 of `evilpegs set` and the nonce: a glance shows nothing, and whoever can program finds the code.
 * `commitment` is the SHA-256 of the canonical JSON of rules, guess limit, code and nonce, so no part can be changed alone.
 *
 * The result names the first digits of the commitment; its checksum covers the commitment, the first line and the guesses, and the marks
 * follow from the code. `evilpegs_clients.own_secret` writes the same in Python; shared test vectors keep the two alike.
 *
 * @typedef {Readonly<{rules: import("./rules.js").Rules, limit: number, code: string, nonce: string, commitment: string}>} OwnSecret
 */

import { canonical } from "./canonical.js";
import { parseCode } from "./codes.js";
import { CodeError, GameError, UnreadableError } from "./errors.js";
import { LocalGame } from "./local_game.js";
import { randomBytes } from "./random.js";
import { SYMBOLS, formatRules, parseRules } from "./rules.js";
import { fromHex, sha256, sha256Hex, toHex, utf8 } from "./sha256.js";
import { linkSeed, shareText } from "./share.js";

export const MAX_LIMIT = 99;
const NONCE_DIGITS = 16;
const SHOWN_DIGITS = 16;
const LIMIT = /^[1-9][0-9]?$/;
const SET = /^[0-9a-f]{18,48}$/;
const LINK = /#\/secret\/([^?\s]{1,40})\?(\S{1,300})/;
const ROW = /^([0-9A-Z]{1,16}) ([⚫⚪·]+|[BW.]+)$/u;
const LAST = /^challenge ([0-9a-f]{16}) check [0-9a-f]{16}$/;
/** The marks of a terminal without these symbols. @type {Readonly<Record<string, string>>} */
const LETTERS = Object.freeze({ B: "⚫", W: "⚪", ".": "·" });
const BROKEN = "this link is incomplete or was changed: its parts do not fit together; ask for it again";

/** @param {import("./rules.js").Rules} rules @param {number} limit @param {string} code @param {string} [nonce] @returns {OwnSecret} */
export function makeSecret(rules, limit, code, nonce = toHex(randomBytes(NONCE_DIGITS / 2))) {
  const commitment = sha256Hex(canonical(["evilpegs-set-v1", formatRules(rules), limit, code, nonce]));
  return Object.freeze({ rules, limit, code, nonce, commitment });
}

/** @param {OwnSecret} secret */
export function secretAddress({ rules, limit, code, nonce, commitment }) {
  const set = nonce + toHex(masked(Uint8Array.from(code, (symbol) => SYMBOLS.indexOf(symbol)), nonce));
  return `#/secret/${formatRules(rules)}?limit=${limit}&set=${set}&commitment=${commitment}&v=1`;
}

/** Return what a link has. @param {string} name its rules @param {URLSearchParams} query @returns {OwnSecret} @throws {GameError} */
export function readSecret(name, query) {
  linkSeed(query); // its version
  const rules = parseRules(name);
  const [limit, set] = [query.get("limit") ?? "", query.get("set") ?? ""];
  if (!LIMIT.test(limit) || !SET.test(set) || set.length !== NONCE_DIGITS + 2 * rules.pegs) throw new UnreadableError(BROKEN);
  const nonce = set.slice(0, NONCE_DIGITS);
  const code = Array.from(masked(fromHex(set.slice(NONCE_DIGITS)), nonce), (color) => SYMBOLS[color] ?? "?").join("");
  const secret = makeSecret(rules, Number(limit), code, nonce);
  if (secret.commitment !== query.get("commitment")) throw new UnreadableError(BROKEN);
  try {
    parseCode(rules, code);
  } catch (error) {
    if (error instanceof CodeError) throw new UnreadableError(BROKEN); // somebody made such a link on purpose
    throw error;
  }
  return secret;
}

/** Return what the first link in a text has, null if it has none. @param {string} text @returns {OwnSecret | null} @throws {GameError} */
export function findSecret(text) {
  const found = LINK.exec(text);
  return found && readSecret(found[1], new URLSearchParams(found[2]));
}

/** Mask or unmask colors. @param {Uint8Array} colors at most 32 @param {string} nonce */
function masked(colors, nonce) {
  const key = sha256(utf8(`evilpegs set ${nonce}`));
  return colors.map((color, peg) => color ^ key[peg]);
}

/** Return the game of a secret, before its first guess. @param {OwnSecret} secret */
export const secretGame = ({ rules, limit, code }) => new LocalGame({ rules, codemaker: "fixed", limit, secret: code });

/** Return the result of a finished game, for whoever set the code. @param {OwnSecret} secret @param {LocalGame} game */
export function resultText({ commitment }, game) {
  const [title, ...marks] = shareText(game, "").split("\n");
  const guesses = game.turns.map(({ code }) => code);
  const rows = guesses.map((code, turn) => `${code} ${marks[turn]}`);
  return [title, ...rows, lastLine(commitment, title, guesses)].join("\n");
}

/** @param {string} commitment @param {string} title @param {string[]} guesses */
function lastLine(commitment, title, guesses) {
  const check = sha256Hex(canonical(["evilpegs-result-v1", commitment, title, ...guesses]));
  return `challenge ${commitment.slice(0, SHOWN_DIGITS)} check ${check.slice(0, SHOWN_DIGITS)}`;
}

/**
 * Return the challenge and the game of a result if everything in it holds. A messenger may have added lines around it, quoted it, or
 * made the marks emoji.
 * @param {string} text @param {readonly OwnSecret[]} secrets
 * @throws {UnreadableError} What does not hold.
 */
export function checkResult(text, secrets) {
  const lines = text.replaceAll("\uFE0F", "").split("\n").map((line) => line.replace(/^[>\s]+/, "").trimEnd()).filter(Boolean);
  const start = lines.findLastIndex((line) => line.startsWith("evilpegs "));
  const end = lines.findIndex((line, index) => index > start && LAST.test(line));
  const rows = lines.slice(start + 1, Math.max(end, 0)).map((line) => ROW.exec(line));
  if (start === -1 || end === -1 || rows.includes(null)) {
    throw new UnreadableError("this is not a result: copy all of it, from the line with “evilpegs” to the line with “challenge”");
  }
  const turns = /** @type {RegExpExecArray[]} */ (rows).map(([, code, marks]) => ({ code, marks: Array.from(marks, (mark) => LETTERS[mark] ?? mark).join("") }));
  const secret = secrets.find(({ commitment }) => commitment.startsWith(/** @type {RegExpExecArray} */ (LAST.exec(lines[end]))[1]));
  if (secret === undefined) throw new UnreadableError("this result is of a code that was not set in this browser; paste your link below it");
  const [title, guesses] = [lines[start], turns.map(({ code }) => code)];
  if (lines[end] !== lastLine(secret.commitment, title, guesses)) {
    throw new UnreadableError("a part of this text was changed or lost: its checksum does not fit; ask for it again");
  }
  const game = play(secret, guesses);
  game.hinted = title.endsWith(" with hints");
  const right = resultText(secret, game).split("\n");
  if (right[0] !== title) throw new UnreadableError(`the first line is not right: these guesses give “${right[0]}”`);
  const wrong = turns.findIndex(({ code, marks }, turn) => right[turn + 1] !== `${code} ${marks}`);
  if (wrong !== -1) throw new UnreadableError(`reply ${wrong + 1} is not right: ${turns[wrong].marks} should be ${right[wrong + 1].split(" ")[1]}`);
  return { secret, game };
}

/** @param {OwnSecret} secret @param {string[]} guesses */
function play(secret, guesses) {
  const game = secretGame(secret);
  for (const [turn, guess] of guesses.entries()) {
    try {
      game.guess(guess);
    } catch (error) {
      throw error instanceof GameError ? new UnreadableError(`guess ${turn + 1} is not possible: ${error.message}`) : error;
    }
  }
  return game;
}
