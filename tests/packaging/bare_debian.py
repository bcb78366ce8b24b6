"""A bare Debian in a folder, by debootstrap: Python, pip and certificates, no compiler and none of our libraries.

What is debootstrapped once is kept in the user's cache, a tar a release.
"""

import os
import pathlib
import shutil
import subprocess
import tempfile

from commands import run

PACKAGES = "python3,python3-pip,python3-venv,ca-certificates"
CERTIFICATES = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "forebay" / "debians"
PASSED_ON = ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "http_proxy", "https_proxy", "no_proxy")

# Mounts and processes of their own, which end with the command.
APART = ("unshare", "--mount", "--pid", "--fork", "--kill-child")

# /proc, for programs that look for libraries beside themselves, and shared memory.
ENTER = """
set -e
mount --make-rprivate /
mount -t proc proc "$0/proc"
if [ "$1" = shared ]; then mount --bind /dev/shm "$0/dev/shm"; else mount -t tmpfs tmpfs "$0/dev/shm"; fi
shift
root=$0
exec chroot "$root" /usr/bin/env -i "$@"
"""


def why_not() -> str:
    """What is missing for it; empty if it can be made."""
    if os.geteuid() != 0:
        return "only root can make a bare Debian"
    if shutil.which("debootstrap") is None:
        return "needs debootstrap: make deps"
    mounting = "mount --make-rprivate / && mount -t proc proc /proc"
    tried = subprocess.run([*APART, "sh", "-c", mounting], capture_output=True, check=False)
    return "" if tried.returncode == 0 else "no namespaces: unshare --mount --pid, or mounting in it, is refused"


def mirror() -> str:
    """Where this machine's packages come from."""
    command = ["apt-get", "indextargets", "--format", "$(SITE)", "Component: main"]
    listed = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()
    return next((site for site in listed if site.endswith("/debian")), "http://deb.debian.org/debian")


def packed(release: str) -> pathlib.Path:
    """A tar of the release as debootstrap leaves it."""
    tar = CACHE / f"{release}.tar"
    if not tar.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as work:
            tree = pathlib.Path(work) / "tree"
            run(*APART, "debootstrap", "--variant=minbase", f"--include={PACKAGES}", release, tree, mirror())
            run("tar", "--create", "--file", f"{work}/half.tar", "--directory", tree, "--exclude=./var/cache/apt", ".")
            os.rename(f"{work}/half.tar", tar)
    return tar


class BareDebian:
    """One of a release ("bookworm"), in an empty folder that is removed by whoever made it. Needs root.
    Its shared memory is its own, unless it is told to share this machine's."""

    def __init__(self, release: str, folder: pathlib.Path, shares_memory: bool = False) -> None:
        self.root = folder
        self._memory = "shared" if shares_memory else "own"
        run("tar", "--extract", "--file", packed(release), "--directory", folder)
        shutil.copy(CERTIFICATES, folder / "host-certificates.crt")
        shutil.copy("/etc/resolv.conf", folder / "etc" / "resolv.conf")

    def run(self, *command: object, **environment: str) -> str:
        """What a command inside printed, once it has ended well. It shares the network, and knows only `environment`
        and where pip finds its index. What it leaves running ends with it."""
        passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        known = {"PATH": "/env/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8",
                 "PIP_CERT": "/host-certificates.crt", "PIP_DISABLE_PIP_VERSION_CHECK": "1",
                 "PIP_ROOT_USER_ACTION": "ignore", **passed, **environment}
        return run(*APART, "sh", "-c", ENTER, self.root, self._memory,
                   *(f"{name}={value}" for name, value in known.items()), *command)
