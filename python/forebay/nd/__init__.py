"""Asynchronous arrays with MXNet's names: ``from forebay import nd``.

Operations enqueue and return; ``asnumpy``, ``asscalar``, ``wait_to_read``, printing and ``waitall`` wait.
"""

from .. import _core
from . import contrib, fluent, function_table, random
from .context import Context, cpu, cpu_pinned, current_context, gpu, num_gpus
from .ndarray import NDArray


def waitall() -> None:
    """Waits for everything that was enqueued; raises the first error since the last call."""
    _core.waitall()


globals().update(function_table.functions())
for _name, _function in function_table.methods().items():
    setattr(fluent.FluentMethods, _name, _function)

__all__ = [
    "Context",
    "NDArray",
    "contrib",
    "cpu",
    "cpu_pinned",
    "current_context",
    "gpu",
    "num_gpus",
    "random",
    "waitall",
    *function_table.functions(),
]
