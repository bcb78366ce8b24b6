"""What the operator table says of an operator, under the names of DALI's schemas."""

from __future__ import annotations

from typing import Any, Mapping

from ..element_types import (
    BOOL, DATA_TYPE, FLOAT, IMAGE_TYPE, INT32, INTERP_TYPE, NO_TYPE, STRING, TENSOR_LAYOUT, DALIDataType,
)

Row = Mapping[str, Any]

_ARGUMENT_TYPES = {
    "DALIDataType": DATA_TYPE, "DALIImageType": IMAGE_TYPE, "DALIInterpType": INTERP_TYPE, "bool": BOOL, "float": FLOAT,
    "int": INT32, "str": STRING, "TensorLayout": TENSOR_LAYOUT,
}


class OpSchema:
    """One row of the operator table."""

    def __init__(self, row: Row, name: str, newer_name: str | None = None) -> None:
        self._row = row
        self._name = name
        self._newer_name = newer_name
        self._parameters = {str(parameter["name"]): parameter for parameter in row["parameters"]}

    def __repr__(self) -> str:
        return f"OpSchema({self._name})"

    def Name(self) -> str:  # noqa: N802 (names of DALI's)
        return self._name.replace(".", "__")

    def OperatorName(self) -> str:  # noqa: N802
        return self._name.rpartition(".")[2]

    def ModulePath(self) -> list[str]:  # noqa: N802
        return self._name.split(".")[:-1]

    def Dox(self) -> str:  # noqa: N802
        return str(self._row["doc"])

    def MinNumInput(self) -> int:  # noqa: N802
        return int(self._row["min_inputs"])

    def MaxNumInput(self) -> int:  # noqa: N802
        return int(self._row["max_inputs"])

    def GetArgumentNames(self) -> list[str]:  # noqa: N802
        return list(self._parameters)

    def HasArgument(self, name: str) -> bool:  # noqa: N802
        return name in self._parameters

    def IsArgumentOptional(self, name: str) -> bool:  # noqa: N802
        return not self._parameter(name)["is_required"]

    def IsTensorArgument(self, name: str) -> bool:  # noqa: N802
        return bool(self._parameter(name)["accepts_tensor"])

    def HasArgumentDefaultValue(self, name: str) -> bool:  # noqa: N802
        return self._parameter(name)["default"] is not None

    def GetArgumentDefaultValueString(self, name: str) -> str:  # noqa: N802
        return repr(self._parameter(name)["default"])

    def GetArgumentDox(self, name: str) -> str:  # noqa: N802
        return str(self._parameter(name)["doc"])

    def GetArgumentType(self, name: str) -> DALIDataType:  # noqa: N802
        """Of enumerations, numbers and text; NO_TYPE for lists and others."""
        return _ARGUMENT_TYPES.get(str(self._parameter(name)["kind"]), NO_TYPE)

    def IsDeprecated(self) -> bool:  # noqa: N802
        return self._newer_name is not None

    def DeprecatedInFavorOf(self) -> str:  # noqa: N802
        """The newer name, as :meth:`Name` gives it; empty without one."""
        return (self._newer_name or "").replace(".", "__")

    def IsInternal(self) -> bool:  # noqa: N802
        return bool(self._row["is_internal"])

    def HasRandomSeedArg(self) -> bool:  # noqa: N802
        return bool(self._row["is_random"])

    def _parameter(self, name: str) -> Row:
        if name not in self._parameters:
            raise KeyError(f"{self._name} has no argument '{name}'")
        parameter: Row = self._parameters[name]
        return parameter


class OpSpec:
    """How an operator was set up: its schema and the arguments that it was given."""

    def __init__(self, schema: OpSchema, device: str, arguments: Mapping[str, Any]) -> None:
        self.schema = schema
        self.device = device
        self.arguments = dict(arguments)

    def __repr__(self) -> str:
        lines = [f"OpSpec for {self.schema.Name()}:", "  Arguments:", f"    device: {self.device}"]
        return "\n".join([*lines, *(f"    {name}: {value}" for name, value in self.arguments.items())])
