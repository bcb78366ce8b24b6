"""A folder knows only folders of lower rank, and of those only the ones its DEPS line names.

Reads the forebay_layer(... DEPS ...) lines that CMake reads. `base` is open to all; DEPS are not transitive. The
program folders (rank 8) and what lies outside src/ may include everything.
"""

import pathlib
import re
import sys

import tree

RANKS = {
    "base": 0,
    "memory": 1, "engine": 1,
    "tensor": 2, "cuda": 2, "net": 2,
    "codec": 3, "kernels": 3, "storage": 3, "exchange": 3,
    "dataset": 4, "cache": 4, "ndarray": 4,
    "operators": 5, "control": 5, "cluster": 5, "s3_gateway": 5, "fuse": 5,
    "pipeline": 6, "plugin": 6,
    "serving": 7,
    "cli": 8, "daemon": 8,
}
TOP_RANK = 8
SOURCE = tree.ROOT / "src" / "forebay"
LAYER = re.compile(r"forebay_layer\(\s*(\w+)([^)]*)\)")
# What protoc makes of a NAME.proto.
FROM_PROTO = re.compile(r"\.(?:grpc\.)?pb\.h$")
INCLUDE = re.compile(r'^\s*#\s*(?:include|define\s+HWY_TARGET_INCLUDE)\s*(["<])([^">]+)[">]', re.MULTILINE)
KEYWORDS = {"DEPS", "LIBS", "ALONE", "WHOLE", "FAST"}


def words_after(keyword: str, arguments: str) -> list[str]:
    """The words of a CMake call between `keyword` and the next keyword."""
    taken: list[str] = []
    taking = False
    for word in re.sub(r"#.*", "", arguments).split():
        if word in KEYWORDS:
            taking = word == keyword
        elif taking:
            taken.append(word)
    return taken


def read_layers() -> tuple[dict[str, list[str]], list[str]]:
    """{folder: DEPS} of every folder with a CMakeLists.txt, and what is wrong with those lines."""
    layers: dict[str, list[str]] = {}
    findings: list[str] = []
    for cmake in sorted(SOURCE.glob("*/CMakeLists.txt")):
        folder = cmake.parent.name
        call = LAYER.search(cmake.read_text())
        if folder not in RANKS:
            findings.append(f"{tree.name(cmake)}: folder {folder} has no rank")
        elif call is None and RANKS[folder] < TOP_RANK:
            findings.append(f"{tree.name(cmake)}: no forebay_layer(...) line")
        elif call is not None and call[1] != folder:
            findings.append(f"{tree.name(cmake)}: forebay_layer({call[1]}) in folder {folder}")
        layers[folder] = words_after("DEPS", call[2]) if call else []
    return layers, findings


def check_ranks(layers: dict[str, list[str]]) -> list[str]:
    """DEPS that do not exist or do not lie below."""
    findings = []
    for folder, deps in layers.items():
        for dep in deps:
            if dep not in layers:
                findings.append(f"{folder}: DEPS names {dep}, which does not exist")
            elif RANKS[dep] >= RANKS[folder]:
                findings.append(f"{folder} (rank {RANKS[folder]}): DEPS names {dep} (rank {RANKS[dep]})")
    return findings


def check_include(path: pathlib.Path, folder: str, included: str, quote: str, allowed: set[str]) -> str:
    """What is wrong with one include, or ''."""
    parts = included.split("/")
    if parts[0] == "forebay" and len(parts) > 2:
        generated = included.startswith("forebay/generated/")
        source = tree.ROOT / "src" / FROM_PROTO.sub(".proto", included)
        if not generated and not included.endswith(".inc") and not source.exists():
            return f"{tree.name(path)}: {included} does not exist"
        if folder and RANKS.get(folder, 0) < TOP_RANK and not generated and parts[1] not in allowed:
            return f"{tree.name(path)}: includes {included}, but {folder} may know only {', '.join(sorted(allowed))}"
        return ""
    if folder and quote == '"' and (len(parts) == 1 or parts[0] == ".."):
        return f'{tree.name(path)}: "{included}" must read "forebay/<folder>/<file>.h"'
    if folder and folder != "cuda" and path.suffix != ".cu" and included.startswith("cuda"):
        return f"{tree.name(path)}: CUDA headers belong to cuda/ and *.cu"
    return ""


def check_includes(layers: dict[str, list[str]]) -> tuple[list[str], int]:
    """Includes that a folder's DEPS do not allow, and how many were looked at."""
    findings = []
    count = 0
    for path in tree.sources():
        inside = SOURCE in path.parents
        folder = path.relative_to(SOURCE).parts[0] if inside else ""
        allowed = {"base", folder, *layers.get(folder, [])}
        for quote, included in INCLUDE.findall(path.read_text()):
            count += 1
            finding = check_include(path, folder, included, quote, allowed)
            if finding:
                findings.append(finding)
    return findings, count


def main() -> int:
    layers, findings = read_layers()
    findings += check_ranks({folder: deps for folder, deps in layers.items() if folder in RANKS})
    wrong_includes, count = check_includes(layers)
    return tree.finish("layers", findings + wrong_includes, f"{len(layers)} folders, {count} includes")


if __name__ == "__main__":
    sys.exit(main())
