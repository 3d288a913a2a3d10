"""Charts as files."""

import struct
import sys
from xml.etree import ElementTree as ET

import pytest

from evilpegs.errors import CommandError
from evilpegs.plots import bar_chart, check_plot

SERIES = {"minimax": [1, 6, 62, 533, 694], "entropy": [1, 4, 71, 612, 596, 12]}
SVG = "{http://www.w3.org/2000/svg}"


def draw(path, series=SERIES, labels=6, title="4x6"):
    bar_chart(path, title, [str(label) for label in range(1, labels + 1)], series, "guesses", "secrets")
    return path


def texts(path):
    return {element.text for element in ET.parse(path).iter(f"{SVG}text")}


def test_a_png_with_a_size(tmp_path):
    data = draw(tmp_path / "chart.PNG").read_bytes()
    width, height = struct.unpack(">II", data[16:24])
    assert data.startswith(b"\x89PNG")
    assert width > height > 400


def test_the_text_of_an_svg_can_be_read(tmp_path):
    read = texts(draw(tmp_path / "chart.svg"))
    assert {"4x6", "guesses", "secrets", "minimax", "entropy", "533", "694", "612", "6"} <= read


def test_one_series_needs_no_legend(tmp_path):
    assert "minimax" not in texts(draw(tmp_path / "chart.svg", {"minimax": SERIES["minimax"]}))


def test_many_bars_have_no_numbers_and_the_chart_grows(tmp_path):
    many = draw(tmp_path / "many.svg", {"a": range(100, 145), "b": range(200, 245)}, labels=45)
    assert "137" not in texts(many)
    few = draw(tmp_path / "few.svg", {"a": [137]}, labels=1)
    assert "137" in texts(few)
    wide, narrow = (float(ET.parse(path).getroot().get("width").removesuffix("pt")) for path in (many, few))
    assert wide > narrow


def test_large_numbers_are_short(tmp_path):
    assert "1.20e+07" in texts(draw(tmp_path / "chart.svg", {"a": [12_000_000]}, labels=1))


@pytest.mark.parametrize("name", ["chart.svg", "chart.png"])
def test_the_same_chart_is_the_same_file(tmp_path, name):
    first = draw(tmp_path / name).read_bytes()
    assert draw(tmp_path / name).read_bytes() == first
    assert draw(tmp_path / name, title="5x8").read_bytes() != first


@pytest.mark.parametrize("name", ["chart", "chart.pdf", "chart.svg.txt"])
def test_another_suffix_is_refused(tmp_path, name):
    with pytest.raises(CommandError, match=r"a plot is a \.png or a \.svg file"):
        draw(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_no_directory_for_it(tmp_path):
    with pytest.raises(CommandError, match=r"no directory .*lost for the plot"):
        check_plot(tmp_path / "lost" / "chart.png")


def test_a_file_that_cannot_be_written(tmp_path):
    (tmp_path / "chart.png").mkdir()
    with pytest.raises(CommandError, match=r"cannot write .*chart\.png: Is a directory"):
        draw(tmp_path / "chart.png")


def test_without_matplotlib_it_is_said_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(CommandError, match=r"pip install 'evilpegs\[plot\]'"):
        check_plot(tmp_path / "chart.png")
