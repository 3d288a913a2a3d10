"""What a page of metrics shows."""

from prometheus_client.parser import text_string_to_metric_families


def values(text):
    """Return the value of each sample by its name and its labels."""
    return {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text.decode())
        for sample in family.samples
    }
