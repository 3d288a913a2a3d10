/** Local games in the storage of the browser, so that a reload continues them. Without storage every game is new. */

import { LocalGame } from "../core/local_game.js";

const PREFIX = "evilpegs.game.";

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
