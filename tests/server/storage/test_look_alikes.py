"""Names in other letters: which are refused, and which look like others."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_server.storage.log.look_alikes import is_letter, skeleton, stored_form
from evilpegs_server.storage.log.players import NameRefusedError, check_display_name

PROTOTYPES = {
    "a": "\u0251\u0430\u03b1\uab7a\u1d00",
    "b": "\u0184\u042c\u0299\u1472\u13cf",
    "c": "\u0441\u1d04\uabaf",
    "d": "\u0501\u13e7\u146f\ua4d2",
    "e": "\u0435\u04bd\uab32",
    "g": "\u0261\u0581\u1d83",
    "h": "\u04bb\u0570\u13c2",
    "j": "\u0458\u03f3",
    "l": "\u0399\u04c0\u0627\u07ca\u2c92",
    "n": "\u0578\u057c",
    "o": "\u03bf\u043e\u0585\u0d20\u101d",
    "p": "\u0440\u03c1\u03f1\u2ca3",
    "q": "\u051b\u0563\u0566",
    "r": "\u0433\u1d26\uab47",
    "s": "\u0455\u01bd\ua731",
    "u": "\u057d\u03c5\u1d1c",
    "v": "\u03bd\u0475\u1d20",
    "w": "\u0461\u051d\u0561\u1d21",
    "x": "\u0445\u157d",
    "y": "\u0443\u04af\u028f\u10e7",
    "z": "\u1d22\uab93",
}
"""Some rows of the standard's table, by their prototypes."""


@pytest.mark.parametrize("plain", PROTOTYPES)
def test_letters_look_like_their_prototypes(plain):
    for each in PROTOTYPES[plain]:
        assert skeleton(each * 3) == skeleton(plain * 3), ascii(each)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("\u042c\u043e\u042c", "bob"),
        ("\u0570\u057d\u0581\u0585", "hugo"),
        ("\u039d\u0399\u039d\u0391", "nina"),
        ("\u039c\u0391\u03a7", "max"),
        ("\u0261o\u0261o", "gogo"),
        ("\u0435\u0475\u0435", "eve"),
        ("Zo\u00eb", "zoe"),
        ("NINA", "nina"),
        ("CIan", "dan"),
        ("\u0411\u043e\u0431", "bob"),
        ("\u00c6sop", "aesop"),
        ("stra\u00dfe", "strabe"),
        ("\u30cb\u30cb", "\u4e8c\u4e8c"),
    ],
)
def test_names_of_other_letters_that_look_like_others(name, other):
    assert skeleton(name) == skeleton(other)


@pytest.mark.parametrize(
    "name",
    [
        "\u1d00\u0274\u0274",  # small capitals
        "\u0251nn\u0251",  # IPA
        "\u13af\u13aa\u13a2",  # Cherokee
        "\u146f\u1472\u15de",  # syllabics
        "\ua4d0\ua4ee\ua4e0",  # Lisu
        "\u2c9f\u2ca3\u2c9f",  # Coptic
        "\u16b7\u16c1\u16b7",  # runes
        "\u03f2\u03f2\u03f2",  # letters that are no longer in use
        "\u3164\u3164",  # fillers, which nobody sees
        "\u115f\u1160",
        "\uffa0\uffa0",
        "\u2800\u2800",
        "a\u034fb",
        "a\u200db",
        "a\u00adb",
        "--",
        "__a",
        "a\u0302\u0323b",  # marks that no letter has
        "\u00c6\u00e6" * 6,  # longer than the column of skeletons
    ],
)
def test_names_of_letters_that_mislead_or_cannot_be_seen_are_refused(name):
    with pytest.raises(NameRefusedError):
        check_display_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "Zo\u00eb",
        "\u0141ukasz",
        "Nguy\u1ec5n",
        "\u0418\u0440\u0438\u043d\u0430",
        "\u0395\u03bb\u03ad\u03bd\u03b7",
        "\u0645\u062d\u0645\u062f",
        "\u05d3\u05d5\u05d3",
        "\u0905\u0928\u093f\u0924\u093e",
        "\u0e2a\u0e21\u0e0a\u0e32\u0e22",
        "\uae40\ubbfc\uc900" * 6,
        "\u4f50\u3005\u6728",
        "\u30e6\u30fc\u30b6-2",
        "\u0531\u0580\u0574\u0565\u0576",
        "\u10d0\u10dc\u10d0",
    ],
)
def test_names_of_the_scripts_in_use_are_accepted(name):
    check_display_name(name)


@given(st.text(st.characters(codec="utf-8", categories=["L", "M"]), min_size=2, max_size=20))
def test_no_skeleton_is_equal_to_one_of_an_earlier_version_by_chance(name):
    assert not any(map(str.islower, filter(str.isascii, skeleton(name))))


@given(st.text(st.characters(codec="utf-8", categories=["L", "M", "Nd"]), min_size=2, max_size=20))
def test_skeleton_of_an_accepted_name_fits_its_column(name):
    try:
        check_display_name(name)
    except NameRefusedError:
        return
    assert len(skeleton(name)) <= 20
    assert stored_form(name) == name


def test_letters_are_visible():
    visible = [chr(point) for point in range(0x110000) if is_letter(chr(point))]
    assert {unicodedata.category(each)[0] for each in visible} <= {"L", "M"}
    assert not set(visible) & {*"\u115f\u1160\u3164\uffa0\u034f\u180b\ufe0f"}
