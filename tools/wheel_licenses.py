"""wheel_licenses.py WHEEL FOLDER: writes the wheel to the folder, with the licences of the libraries that auditwheel put
into it, and of those that are linked statically, as Debian's packages state them."""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import zipfile

DOCUMENTS = pathlib.Path("/usr/share/doc")
LINKED_STATICALLY = {"liburing-dev"}
COMMON = pathlib.Path("/usr/share/common-licenses")


def grafted_libraries(wheel: zipfile.ZipFile) -> list[str]:
    """The names that the libraries have in the system: auditwheel adds a hash."""
    names = [pathlib.PurePath(name).name for name in wheel.namelist() if re.match(r"forebay\.libs/.+\.so", name)]
    return sorted(re.sub(r"-[0-9a-f]{8}(?=[.-])", "", name, count=1) for name in names)


def folders_of_libraries() -> set[str]:
    """Where the linker finds them, and where its links lead."""
    listed = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    paths = [pathlib.Path(line.split("=> ")[1]) for line in listed.splitlines() if "64" in line.split("=>")[0]]
    return {os.path.realpath(path.parent) for path in paths} | {str(path.resolve().parent) for path in paths}


def package_of(library: str, folders: set[str]) -> str:
    """The Debian package that has the library."""
    searched = subprocess.run(["dpkg", "--search", f"*/{library}"], capture_output=True, text=True, check=False)
    owners = set()
    for line in searched.stdout.splitlines():
        packages, _, path = line.rpartition(": ")
        if os.path.realpath(pathlib.Path(path).parent) in folders and not packages.startswith("diversion "):
            owners.update(package.partition(":")[0] for package in packages.split(", "))
    if len(owners) != 1:
        sys.exit(f"{library}: which Debian package has it is not clear: {sorted(owners) or 'none'}")
    return owners.pop()


def licences(libraries: list[str]) -> dict[str, bytes]:
    """{package: what its licence file says}, and the whole texts that these name."""
    folders = folders_of_libraries()
    packages = sorted({package_of(library, folders) for library in libraries} | LINKED_STATICALLY)
    texts = {package: (DOCUMENTS / package / "copyright").read_bytes() for package in packages}
    named = {name for text in texts.values() for name in re.findall(rb"/usr/share/common-licenses/([\w.+-]+\w)", text)}
    wholes = {f"common/{path.name}": path.read_bytes() for path in sorted(COMMON.iterdir()) if path.name.encode() in named}
    return {**texts, **wholes}


def record_line(name: str, content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def write_with(wheel: zipfile.ZipFile, target: pathlib.Path, texts: dict[str, bytes]) -> None:
    """A copy of the wheel that has these licences, too, and says so in its record."""
    (record,) = (name for name in wheel.namelist() if name.endswith(".dist-info/RECORD"))
    folder = record.rpartition("/")[0] + "/licenses/libraries"
    added = {f"{folder}/{package}": text for package, text in texts.items()}
    lines = wheel.read(record).decode() + "".join(record_line(name, text) for name, text in added.items())
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as copy:
        for item in wheel.infolist():
            if item.filename != record:
                copy.writestr(item, wheel.read(item), zipfile.ZIP_DEFLATED)
        for name, text in added.items():
            copy.writestr(name, text)
        copy.writestr(record, lines)


def main() -> None:
    source, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(source) as wheel:
        write_with(wheel, folder / source.name, licences(grafted_libraries(wheel)))


if __name__ == "__main__":
    main()
