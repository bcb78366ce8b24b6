"""How many tests run at a time. A quarter of their time is waiting, so that as many as processors would leave these idle."""

from __future__ import annotations

import os


def tests_at_a_time() -> int:
    """$JOBS, if that is set."""
    return int(os.environ.get("JOBS", 0)) or (os.cpu_count() or 2) * 3 // 2
