"""python -m forebay.compat SCRIPT [arguments]: runs a script written for `nvidia.dali` or `mxnet`, unmodified."""

import os
import runpy
import sys

from . import install


def main() -> int:
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print("usage: python -m forebay.compat SCRIPT [arguments]\n\n" + (__doc__ or ""))
        return 0 if len(sys.argv) > 1 else 2
    script = sys.argv[1]
    if not os.path.exists(script):
        print(f"forebay.compat: {script}: no such file", file=sys.stderr)
        return 2
    install()
    sys.argv = sys.argv[1:]
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    runpy.run_path(script, run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
