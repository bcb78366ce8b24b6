"""How many tests run at a time: more than there are processors, since tests wait for a quarter of their time."""

from __future__ import annotations

import os


def tests_at_a_time() -> int:
    """$JOBS, if that is set."""
    return int(os.environ.get("JOBS", 0)) or (os.cpu_count() or 2) * 3 // 2
