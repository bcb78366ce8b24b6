"""Forebay's parallel external sources."""

import pathlib
import sys

ENVIRONMENT = "forebay"
sys.path.insert(0, str(pathlib.Path(__file__).parent / "work"))

import fed  # noqa: E402
import forebay  # noqa: E402

if __name__ == "__main__":
    fed.measure(forebay, {"forebay": forebay.__version__})
