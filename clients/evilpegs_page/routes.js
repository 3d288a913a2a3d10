/**
 * The views of the page and their addresses. A view is a module that exports a Lit element class as its default; it is
 * loaded when its address is opened first. The part of the address that begins with a colon is given to the view as
 * `params`, and what follows a question mark as `query`.
 *
 * @typedef {object} Route
 * @property {string} path the address after `#/`
 * @property {string} title the title of the document
 * @property {string} tag the name of the element
 * @property {() => Promise<{default: CustomElementConstructor}>} load
 * @property {string} [under] the path of the view whose link in the header is marked, for a view without a link
 * @typedef {{route: Route, params: Record<string, string>, query: URLSearchParams}} Found
 */

/** @type {readonly Route[]} */
export const ROUTES = Object.freeze([
  { path: "", title: "Play", tag: "first-view", load: () => import("./views/first.js") },
  { path: "play/:rules", title: "Play", under: "", tag: "play-view", load: () => import("./views/play.js") },
  { path: "set", title: "A code for a friend", under: "", tag: "set-view", load: () => import("./views/set.js") },
  { path: "set/:rules", title: "A code for a friend", under: "", tag: "set-view", load: () => import("./views/set.js") },
  { path: "secret/:rules", title: "A code set for you", under: "", tag: "secret-view", load: () => import("./views/secret.js") },
  { path: "daily", title: "Game of the day", tag: "daily-view", load: () => import("./views/daily.js") },
  { path: "daily/:date", title: "Game of the day", under: "daily", tag: "daily-view", load: () => import("./views/daily.js") },
  { path: "assist", title: "Solver", tag: "assist-view", load: () => import("./views/assist.js") },
  { path: "assist/:rules", title: "Solver", under: "assist", tag: "assist-view", load: () => import("./views/assist.js") },
  { path: "ladders", title: "Compete", tag: "ladders-view", load: () => import("./views/ladders.js") },
  { path: "server/:ladder", title: "Compete", under: "ladders", tag: "server-play-view", load: () => import("./views/server_play.js") },
  { path: "join", title: "Your name", under: "ladders", tag: "join-view", load: () => import("./views/join.js") },
  { path: "results", title: "Your results", tag: "results-view", load: () => import("./views/results.js") },
  { path: "how", title: "How to play", tag: "how-view", load: () => import("./views/how.js") },
  { path: "rounds", title: "Contests", under: "ladders", tag: "rounds-view", load: () => import("./views/rounds.js") },
  { path: "round/:round", title: "Round", under: "ladders", tag: "rounds-view", load: () => import("./views/rounds.js") },
  { path: "ladder", title: "Leaderboard", tag: "leaderboard-view", load: () => import("./views/leaderboard.js") },
  { path: "ladder/:ladder", title: "Leaderboard", under: "ladder", tag: "leaderboard-view", load: () => import("./views/leaderboard.js") },
  { path: "watch", title: "Projector", under: "ladder", tag: "watch-view", load: () => import("./views/watch.js") },
  { path: "watch/:ladder", title: "Projector", under: "ladder", tag: "watch-view", load: () => import("./views/watch.js") },
  { path: "matches", title: "Matches", tag: "matches-view", load: () => import("./views/matches.js") },
  { path: "player/:player", title: "Player", under: "ladder", tag: "player-view", load: () => import("./views/player.js") },
  { path: "match/:match", title: "Replay", under: "matches", tag: "replay-view", load: () => import("./views/replay.js") },
  { path: "replay/:rules", title: "Replay", under: "", tag: "game-replay-view", load: () => import("./views/game_replay.js") },
  { path: "verify", title: "Verify a record", under: "matches", tag: "verify-view", load: () => import("./views/verify.js") },
  { path: "bots", title: "Start a bot", tag: "bots-view", load: () => import("./views/bots.js") },
  { path: "docs", title: "Documents", under: "how", tag: "documents-view", load: () => import("./views/documents.js") },
  { path: "docs/:name", title: "Document", under: "how", tag: "document-view", load: () => import("./views/document.js") },
  { path: "protocol", title: "Protocol", under: "bots", tag: "document-view", load: () => import("./views/document.js") },
]);

/** @type {Route} */
export const NOT_FOUND = Object.freeze({
  path: "not-found",
  title: "Nothing here",
  tag: "not-found-view",
  load: () => import("./views/not_found.js"),
});

/** Return the route of an address, such as `#/play/5x8-evil`. @param {string} hash @param {readonly Route[]} [routes] @returns {Found} */
export function findRoute(hash, routes = ROUTES) {
  const [path, search = ""] = hash.replace(/^#?\/?/, "").split("?", 2);
  const query = new URLSearchParams(search);
  for (const route of routes) {
    const params = matchPath(route.path, path);
    if (params) return { route, params, query };
  }
  return { route: NOT_FOUND, params: {}, query };
}

/**
 * Return the named parts of a path, or null if it does not match the pattern.
 * @param {string} pattern @param {string} path @returns {Record<string, string> | null}
 */
function matchPath(pattern, path) {
  const wanted = pattern.split("/");
  const given = path.replace(/\/$/, "").split("/");
  if (wanted.length !== given.length) return null;
  /** @type {Record<string, string>} */
  const params = {};
  for (const [index, part] of wanted.entries()) {
    const value = decode(given[index]);
    if (value === null) return null;
    if (part.startsWith(":")) params[part.slice(1)] = value;
    else if (part !== value) return null;
  }
  return params;
}

/** @param {string} text @returns {string | null} */
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
