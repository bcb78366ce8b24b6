"""python -m forebay: runs the program `forebay` that was installed with this package."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from typing import NoReturn

_NAME = "forebay"


def folders() -> list[str]:
    """Where installers put programs: for this Python, for its environment, for the user."""
    user = sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user"))
    return [sysconfig.get_path("scripts"), os.path.join(sys.prefix, "bin"), user]


def main() -> NoReturn:
    """Becomes the program. It is told that it lies beside this Python, which its commands that need one then use."""
    searched = os.pathsep.join([*folders(), os.environ.get("PATH", "")])
    program = shutil.which(_NAME, path=searched)
    if program is None:
        places = ", ".join(dict.fromkeys(folders()))
        sys.exit(f"python -m forebay: the program '{_NAME}' is in none of {places}, and not on PATH; install the package again")
    os.execv(program, [os.path.join(os.path.dirname(sys.executable), _NAME), *sys.argv[1:]])


if __name__ == "__main__":
    main()
