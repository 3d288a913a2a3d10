/**
 * Browser storage that never fails. Where storage is blocked or full, values are kept in memory until the page closes,
 * and `isLasting` says so. Whatever cannot be read as JSON counts as missing.
 *
 * @typedef {Pick<Storage, "getItem" | "setItem" | "removeItem">} RawStorage
 */

export class SafeStorage {
  /** @type {Map<string, string>} */ #memory = new Map();
  /** @type {RawStorage | null} */ #raw;

  /** @param {() => RawStorage | null} open returns the storage of the browser; it may throw where storage is blocked */
  constructor(open) {
    try {
      this.#raw = open();
    } catch {
      this.#raw = null;
    }
    /** False once a value could not be stored, or if there is no storage at all. */
    this.isLasting = this.#raw !== null;
  }

  /** Return the value of a key; undefined if there is none or it is damaged. @param {string} key @returns {unknown} */
  read(key) {
    try {
      const text = this.#memory.get(key) ?? this.#raw?.getItem(key) ?? null;
      return text === null ? undefined : JSON.parse(text);
    } catch (error) {
      if (!(error instanceof SyntaxError)) this.isLasting = false;
      return undefined;
    }
  }

  /** Store a value that JSON can hold. @param {string} key @param {unknown} value */
  write(key, value) {
    const text = JSON.stringify(value);
    try {
      if (this.#raw === null) throw new Error("there is no storage");
      this.#raw.setItem(key, text);
      this.#memory.delete(key);
    } catch {
      this.isLasting = false;
      this.#memory.set(key, text);
    }
  }
}

/** @type {SafeStorage | null} */
let only = null;

/** Return the storage of the page: one, so that what a blocked one keeps in memory lasts from view to view. */
export function browserStorage() {
  return (only ??= new SafeStorage(() => globalThis.localStorage ?? null));
}

/** Return the value if it is a plain object, else an empty one. @param {unknown} value @returns {Record<string, unknown>} */
export function objectOrEmpty(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? /** @type {Record<string, unknown>} */ (value)
    : {};
}
