"""What a spawned worker process of a script runs before anything else: the script once more, under another name than
`__main__`, as Python does by itself for scripts that need no stand-ins. Its functions are then where pickles look for
them."""

from __future__ import annotations

import os
import runpy

from . import SCRIPT_VARIABLE, install

install()
globals().update(runpy.run_path(os.environ[SCRIPT_VARIABLE], run_name="__mp_main__"))
