"""A plugin of pytest: how tests are dealt to processes, a file at a time, also where a test ends its process.

pytest-xdist's own way (3.8, `--dist loadfile`) gives the test that ended one process to the next, again and again, and a
process whose last file has one test left waits for a second one for ever.
"""

from __future__ import annotations

from typing import Any

from xdist.scheduler import LoadFileScheduling


class ByFile(LoadFileScheduling):  # type: ignore[misc]
    """As its base, but a test that ends its process has had its turn, and no process waits when all is dealt."""

    def remove_node(self, node: Any) -> str | None:
        """A process has ended; the test that it was running, if it was."""
        running = None
        given = self.assigned_work[node]
        for tests in given.values():
            for name, is_done in tests.items():
                if not is_done and running is None:
                    running = name
                    tests[name] = True
        self.assigned_work[node] = {file: tests for file, tests in given.items() if not all(tests.values())}
        super().remove_node(node)
        if running is not None:
            for other in self.assigned_work:
                self._reschedule(other)
        return running

    def _reschedule(self, node: Any) -> None:
        super()._reschedule(node)
        if not self.workqueue and not node.shutting_down:
            node.shutdown()


def pytest_xdist_make_scheduler(config: Any, log: Any) -> ByFile:
    return ByFile(config, log)
