"""Counts what one HTTP/1.1 connection carries of objects: the bodies of answers to GET, without listings.

Requests come one after the other, as clients of S3 send them, and without bodies.
"""

END_OF_HEADERS = b"\r\n\r\n"
LISTING = b"list-type="


class ObjectBodies:
    """Told of the bytes of one connection in the order in which they pass."""

    def __init__(self) -> None:
        self._is_object = False
        self._headers = bytearray()
        self._left: int | None = None  # of the body that is passing; None: headers are

    def request(self, piece: bytes) -> tuple[int, int]:
        """The beginning of a request, or more of one: how many requests begin here, and how many of them are for the
        body of an object."""
        line = piece.partition(b"\r\n")[0]
        if not line.endswith(b"HTTP/1.1"):
            return 0, 0
        self._is_object = line.startswith(b"GET ") and LISTING not in line
        self._headers.clear()
        self._left = None
        return 1, int(self._is_object)

    def answer(self, piece: bytes) -> int:
        """How many of the bytes belong to the body of an object."""
        if self._left is None:
            self._headers += piece
            if END_OF_HEADERS not in self._headers:
                return 0
            head, _, piece = bytes(self._headers).partition(END_OF_HEADERS)
            self._left = _length_of(head) if self._is_object else 0
        counted = min(self._left, len(piece))
        self._left -= counted
        return counted


def _length_of(head: bytes) -> int:
    """The length of the body behind these headers, if it is an object's."""
    status, *lines = head.split(b"\r\n")
    if status.split()[1] not in (b"200", b"206"):
        return 0
    for line in lines:
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    return 0
