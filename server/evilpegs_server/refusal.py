"""A request that is refused, from wherever that is noticed."""

from evilpegs_protocol.server_messages import ErrorCode


class RefusedRequestError(Exception):
    """A request is refused with this error code; the message is for people."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code = code
