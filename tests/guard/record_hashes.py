"""Hashes of what every operator, session and array case gives, with 1 and 2 threads.

    record_hashes.py --to FILE       writes all of them, before a change
    record_hashes.py --against FILE  says what differs from that, after it
    record_hashes.py --check         compares what is exact with hashes.json, as the test does
    record_hashes.py --add           adds cases that are new to hashes.json and takes out those that are gone; what has
                                     become of others is printed, and fails
    record_hashes.py --update        writes hashes.json anew, for a change that is meant to change results

Exact results are promised on every machine and are checked in; those of `close` are compared between numbers of threads,
and before and after on one machine. The build is the one that `tools/build.sh` made last (PRESET=release for the other).
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
CHECKED_IN = HERE / "hashes.json"
CHILD = """
import json, pathlib, sys
import guard_cases
found = guard_cases.everything(int(sys.argv[1]), pathlib.Path(sys.argv[2]))
print(json.dumps({"inputs": guard_cases.inputs_hash(), **found}))
"""


def record(threads: int) -> dict:
    """What a process of its own finds."""
    paths = [str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = os.environ | {"FOREBAY_ARRAY_WORKERS": str(threads), "PYTHONPATH": os.pathsep.join(paths)}
    with tempfile.TemporaryDirectory() as root:
        environment["FOREBAY_CACHE_DIR"] = f"{root}/cache"
        command = [sys.executable, "-c", CHILD, str(threads), f"{root}/data"]
        pathlib.Path(root, "data").mkdir()
        found = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(found.stdout.splitlines()[-1])


def differences(got: dict, wanted: dict, kinds: tuple[str, ...] = ("exact", "close")) -> list[str]:
    """One line each; cases that only one side has are differences too."""
    lines = []
    for kind in kinds:
        for name in got[kind].keys() | wanted[kind].keys():
            one, other = got[kind].get(name), wanted[kind].get(name)
            if one != other:
                why = "is new" if other is None else "is gone" if one is None else f"{other} became {one}"
                lines.append(f"{kind}: {name}: {why}")
    return sorted(lines)


def add_new(found: dict) -> list[str]:
    """Writes hashes.json with the cases of `found`, those that were there as they were; gives what differs of these."""
    was = json.loads(CHECKED_IN.read_text())["exact"]
    exact = {name: was.get(name, value) for name, value in found["exact"].items()}
    write({"inputs": found["inputs"], "exact": exact})
    return differences(found, {"exact": exact}, ("exact",))


def write(hashes: dict) -> None:
    CHECKED_IN.write_text(json.dumps(hashes, indent=1) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    way = parser.add_mutually_exclusive_group(required=True)
    way.add_argument("--to", type=pathlib.Path, metavar="FILE")
    way.add_argument("--against", type=pathlib.Path, metavar="FILE")
    way.add_argument("--check", action="store_true")
    way.add_argument("--add", action="store_true")
    way.add_argument("--update", action="store_true")
    options = parser.parse_args()
    one, two = record(1), record(2)
    lines = [f"2 threads instead of 1: {line}" for line in differences(two, one)]
    if options.to:
        options.to.write_text(json.dumps(one, indent=1))
    elif options.update:
        write({"inputs": one["inputs"], "exact": one["exact"]})
    elif options.add:
        lines += add_new(one)
    else:
        wanted = json.loads((options.against or CHECKED_IN).read_text())
        if one["inputs"] != wanted["inputs"]:
            print("NumPy makes other inputs on this machine; the operators' cases will differ")
        lines += differences(one, wanted, ("exact", "close") if options.against else ("exact",))
    print("\n".join(lines + [f"{len(one['exact'])} exact, {len(one['close'])} close, {len(lines)} differences"]))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
