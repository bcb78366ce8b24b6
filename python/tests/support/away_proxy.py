"""A proxy to a server that goes away: for a while it closes every connection without an answer."""

from __future__ import annotations

import contextlib
import threading

from counting_proxy import CountingProxy, Handler, running


class AwayProxy(CountingProxy):
    """Answers `answers` GETs of a suffix, then is away until it has turned `refusals` requests down."""

    def __init__(self, port: int, suffix: str, answers: int, refusals: int) -> None:
        super().__init__(port, AwayHandler)
        self.suffix = suffix
        self.answers_left = answers
        self.refusals_left = refusals
        self.turn = threading.Lock()

    def is_away(self, path: str) -> bool:
        with self.turn:
            if self.answers_left > 0:
                self.answers_left -= path.endswith(self.suffix)
                return False
            self.refusals_left -= 1
            return self.refusals_left >= 0


class AwayHandler(Handler):
    server: AwayProxy

    def do_GET(self) -> None:
        if self.server.is_away(self.path):
            self.close_connection = True
        else:
            super().do_GET()

    do_HEAD = do_GET


def away_proxy(port: int, suffix: str, answers: int, refusals: int) -> contextlib.AbstractContextManager[AwayProxy]:
    return running(AwayProxy(port, suffix, answers, refusals))
