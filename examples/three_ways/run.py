"""One training job over S3, fed in three ways: copy first, read direct, orchestrated. One table, one picture.

    python examples/three_ways/run.py [--out FOLDER] [--photos N] [--rounds N] [--json | --markdown]

Needs a clone with `make build servers`. It makes its pictures, keeps them in --out (demo/), and leaves
three_ways.png there. README.md says what is measured.
"""

import pathlib
import sys

HARNESS = pathlib.Path(__file__).resolve().parents[2] / "benchmarks" / "harness"
if not HARNESS.is_dir():
    sys.exit(f"{sys.argv[0]}: this example needs a clone of the whole project")
sys.path.insert(0, str(HARNESS))

import start  # noqa: E402

start.under_own_python()

import three_ways  # noqa: E402

if __name__ == "__main__":
    sys.exit(three_ways.main(str(__doc__), three_ways.WAYS, photos=640, rounds=1, out=pathlib.Path("demo")))
