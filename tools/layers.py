"""The folders of src/forebay by rank, as their forebay_layer(... DEPS ...) lines say, which CMake reads too."""

import re

import project_files

RANKS = {
    "base": 0,
    "memory": 1, "engine": 1,
    "tensor": 2, "cuda": 2, "net": 2,
    "codec": 3, "kernels": 3, "storage": 3, "exchange": 3,
    "dataset": 4, "cache": 4, "ndarray": 4,
    "operators": 5, "control": 5, "cluster": 5, "s3_gateway": 5, "fuse": 5,
    "pipeline": 6, "plugin": 6,
    "assembly": 7, "calls": 7, "serving": 7,
    "cli": 8, "daemon": 8,
}
TOP_RANK = 8
SOURCE = project_files.ROOT / "src" / "forebay"
LAYER = re.compile(r"forebay_layer\(\s*(\w+)([^)]*)\)")
KEYWORDS = {"DEPS", "LIBS", "ALONE", "WITHOUT", "WHOLE", "FAST", "WITHOUT_THREADS"}


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
            findings.append(f"{project_files.name(cmake)}: folder {folder} has no rank")
        elif call is None and RANKS[folder] < TOP_RANK:
            findings.append(f"{project_files.name(cmake)}: no forebay_layer(...) line")
        elif call is not None and call[1] != folder:
            findings.append(f"{project_files.name(cmake)}: forebay_layer({call[1]}) in folder {folder}")
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
