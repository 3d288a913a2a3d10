/** SHA-256 as in FIPS 180-4, and HMAC with it. SubtleCrypto does not exist on plain http except on localhost, so the page has its own. */

const ROUNDS = Uint32Array.from([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
]);
const INITIAL = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];
export const BLOCK_BYTES = 64;

/** Return the SHA-256 of bytes: 32 bytes. @param {Uint8Array} bytes */
export function sha256(bytes) {
  const padded = pad(bytes);
  const view = new DataView(padded.buffer);
  const state = Uint32Array.from(INITIAL);
  const words = new Uint32Array(64);
  for (let start = 0; start < padded.length; start += BLOCK_BYTES) {
    for (let word = 0; word < 16; word++) words[word] = view.getUint32(start + 4 * word);
    compress(state, words);
  }
  const digest = new Uint8Array(32);
  const out = new DataView(digest.buffer);
  state.forEach((word, index) => out.setUint32(4 * index, word));
  return digest;
}

/** Return the SHA-256 of the UTF-8 form of a text, as 64 hex digits. @param {string} text */
export function sha256Hex(text) {
  return toHex(sha256(utf8(text)));
}

/** @param {string} text */
export function utf8(text) {
  return new TextEncoder().encode(text);
}

/** @param {Uint8Array} bytes */
export function toHex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Return the bytes that hex digits denote. @param {string} hex An even number of hex digits. */
export function fromHex(hex) {
  if (!/^([0-9a-fA-F]{2})*$/.test(hex)) throw new RangeError("these are not pairs of hex digits");
  return Uint8Array.from({ length: hex.length / 2 }, (_, index) => parseInt(hex.slice(2 * index, 2 * index + 2), 16));
}

/**
 * Return the HMAC-SHA256 of a message as in RFC 2104: 32 bytes.
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

/** Return the bytes followed by a one bit, zeros and the length in bits, in whole blocks. @param {Uint8Array} bytes */
function pad(bytes) {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / BLOCK_BYTES) * BLOCK_BYTES);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, bytes.length << 3);
  return padded;
}

/** Add one block to the state. The first 16 of the 64 words are the block; the others are scratch. @param {Uint32Array} state @param {Uint32Array} words */
function compress(state, words) {
  for (let t = 16; t < 64; t++) {
    const before = words[t - 15];
    const recent = words[t - 2];
    const small0 = rotate(before, 7) ^ rotate(before, 18) ^ (before >>> 3);
    const small1 = rotate(recent, 17) ^ rotate(recent, 19) ^ (recent >>> 10);
    words[t] = words[t - 16] + small0 + words[t - 7] + small1;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let t = 0; t < 64; t++) {
    const big1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const temp1 = (h + big1 + ((e & f) ^ (~e & g)) + ROUNDS[t] + words[t]) | 0;
    const big0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const temp2 = (big0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + temp1) | 0;
    d = c;
    c = b;
    b = a;
    a = (temp1 + temp2) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => {
    state[index] += word;
  });
}

/** @param {number} word @param {number} bits */
function rotate(word, bits) {
  return (word >>> bits) | (word << (32 - bits));
}
