"""nginx for tests: a real web server over a folder."""

from __future__ import annotations

import ctypes
import os
import pathlib
import shutil
import signal
import socket
import subprocess

HOST = "127.0.0.1"
PR_SET_PDEATHSIG = 1
CONFIGURATION = """
daemon off;
user root;
worker_processes 1;
pid {state}/pid;
error_log {state}/error.log error;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  log_format timed '$msec $request_method';
  default_type application/octet-stream;
  client_body_temp_path {state}/body;
  proxy_temp_path {state}/proxy;
  fastcgi_temp_path {state}/fastcgi;
  uwsgi_temp_path {state}/uwsgi;
  scgi_temp_path {state}/scgi;
  server {{
    listen {host}:{port};
    root {root};
    {lines}
  }}
}}
"""


def program() -> str | None:
    """Where the server is, if it is there."""
    return shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")


def end_with_starter() -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


class WebServer:
    """Serves a folder on the loopback interface and ends with whoever started it.

    The socket exists before the server does, which takes it over as from a former nginx: whoever connects meanwhile
    waits.
    """

    def __init__(self, root: pathlib.Path, state: pathlib.Path, lines: str = "") -> None:
        with socket.create_server((HOST, 0), backlog=511) as listening:
            self.port = listening.getsockname()[1]
            configuration = state / "nginx.conf"
            text = CONFIGURATION.format(state=state, host=HOST, port=self.port, root=root, lines=lines)
            configuration.write_text(text)
            self.process = subprocess.Popen(
                [str(program()), "-p", str(state), "-c", str(configuration), "-e", str(state / "start.log")],
                env={"NGINX": f"{listening.fileno()};"},
                pass_fds=[listening.fileno()],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                preexec_fn=end_with_starter,
            )

    def url(self, path: str = "") -> str:
        return f"http://{HOST}:{self.port}/{path}"

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()
