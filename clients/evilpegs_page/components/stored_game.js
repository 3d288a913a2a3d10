/** Local games in the storage of the browser, so that a reload continues them. Without storage every game is new. */

import { LocalGame } from "../core/local_game.js";
import { cleanResults } from "../core/results.js";

const PREFIX = "evilpegs.game.";
const RESULTS = "evilpegs.results";

/** Return the stored game of this name; null if there is none or it cannot be read. @param {string} name @returns {LocalGame | null} */
export function loadGame(name) {
  try {
    const text = localStorage.getItem(PREFIX + name);
    return text === null ? null : LocalGame.fromJSON(JSON.parse(text));
  } catch {
    return null;
  }
}

/** @param {string} name @param {LocalGame} game */
export function saveGame(name, game) {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(game));
  } catch {
    // The game goes on; only a reload will not find it.
  }
}

/** Return the results of finished games; none without storage. @returns {import("../core/results.js").Results} */
export function loadResults() {
  try {
    return cleanResults(JSON.parse(localStorage.getItem(RESULTS) ?? "{}"));
  } catch {
    return {};
  }
}

/** @param {import("../core/results.js").Results} results @returns {boolean} whether they are kept */
export function saveResults(results) {
  try {
    localStorage.setItem(RESULTS, JSON.stringify(results));
    return true;
  } catch {
    return false;
  }
}
