/**
 * Everything that follows from a nonce: the commitment of a game, its fixed secret, and the choice among tied parts.
 *
 * A nonce has 64 hex digits; as a key of HMAC-SHA256 it is the 32 bytes that they denote. Digests are read as
 * big-endian integers. The protocol page states the rules under "Trust, but verify".
 */

import { canonical } from "./canonical.js";
import { fromHex, hmacSha256, sha256Hex, toHex, utf8 } from "./sha256.js";

const DIGEST_VALUES = 1n << 256n;

/** Return the commitment that `game_started` contains. @param {string} match @param {number} game @param {string} rules @param {string} nonce */
export function commitment(match, game, rules, nonce) {
  return sha256Hex(canonical(["evilpegs-v1", match, game, rules, nonce]));
}

/**
 * Return the index of a fixed secret in code order, uniform over `codes` codes by rejection sampling.
 * @param {string} nonce @param {string | null} clientNonce @param {string} match @param {number} game
 * @param {bigint} codes
 */
export function secretIndex(nonce, clientNonce, match, game, codes) {
  const accepted = DIGEST_VALUES - (DIGEST_VALUES % codes);
  for (let counter = 0; ; counter++) {
    const draw = keyedNumber(nonce, [clientNonce ?? "", match, game, counter]);
    if (draw < accepted) return draw % codes;
  }
}

/**
 * Return the client's share in the ties of a game: their nonce, or "" if they gave none; null if they have no share.
 * @param {number | null} tieNonces The field `tie_nonces` of `match_started`, null if it is missing.
 * @param {string | null} clientNonce @returns {string | null}
 */
export function tieShare(tieNonces, clientNonce) {
  return tieNonces === null ? null : (clientNonce ?? "");
}

/**
 * Return the index, in feedback order, of the part that a seeded codemaker takes among `tied` equal ones.
 * @param {string} nonce @param {string} match @param {number} game @param {number} turn @param {number} tied
 * @param {string | null} share The client's share, as `tieShare` returns it.
 */
export function tieIndex(nonce, match, game, turn, tied, share) {
  const message = ["tie", match, game, turn];
  return Number(keyedNumber(nonce, share === null ? message : [...message, share]) % BigInt(tied));
}

/** @param {string} nonce @param {(string | number)[]} message */
function keyedNumber(nonce, message) {
  return BigInt(`0x${toHex(hmacSha256(fromHex(nonce), utf8(canonical(message))))}`);
}
