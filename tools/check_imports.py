"""The modules of the Python package import each other in no circle, wherever in a file the import stands.

Read from the syntax trees: imports at the margin and inside of functions, and importlib.import_module of a name in
quotes. Not counted are imports under `if TYPE_CHECKING`, which never run, and the C++ module.
"""

import ast
import pathlib
import sys
from collections.abc import Iterator

import project_files

PACKAGE = project_files.ROOT / "python" / "forebay"
Graph = dict[str, set[str]]


def module_name(path: pathlib.Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def is_for_types_only(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def running_code(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes below `node` that can run."""
    for child in ast.iter_child_nodes(node):
        if not is_for_types_only(child):
            yield child
            yield from running_code(child)


def origin_of(node: ast.ImportFrom, package: str) -> str:
    """The module that `from X import ...` names, seen from a module in `package`."""
    if node.level == 0:
        return node.module or ""
    above = package.split(".")
    above = above[: len(above) - (node.level - 1)]
    return ".".join([*above, *([node.module] if node.module else [])])


def imported_names(node: ast.AST, package: str) -> list[str]:
    """What one statement or call imports, as dotted names; some are of functions or classes in a module."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        origin = origin_of(node, package)
        return [f"{origin}.{alias.name}" for alias in node.names]
    if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
        return [ast.literal_eval(name) for name in node.args[:1] if isinstance(name, ast.Constant)]
    return []


def read_imports(paths: list[pathlib.Path]) -> Graph:
    """{module: the modules of the package that it imports}"""
    modules = {module_name(path): path for path in paths}
    graph: Graph = {}
    for module, path in modules.items():
        package = module if path.name == "__init__.py" else module.rpartition(".")[0]
        found = (name for node in running_code(ast.parse(path.read_text())) for name in imported_names(node, package))
        known = {*modules, f"{PACKAGE.name}._core"}
        targets = {name if name in known else name.rpartition(".")[0] for name in found}
        graph[module] = {target for target in targets if target in modules and target != module}
    return graph


def circle_from(start: str, graph: Graph) -> list[str]:
    """The shortest way from `start` back to it, or nothing."""
    ways = [[start]]
    seen: set[str] = set()
    for way in ways:
        for target in sorted(graph[way[-1]]):
            if target == start:
                return [*way, start]
            if target not in seen:
                seen.add(target)
                ways.append([*way, target])
    return []


def find_circles(graph: Graph) -> list[list[str]]:
    """Circles, no two of which share a module."""
    circles: list[list[str]] = []
    for module in sorted(graph):
        circle = circle_from(module, graph)
        if circle and not any(set(circle) & set(other) for other in circles):
            circles.append(circle)
    return circles


def main() -> int:
    paths = [path for path in project_files.files() if PACKAGE in path.parents and path.suffix == ".py"]
    graph = read_imports(paths)
    findings = [" -> ".join(circle) for circle in find_circles(graph)]
    return project_files.finish("imports", findings, f"{len(graph)} modules")


if __name__ == "__main__":
    sys.exit(main())
