"""The journal of a computation that takes hours: one line of JSON per finished piece, so that it can stop and go on."""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from typing import Any


@dataclass
class Journal:
    """Finished pieces by key, read from ``path`` and appended to it; without a path they are kept nowhere.

    Several processes may append to one file. Each reads what stood there when it began.
    """

    path: Path | None = None
    pieces: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    """Processor time of all pieces, those from the file included."""

    def __post_init__(self) -> None:
        if self.path and self.path.exists():
            for line in self.path.read_text().splitlines():
                with suppress(ValueError):  # the end of a line that was cut off, if a process was killed
                    self._keep(json.loads(line))

    def get(self, key: list[Any], compute: Callable[[], Any]) -> Any:
        """Return the piece with this key, a value in JSON; compute and append it if there is none."""
        name = json.dumps(key)
        if name not in self.pieces:
            before = process_time() - self.seconds  # pieces of the piece have their own
            value = json.loads(json.dumps(compute()))
            piece = {"key": key, "value": value, "seconds": process_time() - self.seconds - before}
            self._keep(piece)
            if self.path:
                with self.path.open("a") as file:
                    file.write("\n" + json.dumps(piece))  # first, so that a line cut off before spoils only itself
        return self.pieces[name]

    def _keep(self, piece: dict[str, Any]) -> None:
        self.pieces[json.dumps(piece["key"])] = piece["value"]
        self.seconds += piece["seconds"]
