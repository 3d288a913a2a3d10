"""What a page of metrics shows."""

from prometheus_client.parser import text_string_to_metric_families


def values(text):
    """Return the value of each sample by its name and its labels."""
    return {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text.decode())
        for sample in family.samples
    }


TEXT_FORMAT = "text/plain; version=0.0.4; charset=utf-8"
"""The only version that every scraper takes."""
SCRAPERS = [
    {"Accept": "text/plain"},
    {"Accept": "*/*"},
    {"Accept": "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5"},
    {"Accept": "application/openmetrics-text;version=none"},
    {"Accept": "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited"},
    {"Accept": ""},
    {"Accept-Encoding": "gzip"},
    {"Accept-Encoding": "identity"},
    {"Host": "192.0.2.7:8765"},
    {"Host": "[2001:db8::1]:8765"},
    {"Host": "evilpegs_game-1:8765"},
]
"""Headers with which programs ask for metrics; the last is the name of a container."""
