/**
 * The result of verifying one statement of a record.
 *
 * `ok` is true if the statement holds, false if it does not, and null if it is not checked here. `game` is 0 for a
 * statement about the whole match. `detail` is one line for people; it may quote the record, so it is text, never
 * markup.
 */

/** @typedef {{name: string, game: number, ok: boolean | null, detail: string}} Check `name` is such as `commitment`; see the other modules. */

/**
 * Return a check that holds unless there are problems; its detail is then the first of them.
 * @param {string} name @param {number} game @param {readonly string[]} problems
 * @param {string} fine The detail of a check that holds.
 * @returns {Check}
 */
export function checked(name, game, problems, fine) {
  return { name, game, ok: problems.length === 0, detail: problems.length === 0 ? fine : problems[0] };
}

/** Return a check of a statement that this page cannot check. @param {string} name @param {number} game @param {string} why @returns {Check} */
export function notChecked(name, game, why) {
  return { name, game, ok: null, detail: `not checked here: ${why}` };
}
