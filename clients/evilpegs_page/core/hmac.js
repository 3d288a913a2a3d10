/**
 * HMAC-SHA256 as in RFC 2104.
 */

import { BLOCK_BYTES, sha256 } from "./sha256.js";

/**
 * Return the HMAC-SHA256 of a message: 32 bytes.
 * @param {Uint8Array} key Of any length; a key longer than a block is replaced by its SHA-256.
 * @param {Uint8Array} message
 */
export function hmacSha256(key, message) {
  const block = new Uint8Array(BLOCK_BYTES);
  block.set(key.length > BLOCK_BYTES ? sha256(key) : key);
  const inner = sha256(concatenate(masked(block, 0x36), message));
  return sha256(concatenate(masked(block, 0x5c), inner));
}

/** @param {Uint8Array} block @param {number} mask */
function masked(block, mask) {
  return block.map((byte) => byte ^ mask);
}

/** @param {Uint8Array} first @param {Uint8Array} second */
function concatenate(first, second) {
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}
