"""forebay preload --verify, of a mount of local files that are said to lie on something slow."""

import json
import os
import subprocess
import sys
import sysconfig

import bringing

import forebay

ENVIRONMENT = "forebay"
PROGRAM = os.path.join(sysconfig.get_path("scripts"), "forebay")


def bring(files, place):
    environment = {**os.environ, "FOREBAY_HOME": str(place / "home")}
    daemon = subprocess.Popen([PROGRAM, "daemon", "--least-free", "0"], env=environment, stdout=subprocess.PIPE,
                              text=True)
    try:
        assert "serving at" in daemon.stdout.readline()
        mount = [PROGRAM, "mount", "/slow", str(files), "--read-only", "--option", "cache=on"]
        subprocess.run(mount, env=environment, check=True)
        figures = bringing.timed([PROGRAM, "preload", "/slow", "--verify"], environment)
        check(environment, sum(1 for _ in files.rglob("*.bin")))
    finally:
        daemon.terminate()
        daemon.wait()
    return figures


def check(environment, count):
    """All is there: nothing is fetched by a second preload."""
    again = subprocess.run([PROGRAM, "preload", "/slow", "--json"], env=environment, capture_output=True, text=True,
                           check=True)
    counts = json.loads(again.stdout)
    if counts["objects"] != count or counts["fetched_objects"] != 0:
        sys.exit(f"not all of {count} files are in the cache: {counts}")


if __name__ == "__main__":
    bringing.measure(bring, {"forebay": forebay.__version__})
