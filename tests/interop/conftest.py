"""In which order frameworks are imported: Lightning and Paddle end a process that has imported TensorFlow before."""

import contextlib
import importlib
import importlib.util

if importlib.util.find_spec("tensorflow") is not None:
    for framework in ("lightning", "paddle"):
        with contextlib.suppress(ImportError):
            importlib.import_module(framework)
