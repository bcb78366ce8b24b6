"""cp -r."""

import subprocess

import bringing

ENVIRONMENT = "forebay"


def bring(files, place):
    return bringing.timed(["cp", "-r", str(files), str(place / "copy")])


if __name__ == "__main__":
    version = subprocess.run(["cp", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    bringing.measure(bring, {"cp": version.rpartition(" ")[2]})
