"""Lets .venv use a build folder: `import forebay` and the program `forebay`, with nothing copied.

BUILD/python/forebay becomes a folder of links: to every entry of python/forebay and to the built module. One .pth
file in .venv names BUILD/python. Edits to Python files are seen at once; only C++ needs `make build`. Beside the package
lies what an installer would write of it, so that fsspec finds `forebay://` by its entry point.
"""

import pathlib
import shutil
import sys
import sysconfig
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent


def point(link: pathlib.Path, target: pathlib.Path) -> None:
    """Makes `link` a symbolic link to `target`, replacing an older one."""
    if link.is_symlink() and link.readlink() == target:
        return
    link.unlink(missing_ok=True)
    link.symlink_to(target)


def link_package(build: pathlib.Path) -> pathlib.Path:
    """The package folder of links; returns the folder that belongs on the module path."""
    package = build / "python" / "forebay"
    package.mkdir(parents=True, exist_ok=True)
    entries = [entry for entry in (ROOT / "python" / "forebay").iterdir() if entry.name != "__pycache__"]
    entries += (build / "python" / "bindings").glob("_*.so")
    entries.append(ROOT / "examples")  # `forebay demo` runs them from within the package
    targets = {entry.name: entry for entry in entries}
    targets["include"] = ROOT / "src"  # forebay.sysconfig: what compiles operators outside
    targets["cmake"] = build / "plugin_package"
    for name, target in targets.items():
        if package / name != target:
            point(package / name, target)
    for stale in package.iterdir():
        if stale.is_symlink() and stale.name not in targets:
            stale.unlink()
    return package.parent


def write_if_new(path: pathlib.Path, text: str) -> None:
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def write_metadata(module_path: pathlib.Path) -> None:
    """The folder that importlib.metadata reads: name, version, entry points. Those of other versions are removed."""
    version = (ROOT / "VERSION").read_text().strip()
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    lines = []
    for group, entries in groups.items():
        lines += [f"[{group}]", *(f"{name} = {target}" for name, target in entries.items()), ""]
    folder = module_path / f"forebay-{version}.dist-info"
    for other in module_path.glob("forebay-*.dist-info"):
        if other != folder:
            shutil.rmtree(other)
    folder.mkdir(parents=True, exist_ok=True)
    write_if_new(folder / "METADATA", f"Metadata-Version: 2.1\nName: forebay\nVersion: {version}\n")
    write_if_new(folder / "entry_points.txt", "\n".join(lines))


def main() -> None:
    build = (ROOT / sys.argv[1]).resolve()
    module_path = link_package(build)
    write_metadata(module_path)
    site = pathlib.Path(sysconfig.get_paths()["purelib"])
    (site / "forebay.pth").write_text(f"{module_path}\n")
    program = build / "src" / "forebay" / "cli" / "forebay"
    if program.exists():
        point(pathlib.Path(sys.prefix) / "bin" / "forebay", program)


if __name__ == "__main__":
    main()
