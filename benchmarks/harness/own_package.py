"""Makes Forebay's package importable in a peer's environment: that of .venv, as it was built there."""

import sys

import environments


def make_importable() -> None:
    paths = sorted((environments.ROOT / ".venv").glob("lib/python*/site-packages/forebay.pth"))
    if not paths:
        raise ImportError("no package in .venv: run `make build` first")
    sys.path.append(paths[0].read_text().strip())
