/** Addresses that open the same game or its replay for somebody else, and results as text. */

import { UnreadableError } from "./errors.js";
import { formatRules, parseRules } from "./rules.js";

/** @typedef {import("./local_game.js").LocalGame} LocalGame */

const CODEMAKER = /-(evil|fixed)$/;

/** A link means the same game as long as it has this version: limits, the draws from a seed, the days' rules. */
const VERSION = "1";

/**
 * Return the address of a game; no text for one without date and seed, which nobody else can open.
 * @param {LocalGame} game
 * @param {string} date The date of a game of the day, else no text.
 */
export function gameAddress({ rules, codemaker, seed }, date) {
  if (date) return `#/daily/${date}?v=${VERSION}`;
  return seed ? `#/play/${formatRules(rules)}-${codemaker}?seed=${seed}&v=${VERSION}` : "";
}

/** Return what is played in an address, such as "5x8-fixed"; without a codemaker it is against evil. @param {string} text */
export function readTerms(text) {
  const codemaker = /** @type {"evil" | "fixed"} */ (CODEMAKER.exec(text)?.[1] ?? "evil");
  return { rules: parseRules(text.replace(CODEMAKER, "")), codemaker };
}

/** Return the address of the replay of a finished game, which follows from its guesses and what the codemaker draws from. @param {LocalGame} game */
export function replayAddress(game) {
  const { rules, codemaker, seed, secret, guesses } = game.toJSON();
  const drawn = seed ? `&seed=${seed}` : secret ? `&secret=${secret}` : "";
  return `#/replay/${rules}-${codemaker}?guesses=${guesses.join("-")}${drawn}&v=${VERSION}`;
}

/** Return the path of the API with what is left, the best guesses, and what each guess was worth. @param {LocalGame} game */
export function positionPath({ rules, codemaker, seed, turns }) {
  const evil = codemaker === "evil" ? `&codemaker=evil${seed ? `&seed=${seed}` : ""}` : "";
  return `api/v1/position?rules=${formatRules(rules)}&turns=${turns.map(({ code, black, white }) => `${code}:${black},${white}`).join(";")}${evil}`;
}

/** Return the seed of a link, if it has one, as it is written. @param {URLSearchParams} query @throws {UnreadableError} Its version is unknown. */
export function linkSeed(query) {
  const version = query.get("v") ?? VERSION;
  if (version !== VERSION) {
    throw new UnreadableError(`this link has version '${version.slice(0, 40)}', and this page knows version ${VERSION} only`);
  }
  return query.get("seed") ?? undefined;
}

/**
 * Return the result of a finished game as text that gives no code away: what was played, the guesses (X if it was not
 * solved), and a row per feedback.
 * @param {LocalGame} game
 * @param {string} date The date of a game of the day, else no text.
 */
export function shareText(game, date) {
  const { rules, codemaker, turns, over, limit, hinted } = game;
  const score = `${over === "solved" ? turns.length : "X"}/${limit}`;
  const title = [...(date ? ["daily", date] : []), formatRules(rules), codemaker, score, ...(hinted ? ["with hints"] : [])];
  const rows = turns.map(({ black, white }) => "⚫".repeat(black) + "⚪".repeat(white) + "·".repeat(rules.pegs - black - white));
  return [`evilpegs ${title.join(" ")}`, ...rows].join("\n");
}

/** Return what to say where nobody else can open the addresses of this page; elsewhere no text. @param {string} hostname */
export function onlyHereWords(hostname) {
  return isThisMachine(hostname) ? "Only this machine can open this address. Others need the one that the server prints." : "";
}

/** Whether a name in an address means this machine, wherever it is opened. @param {string} hostname */
export function isThisMachine(hostname) {
  return /^((.+\.)?localhost\.?|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
