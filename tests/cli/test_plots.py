"""Charts as files."""

import errno
import os
import re
import struct
import sys
from xml.etree import ElementTree as ET

import pytest

from evilpegs.errors import CommandError
from evilpegs.plots import bar_chart, check_plot
from support.printed import svg_texts

SERIES = {"minimax": [1, 6, 62, 533, 694], "entropy": [1, 4, 71, 612, 596, 12]}


def draw(path, series=SERIES, labels=6, title="4x6"):
    bar_chart(path, title, [str(label) for label in range(1, labels + 1)], series, "guesses", "secrets")
    return path


def test_plot_png_has_size(tmp_path):
    data = draw(tmp_path / "chart.PNG").read_bytes()
    width, height = struct.unpack(">II", data[16:24])
    assert data.startswith(b"\x89PNG")
    assert width > height > 400


def test_plot_svg_text_is_readable(tmp_path):
    read = svg_texts(draw(tmp_path / "chart.svg"))
    assert {"4x6", "guesses", "secrets", "minimax", "entropy", "533", "694", "612", "6"} <= read


def test_plot_of_one_series_has_no_legend(tmp_path):
    assert "minimax" not in svg_texts(draw(tmp_path / "chart.svg", {"minimax": SERIES["minimax"]}))


def test_plot_of_many_bars_grows_and_omits_numbers(tmp_path):
    many = draw(tmp_path / "many.svg", {"a": range(100, 145), "b": range(200, 245)}, labels=45)
    assert "137" not in svg_texts(many)
    few = draw(tmp_path / "few.svg", {"a": [137]}, labels=1)
    assert "137" in svg_texts(few)
    wide, narrow = (float(ET.parse(path).getroot().get("width").removesuffix("pt")) for path in (many, few))
    assert wide > narrow


def test_plot_shortens_large_numbers(tmp_path):
    assert "1.20e+07" in svg_texts(draw(tmp_path / "chart.svg", {"a": [12_000_000]}, labels=1))


@pytest.mark.parametrize("name", ["chart.svg", "chart.png"])
def test_plot_files_are_reproducible(tmp_path, name):
    first = draw(tmp_path / name).read_bytes()
    assert draw(tmp_path / name).read_bytes() == first
    assert draw(tmp_path / name, title="5x8").read_bytes() != first


@pytest.mark.parametrize("name", ["chart", "chart.pdf", "chart.svg.txt"])
def test_plot_refuses_other_suffix(tmp_path, name):
    with pytest.raises(CommandError, match=r"\.png .*\.svg .*" + re.escape(repr(name))):
        draw(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_plot_refuses_missing_directory(tmp_path):
    with pytest.raises(CommandError, match=re.escape(str(tmp_path / "lost"))) as caught:
        check_plot(tmp_path / "lost" / "chart.png")
    assert "chart.png" not in str(caught.value)


def test_plot_refuses_directory_as_file(tmp_path):
    (tmp_path / "chart.png").mkdir()
    with pytest.raises(CommandError, match=rf"chart\.png: {os.strerror(errno.EISDIR)}"):
        draw(tmp_path / "chart.png")


def test_plot_without_matplotlib_names_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(CommandError, match=r"'\.\[plot\]'"):
        check_plot(tmp_path / "chart.png")
