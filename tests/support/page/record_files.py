"""Records as files for the file field of the page, and the honest records by name."""

import json

from tools.page_records import RECORDS

HONEST = {row["name"]: row["events"] for row in json.loads(RECORDS.read_text())["honest"]}


def record_file(events, name="record.jsonl"):
    """Return events as a file that Playwright can put into a field of the page."""
    text = "".join(json.dumps(event) + "\n" for event in events)
    return {"name": name, "mimeType": "application/jsonl", "buffer": text.encode()}
