"""What the operator table says of an operator, under the names of DALI's schemas."""

from __future__ import annotations

from typing import Any, Mapping

Row = Mapping[str, Any]


class OpSchema:
    """One row of the operator table."""

    def __init__(self, row: Row, name: str) -> None:
        self._row = row
        self._name = name
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
