"""The operators, as functions: ``fn.resize``, ``fn.readers.file``, ``fn.random.uniform``...

All but `external_source` and `python_function` are made at import from the library's operator table: their signatures
and documentation are those of the table.
"""

from ..graph.external_source import external_source
from ..graph.python_function import python_function
from ..suggestions import refuse_unknown
from . import generate

__all__ = generate.add_functions(
    __name__, globals(), by_hand={"external_source": external_source, "python_function": python_function}
)
__getattr__ = refuse_unknown("fn", "operator", generate.operator_names())


def __dir__() -> list[str]:
    return __all__
