"""versitygw for tests: a real S3 server over a temporary folder, and what it takes to fill it."""

from __future__ import annotations

import ctypes
import datetime
import hashlib
import hmac
import http.client
import os
import pathlib
import re
import select
import signal
import subprocess
import urllib.parse

ACCESS_KEY = "forebay-test"
SECRET_KEY = "only/for+tests"
REGION = "us-east-1"
HOST = "127.0.0.1"
PR_SET_PDEATHSIG = 1


def program() -> pathlib.Path | None:
    """Where the server is, if it is there: in $FOREBAY_TEST_SERVERS or in build/servers (tools/servers.sh)."""
    folder = os.environ.get("FOREBAY_TEST_SERVERS") or pathlib.Path(__file__).parents[3] / "build" / "servers"
    path = pathlib.Path(folder) / "versitygw"
    return path if os.access(path, os.X_OK) else None


def end_with_starter() -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def listening_port(process: int) -> int | None:
    """The port on which a process listens, once it does."""
    sockets = set()
    for link in pathlib.Path(f"/proc/{process}/fd").iterdir():
        try:
            sockets.update(re.findall(r"socket:\[(\d+)\]", os.readlink(link)))
        except FileNotFoundError:
            continue  # closed meanwhile
    for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]:
        columns = line.split()
        if columns[3] == "0A" and columns[9] in sockets:
            return int(columns[1].rpartition(":")[2], 16)
    return None


class S3Server:
    """Listens on the loopback interface and ends with whoever started it."""

    def __init__(self, folder: pathlib.Path) -> None:
        command = [str(program()), "--port", f"{HOST}:0", "--keep-alive", "--quiet", "posix", str(folder)]
        keys = {"ROOT_ACCESS_KEY": ACCESS_KEY, "ROOT_SECRET_KEY": SECRET_KEY}
        self.process = subprocess.Popen(command, env=keys, stdout=subprocess.DEVNULL, preexec_fn=end_with_starter)
        self.port = self._wait_for_port()
        self._connections: list[http.client.HTTPConnection] = []  # that nobody uses

    def _wait_for_port(self) -> int:
        ended = select.poll()
        descriptor = os.pidfd_open(self.process.pid)
        ended.register(descriptor, select.POLLIN)
        try:
            while (port := listening_port(self.process.pid)) is None:
                if ended.poll(5):
                    raise RuntimeError("versitygw ended before it listened")
            return port
        finally:
            os.close(descriptor)

    def environment(self) -> dict[str, str]:
        """The variables by which its clients find it."""
        return {
            "AWS_ENDPOINT_URL": f"http://{HOST}:{self.port}",
            "AWS_ACCESS_KEY_ID": ACCESS_KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
            "AWS_REGION": REGION,
            "AWS_EC2_METADATA_DISABLED": "true",
            "no_proxy": HOST,
        }

    def put(self, path: str, content: bytes = b"") -> None:
        """Stores an object (`bucket/key`), or makes a bucket."""
        target = "/" + urllib.parse.quote(path)
        while True:
            try:
                connection, is_used = self._connections.pop(), True
            except IndexError:
                connection, is_used = http.client.HTTPConnection(HOST, self.port), False
            try:
                connection.request("PUT", target, content, self._signed(target, content))
                answer = connection.getresponse()
                text = answer.read()
                break
            except (OSError, http.client.HTTPException):
                connection.close()
                if not is_used:  # else the server has closed it meanwhile
                    raise
        self._connections.append(connection)
        assert answer.status == 200, text

    def put_folder(self, bucket: str, folder: pathlib.Path) -> None:
        """Makes a bucket of the files of a folder."""
        self.put(bucket)
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                self.put(f"{bucket}/{path.relative_to(folder)}", path.read_bytes())

    def _signed(self, target: str, content: bytes) -> dict[str, str]:
        now = datetime.datetime.now(datetime.UTC).strftime("%Y%m%dT%H%M%SZ")
        digest = hashlib.sha256(content).hexdigest()
        headers = {"host": f"{HOST}:{self.port}", "x-amz-content-sha256": digest, "x-amz-date": now}
        names = ";".join(headers)
        lines = "".join(f"{name}:{value}\n" for name, value in headers.items())
        request = f"PUT\n{target}\n\n{lines}\n{names}\n{digest}"
        scope = f"{now[:8]}/{REGION}/s3/aws4_request"
        text = f"AWS4-HMAC-SHA256\n{now}\n{scope}\n{hashlib.sha256(request.encode()).hexdigest()}"
        key = f"AWS4{SECRET_KEY}".encode()
        for part in scope.split("/"):
            key = hmac.digest(key, part.encode(), "sha256")
        signature = hmac.digest(key, text.encode(), "sha256").hex()
        credential = f"Credential={ACCESS_KEY}/{scope}"
        headers["authorization"] = f"AWS4-HMAC-SHA256 {credential}, SignedHeaders={names}, Signature={signature}"
        return headers

    def stop(self) -> None:
        for connection in self._connections:
            connection.close()
        self.process.kill()
        self.process.wait()
