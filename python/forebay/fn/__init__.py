"""The operators, as functions: ``fn.resize``, ``fn.readers.file``, ``fn.random.uniform``...

All but those of Python (`external_source`, `python_function`...) are made at import from the library's operator table:
their signatures and documentation are those of the table.
"""

from ..graph.dlpack_function import dl_tensor_python_function
from ..graph.external_source import external_source
from ..graph.python_function import python_function
from . import absent_names, generate

__all__: list[str] = []
generate.add_functions(
    __name__,
    globals(),
    by_hand={
        "dl_tensor_python_function": dl_tensor_python_function,
        "external_source": external_source,
        "python_function": python_function,
    },
)
__getattr__ = absent_names.refuse_operator("fn", generate.known_names())


def __dir__() -> list[str]:
    return sorted(__all__)
