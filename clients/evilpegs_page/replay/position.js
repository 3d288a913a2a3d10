/**
 * Where a replay stands: a game, and how many of its guesses are shown. Positions are values, and every step gives a new one.
 *
 * @typedef {{game: number, turn: number}} Position the index of the game, and the guesses shown, from 0 to all
 */

/** What keys do; space is not among them, because it plays and pauses. */
const KEYS = Object.freeze({
  ArrowRight: (/** @type {number[]} */ lengths, /** @type {Position} */ from) => next(lengths, from),
  ArrowLeft: previous,
  Home: (/** @type {number[]} */ _, /** @type {Position} */ { game }) => ({ game, turn: 0 }),
  End: (/** @type {number[]} */ lengths, /** @type {Position} */ { game }) => ({ game, turn: lengths[game] }),
  PageDown: (/** @type {number[]} */ lengths, /** @type {Position} */ { game }) => clamp(lengths, { game: game + 1, turn: 0 }),
  PageUp: (/** @type {number[]} */ lengths, /** @type {Position} */ { game }) => clamp(lengths, { game: game - 1, turn: 0 }),
});

/**
 * Return the position after a key; null if the key means nothing.
 * @param {string} key @param {number[]} lengths the guesses of each game @param {Position} from @returns {Position | null}
 */
export function afterKey(key, lengths, from) {
  return Object.hasOwn(KEYS, key) ? KEYS[/** @type {keyof typeof KEYS} */ (key)](lengths, from) : null;
}

/**
 * Return the position one guess on; after the last guess of a game, the beginning of the next.
 * @param {number[]} lengths @param {Position} from @returns {Position}
 */
export function next(lengths, { game, turn }) {
  if (turn < lengths[game]) return { game, turn: turn + 1 };
  return game + 1 < lengths.length ? { game: game + 1, turn: 0 } : { game, turn };
}

/** @param {number[]} lengths @param {Position} from @returns {Position} */
function previous(lengths, { game, turn }) {
  if (turn > 0) return { game, turn: turn - 1 };
  return game > 0 ? { game: game - 1, turn: lengths[game - 1] } : { game, turn };
}

/** Return the nearest position that exists. @param {number[]} lengths @param {Position} wanted @returns {Position} */
export function clamp(lengths, wanted) {
  const game = Math.min(Math.max(0, Math.trunc(wanted.game) || 0), Math.max(0, lengths.length - 1));
  const isOther = game !== wanted.game;
  const turn = Math.min(Math.max(0, Math.trunc(wanted.turn) || 0), lengths[game] ?? 0);
  return { game, turn: isOther && wanted.game > game ? (lengths[game] ?? 0) : turn };
}

/** Return the position after every guess. @param {number[]} lengths @returns {Position} */
export function last(lengths) {
  return { game: Math.max(0, lengths.length - 1), turn: lengths.at(-1) ?? 0 };
}

/** Return the address of a view with a position, or without one. @param {string} hash @param {Position} [at] */
export function atPosition(hash, at) {
  const [path, search] = hash.split("?");
  const kept = (search ?? "").split("&").filter((part) => part && !/^(game|guess)=/.test(part));
  const parts = at ? [...kept, `game=${at.game + 1}`, `guess=${at.turn}`] : kept;
  return parts.length > 0 ? `${path}?${parts.join("&")}` : path;
}

/** Return true if nothing follows a position. @param {number[]} lengths @param {Position} at */
export function isLast(lengths, at) {
  return at.game >= lengths.length - 1 && at.turn >= (lengths[at.game] ?? 0);
}
