/** Random numbers of the browser. `crypto.getRandomValues` exists on plain http too, where SubtleCrypto does not. */

/** Return `size` random bytes. @param {number} size */
export function randomBytes(size) {
  return globalThis.crypto.getRandomValues(new Uint8Array(size));
}
