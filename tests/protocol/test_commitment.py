"""Commitments, secrets and ties, recomputed with hashlib and hmac as protocol/README.md defines them."""

import hashlib
import hmac
from itertools import count

import pytest

from evilpegs_protocol.commitment import TIE_NONCES, commitment, derive_nonce, secret_index, tie_index, tie_share

MATCH = "0123456789abcdef"
NONCES = [hashlib.sha256(b"%d" % number).hexdigest() for number in range(60)]
ABOUT_HALF = 2**255 + 1
"""With this many codes the numbers below 2^255 + 1 are kept: about half of all draws are refused."""


def hmac_of(nonce, text):
    return int(hmac.new(bytes.fromhex(nonce), text.encode(), hashlib.sha256).hexdigest(), 16)


def draws(nonce, client_nonce, match, game):
    return (hmac_of(nonce, f'["{client_nonce}","{match}",{game},{counter}]') for counter in count())


def drawn_by_hand(nonce, client_nonce, match, game, codes):
    """Return the index of the secret and the number of draws that were refused before it."""
    accepted = 2**256 - (2**256 % codes)
    for refused, number in enumerate(draws(nonce, client_nonce, match, game)):
        if number < accepted:
            return number % codes, refused
    raise AssertionError


@pytest.mark.parametrize("nonce", NONCES[:3])
@pytest.mark.parametrize(("game", "rules"), [(1, "4x6"), (10, "4x10-distinct")])
def test_commitment_hashes_its_five_parts(nonce, game, rules):
    text = f'["evilpegs-v1","{MATCH}",{game},"{rules}","{nonce}"]'
    assert commitment(MATCH, game, rules, nonce) == hashlib.sha256(text.encode()).hexdigest()


def test_commitment_equals_known_digest():
    expected = "85839c0cd1f2fa068d93c60a62541fb36437f950d1f6f22bd1cd9c940540989a"
    assert commitment(MATCH, 1, "4x6", "00" * 32) == expected


def test_commitment_depends_on_every_part():
    parts = [(MATCH, 1, "4x6"), ("f" * 16, 1, "4x6"), (MATCH, 2, "4x6"), (MATCH, 1, "4x7")]
    assert len({commitment(*part, nonce) for part in parts for nonce in NONCES}) == len(parts) * len(NONCES)


@pytest.mark.parametrize("nonce", NONCES[:5])
@pytest.mark.parametrize("client_nonce", [None, "", "a", "My_own-nonce7"])
@pytest.mark.parametrize("codes", [1, 6, 1296, 5040, 10**12, 10**18])
def test_secret_index_is_first_accepted_draw(nonce, client_nonce, codes):
    expected, _ = drawn_by_hand(nonce, client_nonce or "", MATCH, 3, codes)
    assert secret_index(nonce, client_nonce, MATCH, 3, codes) == expected


def test_secret_index_equals_known_value():
    assert secret_index("00" * 32, None, MATCH, 1, 1296) == 1030


def test_secret_index_draws_again_after_refusal():
    by_hand = [drawn_by_hand(nonce, "", MATCH, 1, ABOUT_HALF) for nonce in NONCES]
    refusals = [refused for _, refused in by_hand]
    assert {0, 1, 2} <= set(refusals)
    assert [secret_index(nonce, None, MATCH, 1, ABOUT_HALF) for nonce in NONCES] == [at for at, _ in by_hand]


@pytest.mark.parametrize("codes", [2**256, 2**255, 2**256 - 1])
def test_secret_index_at_bounds_of_draw(codes):
    for nonce in NONCES[:5]:
        assert secret_index(nonce, None, MATCH, 1, codes) == next(draws(nonce, "", MATCH, 1)) % codes


@pytest.mark.parametrize("digits", range(19))
def test_secret_index_stays_in_range(digits):
    assert all(0 <= secret_index(nonce, None, MATCH, 1, 10**digits) < 10**digits for nonce in NONCES)


@pytest.mark.parametrize("codes", [2, 3, 7, 10])
def test_secret_index_is_spread_evenly(codes):
    """Chi-square over 2,000 games of one match stays under 33, which is beyond the 0.9999 point of 9 degrees."""
    drawn = [secret_index(NONCES[0], None, MATCH, game, codes) for game in range(2000)]
    excess = sum((drawn.count(place) * codes - 2000) ** 2 for place in range(codes))
    assert excess < 33 * 2000 * codes


def test_secret_index_depends_on_every_argument():
    codes = 10**18
    plays = [("a", MATCH, 1), (None, MATCH, 1), ("b", MATCH, 1), ("a", "f" * 16, 1), ("a", MATCH, 2)]
    assert len({secret_index(nonce, *play, codes) for nonce in NONCES for play in plays}) == 5 * len(NONCES)


@pytest.mark.parametrize("tied", range(1, 10))
def test_tie_index_is_hmac_modulo_tied_parts(tied):
    for nonce in NONCES[:5]:
        expected = hmac_of(nonce, f'["tie","{MATCH}",2,7]') % tied
        assert tie_index(nonce, MATCH, 2, 7, tied) == expected


@pytest.mark.parametrize("share", ["", "mine", "x" * 64])
def test_tie_index_of_both_nonces_appends_client_share(share):
    for nonce in NONCES[:5]:
        expected = hmac_of(nonce, f'["tie","{MATCH}",2,7,"{share}"]') % 9
        assert tie_index(nonce, MATCH, 2, 7, 9, share) == expected


@pytest.mark.parametrize("client_nonce", [None, "", "mine"])
def test_tie_share_is_client_nonce_or_empty_text(client_nonce):
    assert tie_share(TIE_NONCES, client_nonce) == (client_nonce or "")
    assert tie_share(None, client_nonce) is None


def test_tie_index_equals_known_values():
    """The values that protocol/README.md gives."""
    assert tie_index("00" * 32, MATCH, 1, 1, 10**9) == 322_839_220
    assert tie_index("00" * 32, MATCH, 1, 1, 10**9, "") == 520_066_348
    assert tie_index("00" * 32, MATCH, 1, 1, 10**9, "my-own-luck") == 123_394_498


@pytest.mark.parametrize("tied", range(1, 10))
def test_tie_index_reaches_every_tied_part(tied):
    assert {tie_index(NONCES[0], MATCH, 1, turn, tied) for turn in range(1, 100)} == set(range(tied))


def test_derived_nonce_is_hmac_of_match_and_game():
    seed = bytes(range(32))
    assert int(derive_nonce(seed, MATCH, 3), 16) == hmac_of(seed.hex(), f'["nonce","{MATCH}",3]')


def test_derived_nonce_differs_by_seed_match_and_game():
    nonces = {
        derive_nonce(seed, match, game)
        for seed in (bytes(32), b"\1" * 32)
        for match in (MATCH, "f" * 16)
        for game in range(1, 101)
    }
    assert len(nonces) == 400
    assert all(len(bytes.fromhex(nonce)) == 32 for nonce in nonces)
