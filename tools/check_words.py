"""What must not stand in the project: paths of one machine, hosts of one network, unfinished work.

Every text file is looked at, this one apart.
"""

import re
import sys

import project_files

FORBIDDEN = {
    "a path of one machine": re.compile(r"(?<![\w./])/(work|root|home/\w+)/|[\"'(]/tmp/(?!forebay)[\w.]"),
    "an address of one network": re.compile(r"https?://(10|127|192\.168|172\.(1[6-9]|2\d|3[01]))\.[\d.]+(?!:)"
                                            r"|[\w-]+\.(internal|corp|intranet|local)\b(?=[:/])"),
    "unfinished work": re.compile(r"\b(TODO|FIXME|XXX|HACK)\b|[Nn]ot (yet )?implemented"),
}
TEXT_SUFFIXES = {".h", ".cc", ".cu", ".py", ".pyi", ".md", ".sh", ".txt", ".cmake", ".toml", ".json", ""}
THIS = "tools/check_words.py"


def main() -> int:
    findings = []
    count = 0
    for path in project_files.files():
        if path.suffix not in TEXT_SUFFIXES or project_files.name(path) == THIS:
            continue
        count += 1
        try:
            lines = path.read_text().splitlines()
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(lines, 1):
            for what, pattern in FORBIDDEN.items():
                if pattern.search(line):
                    findings.append(f"{project_files.name(path)}:{number}: {what}: {line.strip()[:100]}")
    return project_files.finish("words", findings, f"{count} files")


if __name__ == "__main__":
    sys.exit(main())
