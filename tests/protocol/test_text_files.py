"""Texts that people write with the editors of Windows."""

import pytest

from evilpegs_protocol.text_files import NotTextError, read_text


@pytest.mark.parametrize("written", ["Änne\r\n", "\ufeffÄnne\r\n"])
def test_mark_of_utf8_is_left_out(tmp_path, written):
    (tmp_path / "a").write_text(written, encoding="utf-8", newline="")
    assert read_text(tmp_path / "a") == "Änne\r\n"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf16_is_named(tmp_path, encoding):
    (tmp_path / "a").write_bytes("Änne\n".encode(encoding))
    with pytest.raises(NotTextError, match=r"UTF-16.* UTF-8"):
        read_text(tmp_path / "a")


@pytest.mark.parametrize("written", ["Änne\n".encode("latin-1"), b"\xc3", b"SQLite format 3\0" + bytes(80) + b"\xff"])
def test_other_encoding_is_refused_with_line(tmp_path, written):
    (tmp_path / "a").write_bytes(b"\n" * 2 + written)
    with pytest.raises(NotTextError, match=r"^line 3 .*UTF-8") as caught:
        read_text(tmp_path / "a")
    assert "UTF-16" not in str(caught.value)


@pytest.mark.parametrize("written", ["a\nb\0c\n", "a\n\0"])
def test_nul_is_named_with_line(tmp_path, written):
    (tmp_path / "a").write_text(written)
    with pytest.raises(NotTextError, match=r"^line 2 .*NUL"):
        read_text(tmp_path / "a")


def test_line_ends_of_old_macs_are_read(tmp_path):
    (tmp_path / "a").write_bytes(b"a\rb\r")
    assert read_text(tmp_path / "a") == "a\nb\n"
