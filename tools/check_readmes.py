"""Every folder of the source has a README of at most 25 lines, and what READMEs and pages name exists.

A name is text in backquotes that looks like a file or folder (it has a known suffix or ends in a slash), or the target
of a relative link. It is looked for beside the page, from the root, and under src/forebay.
"""

import pathlib
import re
import sys

import project_files

MAX_LINES = 25
SUFFIXES = ("h", "cc", "cu", "py", "pyi", "md", "sh", "txt", "cmake", "toml", "json")
QUOTED = re.compile(r"`([\w./{},*-]+)`")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
FILE_NAME = re.compile(rf"^[\w./-]+(\.({'|'.join(SUFFIXES)})|/)$")
# What a build or a run leaves, which no clone holds.
MADE = ("build/", "dist/", "demo/", ".venv/", ".peers/", ".fuzz/")


def spell_out(name: str) -> list[str]:
    """`a.{h,cc}` and `a.h/.cc` name two files each."""
    braces = re.match(r"^(.*)\{([^}]*)\}(.*)$", name)
    if braces:
        return [braces[1] + middle.strip() + braces[3] for middle in braces[2].split(",")]
    pair = re.match(r"^(.*)(\.\w+)/(\.\w+)$", name)
    if pair:
        return [pair[1] + pair[2], pair[1] + pair[3]]
    return [name]


def exists(page: pathlib.Path, name: str) -> bool:
    if name.startswith(MADE) or name.startswith(("/", "http")):
        return True
    places = (page.parent, project_files.ROOT, project_files.ROOT / "src" / "forebay", project_files.ROOT / "src", project_files.ROOT / "python")
    if "*" in name:
        return any(next(place.glob(name), None) is not None for place in places)
    return any((place / name).exists() for place in places)


def missing_names(page: pathlib.Path) -> list[str]:
    """Files that the page names and that do not exist."""
    text = FENCE.sub("", page.read_text())
    quoted = (part for name in QUOTED.findall(text) for part in spell_out(name))
    names = [name for name in quoted if FILE_NAME.match(name.replace("*", ""))]
    names += [name for name in LINK.findall(text) if "://" not in name and not name.startswith("mailto:")]
    return [f"{project_files.name(page)}: names {name}, which does not exist" for name in names if not exists(page, name)]


def folder_findings(folder: pathlib.Path) -> list[str]:
    readme = folder / "README.md"
    if not readme.exists():
        return [f"{project_files.name(folder)}: no README.md"]
    lines = len(readme.read_text().splitlines())
    return [f"{project_files.name(readme)}: {lines} lines, at most {MAX_LINES}"] if lines > MAX_LINES else []


def main() -> int:
    folders = sorted(path.parent for path in (project_files.ROOT / "src" / "forebay").glob("*/CMakeLists.txt"))
    findings = [finding for folder in folders for finding in folder_findings(folder)]
    pages = [path for path in project_files.files() if path.suffix == ".md" and path.name != "CHANGELOG.md"]
    for page in pages:
        findings += missing_names(page)
    return project_files.finish("readmes", findings, f"{len(folders)} folders, {len(pages)} pages")


if __name__ == "__main__":
    sys.exit(main())
