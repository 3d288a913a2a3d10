"""Facts in error messages, independent of the wording."""


def values_in(error):
    """Return the words of a message that hold a digit: numbers, rules, codes and feedbacks, without punctuation."""
    words = (word.strip(".,:;()'\"") for word in str(error).split())
    return {word for word in words if any(character.isdigit() for character in word)}
