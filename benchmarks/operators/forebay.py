"""Forebay's operators on the CPU."""

import pathlib
import sys

ENVIRONMENT = "forebay"
sys.path.insert(0, str(pathlib.Path(__file__).parent / "work"))

import serving  # noqa: E402

import forebay  # noqa: E402
import forebay.fn  # noqa: E402
import forebay.math  # noqa: E402
import forebay.types  # noqa: E402

if __name__ == "__main__":
    serving.serve(forebay, {"forebay": forebay.__version__})
