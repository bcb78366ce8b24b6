"""A server that speaks as much of S3 as listing and reading take, for names that a server over files cannot have."""

from __future__ import annotations

import contextlib
import http.server
import threading
import urllib.parse
import xml.sax.saxutils
from collections.abc import Iterator
from typing import Any

BUCKET = "odd"


class OddBucket(http.server.ThreadingHTTPServer):
    """Holds the objects {key: content} of one bucket, which is called `odd`."""

    def __init__(self, objects: dict[str, bytes]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.objects = objects

    def environment(self) -> dict[str, str]:
        return {"AWS_ENDPOINT_URL": f"http://{self.server_address[0]!s}:{self.server_port}", "AWS_ACCESS_KEY_ID": "test",
                "AWS_SECRET_ACCESS_KEY": "test", "AWS_REGION": "us-east-1"}

    def listing(self, query: dict[str, str]) -> bytes:
        prefix, delimiter = query.get("prefix", ""), query.get("delimiter", "")
        keys, prefixes = [], set()
        for key in sorted(self.objects):
            if not key.startswith(prefix):
                continue
            folder, found, _ = key[len(prefix):].partition(delimiter) if delimiter else ("", "", "")
            if found:
                prefixes.add(prefix + folder + delimiter)
            else:
                keys.append(key)
        encode = urllib.parse.quote if query.get("encoding-type") == "url" else xml.sax.saxutils.escape
        contents = "".join(f"<Contents><Key>{encode(key)}</Key><Size>{len(self.objects[key])}</Size>"
                           f'<ETag>"{key.encode().hex()}"</ETag></Contents>' for key in keys)
        folders = "".join(f"<CommonPrefixes><Prefix>{encode(each)}</Prefix></CommonPrefixes>" for each in sorted(prefixes))
        encoding = "<EncodingType>url</EncodingType>" if "encoding-type" in query else ""
        return (f"<ListBucketResult>{encoding}<IsTruncated>false</IsTruncated>{contents}{folders}"
                "</ListBucketResult>").encode()


class Handler(http.server.BaseHTTPRequestHandler):
    server: OddBucket
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self.answer()

    def do_GET(self) -> None:
        self.answer()

    def answer(self) -> None:
        path, _, query = self.path.partition("?")
        key = urllib.parse.unquote(path.removeprefix(f"/{BUCKET}").removeprefix("/"))
        if not key:
            body = self.server.listing(dict(urllib.parse.parse_qsl(query)))
            self.reply(200, body, {})
        elif key in self.server.objects:
            self.reply(200, self.server.objects[key], {"ETag": f'"{key.encode().hex()}"'})
        else:
            self.reply(404, b"<Error><Code>NoSuchKey</Code></Error>", {})

    def reply(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@contextlib.contextmanager
def odd_bucket(objects: dict[str, bytes]) -> Iterator[OddBucket]:
    with OddBucket(objects) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
