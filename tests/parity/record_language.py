"""Writes what DALI does in the cases of `language.py`: python record_language.py OUTPUT, by a Python that has nvidia-dali."""

from __future__ import annotations

import json
import sys

import nvidia.dali
import nvidia.dali.backend
import nvidia.dali.fn
import nvidia.dali.math
import nvidia.dali.ops
import nvidia.dali.tensors
import nvidia.dali.types

import language_bool_cases  # noqa: F401 (adds its cases)
import language_cases  # noqa: F401
import language_mistake_cases  # noqa: F401
import language_value_cases  # noqa: F401
from language import CASES, outcome


def main() -> None:
    results = {name: outcome(function, nvidia.dali) for name, function in CASES.items()}
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump({"dali": nvidia.dali.__version__, "results": results}, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
