"""The check of a match that is over: the record received while playing, the record sent again, and the signature."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evilpegs_clients.connection.match_client import MatchClient
from evilpegs_clients.errors import BrokenRecordError, ClientError, ServerRefusedError
from evilpegs_clients.verification.played import compare_records
from evilpegs_clients.verification.signature import can_check_signatures, check_signature
from evilpegs_clients.verification.verify import verify_record
from evilpegs_clients.verification.violation import NotChecked, Subject, Violation
from evilpegs_protocol.server_messages import ErrorCode
from evilpegs_protocol.suggestions import install_hint


@dataclass(slots=True)
class RecordCheck:
    violations: list[Violation] = field(default_factory=list)
    not_checked: list[NotChecked] = field(default_factory=list)


async def check_played_match(client: MatchClient) -> RecordCheck:
    """Check the match of ``client``, which must be over."""
    received = client.view.record
    check = RecordCheck(verify_record(received))
    await _compare_with_server(check, client)
    _check_signature(check, received, client.server_keys)
    return check


async def _compare_with_server(check: RecordCheck, client: MatchClient) -> None:
    try:
        handed_out = await client.fetch_record()
    except ClientError as error:
        what = f"the record that the server hands out: {error}"
        if isinstance(error, BrokenRecordError) or _denies_match(error):
            check.violations.append(Violation(what, subject=Subject.PLAYED))
        else:
            check.not_checked.append(NotChecked(what, subject=Subject.PLAYED))
    else:
        check.violations += compare_records(client.view.record, handed_out)


def _denies_match(error: ClientError) -> bool:
    return isinstance(error, ServerRefusedError) and error.code is ErrorCode.NOT_YOUR_MATCH


def _check_signature(check: RecordCheck, record: Sequence[Mapping[str, Any]], keys: Sequence[str]) -> None:
    # a server without a key signs nothing
    if not keys:
        return
    if can_check_signatures():
        check.violations += check_signature(record, keys)
    else:
        what = f"the signature of the server; to check it, {install_hint('verify')}"
        check.not_checked.append(NotChecked(what, subject=Subject.SIGNATURE))
