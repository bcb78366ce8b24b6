"""wheel_licenses.py WHEEL FOLDER: writes the wheel to the folder, with the licences of the libraries that auditwheel put
into it, as Debian's packages state them."""

import base64
import hashlib
import pathlib
import re
import subprocess
import sys
import zipfile

DOCUMENTS = pathlib.Path("/usr/share/doc")


def grafted_libraries(wheel: zipfile.ZipFile) -> list[str]:
    """The names that the libraries have in the system: auditwheel adds a hash."""
    names = [pathlib.PurePath(name).name for name in wheel.namelist() if re.match(r"forebay\.libs/.+\.so", name)]
    return sorted(re.sub(r"-[0-9a-f]{8}(?=[.-])", "", name, count=1) for name in names)


def package_of(library: str) -> str:
    """The Debian package that has the library."""
    searched = subprocess.run(["dpkg", "--search", f"*/{library}"], capture_output=True, text=True, check=True)
    return searched.stdout.split(":")[0]


def licences(libraries: list[str]) -> dict[str, bytes]:
    """{package: what its licence file says}."""
    packages = sorted({package_of(library) for library in libraries})
    return {package: (DOCUMENTS / package / "copyright").read_bytes() for package in packages}


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
