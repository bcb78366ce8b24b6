"""Cases in DALI's language, by class. Each is tried by DALI and by Forebay as `nvidia.dali`; `outcomes.py` says what
came of it. A case's id is its class and its name: `sources/list_source`."""

from __future__ import annotations

from typing import Any, Callable

from pipelines import run, run_branches

Case = Callable[[], Any]
CASES: dict[str, Case] = {}


class Group:
    """The cases of a class. Used as a decorator, each gives what is compared; of `outputs` and `branches`, what stands
    in the file is the body of a pipeline, whose batches are."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def add(self, name: str, function: Case) -> None:
        key = f"{self.kind}/{name}"
        assert key not in CASES, key
        CASES[key] = function

    def __call__(self, function: Case) -> Case:
        self.add(function.__name__, function)
        return function

    def outputs(self, body: Case | None = None, **settings: Any) -> Any:
        if body is None:
            return lambda later: self.outputs(later, **settings)
        self.add(body.__name__, lambda: run(body, **settings))
        return body

    def branches(self, body: Case | None = None, **settings: Any) -> Any:
        """As `outputs`, with `enable_conditionals`."""
        if body is None:
            return lambda later: self.branches(later, **settings)
        self.add(body.__name__, lambda: run_branches(body, **settings))
        return body

    def table(self, cases: dict[str, Case]) -> None:
        for name, function in cases.items():
            self.add(name, function)

    def outputs_table(self, bodies: dict[str, Case], **settings: Any) -> None:
        for name, body in bodies.items():
            self.add(name, lambda body=body: run(body, **settings))
