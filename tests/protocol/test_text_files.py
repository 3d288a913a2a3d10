"""Texts that people write with the editors of Windows."""

import pytest

from evilpegs_protocol.text_files import NotTextError, read_text


@pytest.mark.parametrize("written", ["Änne\r\n", "\ufeffÄnne\r\n"])
def test_mark_of_utf8_is_left_out(tmp_path, written):
    (tmp_path / "a").write_text(written, encoding="utf-8", newline="")
    assert read_text(tmp_path / "a") == "Änne\r\n"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "latin-1"])
def test_other_encoding_is_refused_with_line(tmp_path, encoding):
    (tmp_path / "a").write_bytes(b"\n" * 2 + "Änne\n".encode(encoding))
    with pytest.raises(NotTextError, match=r"^line 3 .*UTF-8"):
        read_text(tmp_path / "a")
