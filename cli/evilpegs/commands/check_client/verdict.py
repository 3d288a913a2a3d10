"""What a client did in a script or after a lie, as a line, in JSON and in JUnit XML."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from xml.etree import ElementTree as ET

from evilpegs.files import FileKind, write_text

JUNIT: Final = FileKind("a JUnit report", lambda line: line.startswith((b"<?xml", b"<testsuite")))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What it did, such as "went on"; ``verdict`` is right or wrong, for lies noticed, not noticed or untested."""

    name: str
    verdict: str
    failed: bool
    did: str
    should: str
    seconds: float

    def line(self) -> str:
        verdict = self.verdict.upper() if self.failed else self.verdict
        return f"{verdict:<11}  {self.name}: it {self.did}; it should {self.should}"


def write_junit(name: str, verdicts: Sequence[Verdict]) -> None:
    sums = {"failures": sum(each.failed for each in verdicts), "time": sum(each.seconds for each in verdicts)}
    counts = {name: f"{count:g}" for name, count in ({"tests": len(verdicts)} | sums).items()}
    suite = ET.Element("testsuite", counts, name="evilpegs check-client")
    for each in verdicts:
        case = ET.SubElement(suite, "testcase", classname="check-client", name=each.name, time=f"{each.seconds:g}")
        if each.failed or each.verdict in {"not noticed", "untested"}:
            ET.SubElement(case, "failure" if each.failed else "skipped", message=each.line())
    ET.indent(suite)
    write_text(name, ET.tostring(suite, encoding="unicode", xml_declaration=True) + "\n")
