/**
 * Random numbers of the browser. `crypto.getRandomValues` exists on plain http too, where SubtleCrypto does not.
 */

/** Return `size` random bytes. @param {number} size */
export function randomBytes(size) {
  return globalThis.crypto.getRandomValues(new Uint8Array(size));
}

/**
 * Draw a whole number from 0 up to but not including `bound`, uniformly by rejection sampling.
 * @param {bigint} bound At least 1 and at most 2^128.
 * @param {(size: number) => Uint8Array} [bytes]
 */
export function randomBelow(bound, bytes = randomBytes) {
  const values = 1n << 128n;
  const accepted = values - (values % bound);
  for (;;) {
    let drawn = 0n;
    for (const byte of bytes(16)) {
      drawn = (drawn << 8n) | BigInt(byte);
    }
    if (drawn < accepted) {
      return drawn % bound;
    }
  }
}
