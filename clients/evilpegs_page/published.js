/**
 * A published site: the documents that a server would answer with, from the files that `evilpegs publish` wrote. What
 * must be computed for each visitor is missing. The manifest says where each document is; a newer one may have taken
 * its place, and the files of the old one with it, so a file that is missing is looked for once more.
 */

import { ApiError } from "./api.js";
import { momentWords } from "./components/result_words.js";

/** @typedef {{match: string, ladder: string, player: string, client: string, started_at: number, outcomes: string[], guesses: number[]}} Entry */
/** @typedef {{evilpegs: string, made_at: number, log: string, documents: Record<string, string>, players: string, matches: Record<string, string>, lists: string[]}} Manifest */

const MISSING = "There is no such thing on this site.";
/** Of ids and names, as addresses have them. */
const decoded = (/** @type {string} */ path) => path.split("/").map(decodeURIComponent);

/** @type {Promise<Manifest> | null} */
let manifest = null;
/** The parts of the index and of the list, which are read more than once. @type {Map<string, Promise<any>>} */
const kept = new Map();

/** Say below the page what it shows, and of when. */
export async function showOrigin() {
  const found = await readManifest().catch(() => null);
  if (found === null) return; // offline, where games in the browser work
  const { made_at, log, evilpegs } = found;
  const text = `Published ${momentWords(made_at)} by evilpegs ${evilpegs}, from the log ${log}. Matches that were over then are shown, and nobody can play against the server here. Games in your browser work.`;
  document.body.append(Object.assign(document.createElement("footer"), { textContent: text }));
}

/**
 * Return the text at a path of the API, and what is different when the text is.
 * @param {string} path @returns {Promise<{text: string, etag: string}>} @throws {ApiError}
 */
export async function answer(path) {
  try {
    return await find(path);
  } catch (error) {
    if (!(error instanceof MissingFile)) throw error;
    manifest = null;
    kept.clear();
    return find(path).catch((again) => {
      throw again instanceof MissingFile ? new ApiError("A file of this site is missing, or it is being replaced. Try again soon.") : again;
    });
  }
}

class MissingFile extends Error {}

/** @param {string} path */
async function find(path) {
  const [name, search] = path.split("?");
  const query = new URLSearchParams(search);
  const [kind, id, part] = decoded(name.replace("api/v1/", ""));
  if (kind === "matches" && id === undefined) return { text: JSON.stringify(await list(query)), etag: "" };
  if (kind === "matches") {
    const [record, analysis] = (await indexed("matches", id)) ?? [];
    return part === "record" ? textOf(record, "jsonl") : textOf(analysis, "json", "The site was published without analyses.");
  }
  if (kind === "players") return textOf(await indexed("players", id));
  if (part === "leaderboard" && query.has("between")) throw new ApiError("How certain a difference is, only a server can say.", 501);
  const { documents } = await readManifest();
  const found = documents[name];
  if (found === undefined) throw kind === "position" ? new ApiError("Only a server can say what guesses were worth.", 501) : new ApiError(MISSING, 404);
  if (part !== "leaderboard" || !query.has("kind")) return textOf(found);
  return { text: JSON.stringify(ofKind(await read(found), query.get("kind"))), etag: `${found} ${query.get("kind")}` };
}

/** Return a leaderboard with the rows of players of a kind, and their places among all. @param {any} board @param {string | null} kind */
function ofKind(board, kind) {
  const places = board.places.filter((/** @type {number} */ _, /** @type {number} */ index) => board.rows[index].kind === kind);
  return { ...board, places, rows: board.rows.filter((/** @type {{kind: string}} */ row) => row.kind === kind) };
}

/** @returns {Promise<Manifest>} */
function readManifest() {
  manifest ??= load("data/manifest.json").then((text) => JSON.parse(text));
  manifest.catch(() => (manifest = null));
  return manifest;
}

/** @param {"matches" | "players"} what @param {string} key */
async function indexed(what, key) {
  const found = (await readManifest())[what];
  // the parts of matches are named by what their ids begin with, all of one length
  const part = typeof found === "string" ? found : Object.entries(found).find(([beginning]) => key.startsWith(beginning))?.[1];
  const index = part === undefined ? {} : await read(part);
  return Object.hasOwn(index, key) ? index[key] : undefined;
}

/** Return the matches that a request asks for, newest first, as the API pages them. @param {URLSearchParams} query */
async function list(query) {
  const limit = Number(query.get("limit") ?? 50);
  const wanted = await filter(query);
  const [at, last] = (query.get("cursor") ?? "").split("-");
  let isAfter = last === undefined;
  /** @type {Entry[]} */
  const found = [];
  const isLongest = query.get("games") === "longest";
  for (const part of (await readManifest()).lists) {
    const { matches } = await read(part);
    for (const entry of matches) {
      if (isAfter && wanted(entry)) found.push(entry);
      isAfter ||= entry.match === last || entry.started_at < Number.parseInt(at, 16);
    }
    if (found.length > limit && !isLongest) break;
  }
  if (isLongest) found.sort((one, other) => longest(other) - longest(one));
  const page = found.slice(0, limit);
  const end = page.at(-1);
  if (found.length === page.length || isLongest || end === undefined) return { matches: page, next: null };
  const next = new URLSearchParams(query);
  next.set("cursor", `${end.started_at.toString(16)}-${end.match}`);
  return { matches: page, next: `api/v1/matches?${next}` };
}

/** The guesses of the longest game; one that was lost is longer than its guesses. @param {Entry} entry */
function longest({ outcomes, guesses }) {
  return Math.max(0, ...outcomes.map((outcome, game) => (outcome === "void" ? 0 : guesses[game] + (outcome === "solved" ? 0 : 1))));
}

/** @param {URLSearchParams} query @returns {Promise<(entry: Entry) => boolean>} */
async function filter(query) {
  const given = (/** @type {string} */ name) => query.get(name) ?? undefined;
  const { documents } = await readManifest();
  const [{ ladders }, { rounds }] = await Promise.all([read(documents["api/v1/ladders"]), read(documents["api/v1/rounds"])]);
  const codemakers = new Map([...ladders, ...rounds.map((/** @type {{ladder: any}} */ round) => round.ladder)].map(({ id, codemaker }) => [id, codemaker]));
  const [ladder, player, version, codemaker, games] = ["ladder", "player", "version", "codemaker", "games"].map(given);
  if (ladder !== undefined && !codemakers.has(ladder)) throw new ApiError(`There is no ladder ${ladder} on this site.`, 404);
  if (games !== undefined && player === undefined) throw new ApiError(`The ${games} games are listed for one player only: name the player.`, 404);
  return (entry) =>
    (ladder === undefined || entry.ladder === ladder) &&
    (player === undefined || entry.player === player) &&
    (version === undefined || entry.client === version) &&
    (codemaker === undefined || codemakers.get(entry.ladder) === codemaker) &&
    (games !== "lost" || entry.outcomes.some((outcome) => outcome !== "solved" && outcome !== "void")) &&
    entry.started_at >= Number(given("since") ?? 0);
}

/** @param {string} digest */
function read(digest) {
  if (!kept.has(digest)) kept.set(digest, textOf(digest).then(({ text }) => JSON.parse(text)));
  return /** @type {Promise<any>} */ (kept.get(digest));
}

/** @param {string | null | undefined} digest @param {string} [kind] @param {string} [missing] why there is none */
async function textOf(digest, kind = "json", missing = MISSING) {
  if (digest == null) throw new ApiError(missing, 404);
  return { text: await load(`data/${digest.slice(0, 2)}/${digest.slice(2)}.${kind}`), etag: digest };
}

/** @param {string} path @returns {Promise<string>} */
async function load(path) {
  const found = await fetch(path, path.endsWith("manifest.json") ? { cache: "no-store" } : {}).catch(() => null);
  if (found === null) throw new ApiError("The site does not answer. Is this device online?");
  if (found.status === 404) throw new MissingFile(path);
  if (!found.ok) throw new ApiError(`The site answers with status ${found.status}.`, found.status);
  return found.text();
}
