"""Records what DALI makes of `image_cases.py`: run with DALI's Python.

    python record_images.py [images.npz]
"""

from __future__ import annotations

import pathlib
import sys

import record_operators
from image_cases import CASES

if __name__ == "__main__":
    record_operators.CASES = CASES
    if len(sys.argv) == 1:
        sys.argv.append(str(pathlib.Path(__file__).parent / "images.npz"))
    record_operators.main()
