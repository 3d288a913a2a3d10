"""Points of small order are refused as keys; here they are found with plain arithmetic on the curve."""

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from evilpegs_clients.verification.verify import find_signer, is_weak_key
from evilpegs_protocol.record import format_bytes

P = 2**255 - 19
D = -121665 * pow(121666, -1, P) % P
ORDER = 2**252 + 27742317777372353535851937790883648493
SIGN = 2**255


def add(first, second):
    (x1, y1), (x2, y2) = first, second
    product = D * x1 * x2 * y1 * y2
    x = (x1 * y2 + x2 * y1) * pow(1 + product, -1, P)
    return x % P, (y1 * y2 + x1 * x2) * pow(1 - product, -1, P) % P


def multiply(number, point):
    result = (0, 1)
    for bit in bin(number)[2:]:
        result = add(result, result)
        if bit == "1":
            result = add(result, point)
    return result


def decode(y):
    """Return a point with this ``y``, or None."""
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if x * x % P == square else x * pow(2, (P - 1) // 4, P) % P
    return (x, y) if x * x % P == square else None


def small_points():
    points = filter(None, map(decode, range(2, 100)))
    torsion = (multiply(ORDER, point) for point in points)
    generator = next(point for point in torsion if multiply(4, point) != (0, 1))
    return [multiply(number, generator) for number in range(8)]


def encodings(point):
    """Return the canonical encoding and the others that are decoded as the point."""
    x, y = point
    signs = [x % 2] if x else [0, 1]
    return [value + SIGN * sign for value in (y, y + P) if value < SIGN for sign in signs]


WEAK = [format_bytes(number.to_bytes(32, "little")) for point in small_points() for number in encodings(point)]


def test_there_are_eight_canonical_encodings_and_six_others():
    assert len(set(small_points())) == 8
    assert len(WEAK) == len(set(WEAK)) == 14


@pytest.mark.parametrize("key", WEAK)
def test_each_encoding_is_weak(key):
    assert is_weak_key(key)


def test_other_points_are_not_weak():
    keys = [format_bytes(number.to_bytes(32, "little")) for number in range(2, 1000)]
    keys += [format_bytes(Ed25519PrivateKey.generate().public_key().public_bytes_raw()) for _ in range(50)]
    assert not any(map(is_weak_key, keys))


def test_signature_that_nobody_made_is_refused():
    """The control: the library accepts it, because R and the key are the neutral point."""
    neutral = (1).to_bytes(32, "little")
    Ed25519PublicKey.from_public_bytes(neutral).verify(neutral + bytes(32), b"anything")
    over = {"match": "0" * 16, "seq": 9, "head": "0" * 64, "outcomes": [], "guesses": []}
    over["signature"] = format_bytes(neutral + bytes(32))
    assert find_signer(over, [format_bytes(neutral)]) is None
