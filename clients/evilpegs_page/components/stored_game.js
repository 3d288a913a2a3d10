/** What the browser keeps of local games: open ones, so that a reload continues them, the results, and the wish for hints. */

import { LocalGame } from "../core/local_game.js";
import { cleanResults } from "../core/results.js";
import { browserStorage } from "../game/storage.js";

const PREFIX = "evilpegs.game.";
const RESULTS = "evilpegs.results";
const HINTS = "evilpegs.hints";
const storage = browserStorage();

/** Return the stored game of this name; null if there is none or it cannot be read. @param {string} name @returns {LocalGame | null} */
export function loadGame(name) {
  try {
    return LocalGame.fromJSON(storage.read(PREFIX + name));
  } catch {
    return null;
  }
}

/** Return true if a change of the storage by another tab is about the game of this name. @param {StorageEvent} event @param {string} name */
export const isOfGame = ({ key }, name) => key === null || key === PREFIX + name;

/** @param {string} name @param {LocalGame | null} game */
export const saveGame = (name, game) => storage.write(PREFIX + name, game);

export const wantsHints = () => storage.read(HINTS) === true;

/** @param {boolean} wanted */
export const saveHints = (wanted) => storage.write(HINTS, wanted);

/** Return the results of finished games. @returns {import("../core/results.js").Results} */
export const loadResults = () => cleanResults(storage.read(RESULTS));

/** @param {import("../core/results.js").Results} results @returns {boolean} whether they last longer than the page */
export function saveResults(results) {
  storage.write(RESULTS, results);
  return storage.isLasting;
}
