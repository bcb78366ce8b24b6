"""Prints what has grown beyond its aim: files over 300 lines, functions over 60. Fails only on files over 500. Prints
the median of the lines of an operator's file, too, which shall stay small.

Functions are found by shape: in C++ a line at the margin that opens a block and the `}` at the margin that ends it, in
Python by the syntax tree. Good enough to print outliers, and quick.
"""

import ast
import pathlib
import re
import statistics
import sys

import project_files

FILE_AIM = 300
FILE_LIMIT = 500
FUNCTION_AIM = 60
# A block at the margin that is no function.
NO_FUNCTION = re.compile(r"^(namespace|class|struct|enum|union|extern|#|template\b.*(class|struct) \w+[^(]*$)|=\s*\{$")
# What the file of an operator has at its end: the function that describes it.
OPERATOR = re.compile(r"^OperatorSpec \w+\(\) \{", re.MULTILINE)
OPERATORS = "src/forebay/operators/"
FUNCTION_NAME = re.compile(r"([\w:~]+)\s*\(")


def cc_functions(lines: list[str]) -> list[tuple[str, int, int]]:
    """(name, first line, length) of functions that stand at the margin."""
    functions = []
    start = 0
    signature = ""
    for number, line in enumerate(lines, 1):
        if start and line.startswith("}"):
            name = FUNCTION_NAME.search(signature)
            if name:
                functions.append((name[1], start, number - start + 1))
            start = 0
        elif not start and line and line[0] not in " \t}/#":
            signature = line if line.rstrip().endswith(("{", ",", "(", ")")) else ""
            if signature.rstrip().endswith("{") and not NO_FUNCTION.search(signature):
                start = number
        elif not start and signature and line.startswith(" ") and line.rstrip().endswith("{"):
            start = number
    return functions


def py_functions(text: str) -> list[tuple[str, int, int]]:
    nodes = ast.walk(ast.parse(text))
    functions = (node for node in nodes if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))
    return [(node.name, node.lineno, (node.end_lineno or node.lineno) - node.lineno + 1) for node in functions]


def outliers(path: pathlib.Path) -> tuple[list[str], bool]:
    """Lines to print, and whether the file is over the limit."""
    text = path.read_text()
    lines = text.splitlines()
    found = [f"{project_files.name(path)}: {len(lines)} lines"] if len(lines) > FILE_AIM else []
    functions = py_functions(text) if path.suffix == ".py" else cc_functions(lines)
    for name, first, length in functions:
        if length > FUNCTION_AIM:
            found.append(f"{project_files.name(path)}:{first}: {name} has {length} lines")
    return found, len(lines) > FILE_LIMIT


def operator_lines(paths: list[pathlib.Path]) -> list[int]:
    """The lines of each file that holds an operator."""
    files = (path for path in paths if project_files.name(path).startswith(OPERATORS) and not path.stem.endswith("_test"))
    texts = (path.read_text() for path in files)
    return [len(text.splitlines()) for text in texts if OPERATOR.search(text)]


def main() -> int:
    paths = project_files.sources() + [path for path in project_files.files() if path.suffix == ".py"]
    over = []
    for path in paths:
        found, too_long = outliers(path)
        for line in found:
            print(f"  {line}")
        if too_long:
            over.append(f"{project_files.name(path)} is over {FILE_LIMIT} lines")
    lines = operator_lines(paths)
    if lines:
        print(f"  the file of an operator has {statistics.median(lines):g} lines (the median of {len(lines)} files)")
    return project_files.finish("sizes", over, f"{len(paths)} files; aims: {FILE_AIM} lines a file, {FUNCTION_AIM} a function")


if __name__ == "__main__":
    sys.exit(main())
