"""Hadoop's own small cluster for tests: a real HDFS in one Java process, and what it takes to fill it."""

from __future__ import annotations

import http.client
import os
import pathlib
import re
import select
import shutil
import subprocess
import urllib.parse

from s3_server import end_with_starter

USER = "tester"
READY = "</configuration>"


def program() -> pathlib.Path | None:
    """The folder of its Java archives, if it and Java are there: in $FOREBAY_TEST_SERVERS or in build/servers."""
    folder = os.environ.get("FOREBAY_TEST_SERVERS") or pathlib.Path(__file__).parents[3] / "build" / "servers"
    path = pathlib.Path(folder) / "hadoop"
    return path if shutil.which("java") and path.is_dir() else None


class HdfsServer:
    """Listens on the loopback interface and ends with whoever started it."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.settings = folder / "settings.xml"  # written once the cluster serves
        java = shutil.which("java")
        assert java is not None
        command = [
            java,
            "-Xmx512m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Djava.net.preferIPv4Stack=true",
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            f"-Djava.io.tmpdir={folder}",
            f"-Dtest.build.data={folder}/data",
            "-cp",
            f"{program()}/*",
            "org.apache.hadoop.test.MiniDFSClusterManager",
            *("-format", "-datanodes", "1", "-nnport", "0", "-httpport", "0"),
            *("-D", "dfs.permissions.enabled=false", "-writeConfig", str(self.settings)),
        ]
        self.process = subprocess.Popen(
            command,
            env={"HOME": str(folder)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=end_with_starter,
        )
        self.authority = self._wait_for_namenode()

    def _wait_for_namenode(self) -> str:
        ended = select.poll()
        descriptor = os.pidfd_open(self.process.pid)
        ended.register(descriptor, select.POLLIN)
        try:
            while not self.settings.exists() or not self.settings.read_text().endswith(READY):
                if ended.poll(5):
                    raise RuntimeError("the cluster ended before it served")
        finally:
            os.close(descriptor)
        found = re.search(r"<name>dfs\.namenode\.http-address</name><value>([^<]+)<", self.settings.read_text())
        assert found is not None
        return found[1]

    def put(self, path: str, content: bytes) -> None:
        """Stores a file by its absolute path."""
        place = f"/webhdfs/v1{urllib.parse.quote(path)}"
        query = f"?op=CREATE&overwrite=true&user.name={USER}"
        location = self._put(self.authority, place + query, b"", 307)
        datanode = urllib.parse.urlsplit(location)
        self._put(datanode.netloc, f"{datanode.path}?{datanode.query}", content, 201)

    def put_folder(self, place: str, folder: pathlib.Path) -> None:
        """Stores the files of a folder below an absolute path."""
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                self.put(f"{place}/{path.relative_to(folder)}", path.read_bytes())

    @staticmethod
    def _put(host: str, target: str, content: bytes, expected: int) -> str:
        connection = http.client.HTTPConnection(host)
        connection.request("PUT", target, content)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        assert answer.status == expected, text
        return answer.headers.get("Location", "")

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
