"""Facts in the output of a command, independent of the wording."""

from xml.etree import ElementTree as ET

SVG = "{http://www.w3.org/2000/svg}"


def numbers_in(text):
    """Return the words of a text that contain a digit, like ``27``, ``4x6`` or ``5,801``, without punctuation."""
    words = {word.strip(".,:;()[]'%") for word in text.split()}
    return {word for word in words if any(character.isdigit() for character in word)}


def svg_texts(path):
    """Return the texts in an SVG file."""
    return {element.text for element in ET.parse(path).iter(f"{SVG}text")}
