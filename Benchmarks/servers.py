"""The two hubs under test: how each is started on 127.0.0.1, and stopped with nothing left behind."""

import contextlib
import ctypes
import hashlib
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request

PATIENCE = 20  # seconds for a server to come up, and again to go down


class Unavailable(Exception):
    """A server cannot be started here; the text says why."""


def free_port():
    """A port nobody listens on, below the range from which the generator's own thousands of connections get theirs."""
    while True:
        port = random.randint(20000, 32000)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def die_with_parent():
    """Runs in the child: even if this program is killed outright, no server outlives it."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


class Server:
    """One fresh server with a folder of its own. A context manager: gone, folder and all, at exit."""

    name = ""
    ready_path = "/"

    def __init__(self, durability="process", key=None):
        self.durability = durability
        self.key = key
        self.port = free_port()
        self.folder = None
        self.process = None

    def command(self):
        """The command line; may write files into the folder first."""
        raise NotImplementedError

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="clarion-bench-"))
        try:
            environment = {k: v for k, v in os.environ.items() if not k.startswith("CLARION_")}
            with open(self.folder / "output", "wb") as output:
                self.process = subprocess.Popen(
                    self.command(), stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                    env=environment, start_new_session=True, preexec_fn=die_with_parent,
                )  # fmt: skip
            self.wait_until_ready()
        except BaseException:
            self.__exit__()
            raise
        return self

    def wait_until_ready(self):
        """Returns once the server answers; raises Unavailable with the end of its output if it does not."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self.process.poll() is None:
            with contextlib.suppress(OSError):
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{self.ready_path}", timeout=2):
                    return
            time.sleep(0.02)
        raise Unavailable(f"{self.name} did not start:\n{self.output()}")

    def output(self):
        """The last of what the server printed."""
        return (self.folder / "output").read_text(errors="replace")[-2000:]

    def __exit__(self, *_):
        if self.process:
            self.process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(PATIENCE)
            # Its own session, started above: whatever of it is left goes too.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Clarion(Server):
    """The hub of this project."""

    name = "clarion"
    ready_path = "/readyz"
    executable = None
    options = ()

    def command(self):
        return [
            self.executable, "serve", "--port", str(self.port), "--data", self.folder / "data",
            # All of its streams are of one address.
            "--durability", self.durability, "--max-streams-per-client", "1000000", *self.options,
            *self.credentials(),
        ]  # fmt: skip

    def credentials(self):
        """The options that have it ask for the key, if there is one."""
        if self.key is None:
            return []
        entry = {"name": "bench", "sha256": hashlib.sha256(self.key.encode()).hexdigest(), "publish": ["**"]}
        file = self.folder / "credentials.json"
        file.write_text(json.dumps({"keys": [entry]}))
        return ["--credentials", file]


class Nchan(Server):
    """nginx with the nchan module as Debian packages them, set up for a fair run: see README.md."""

    name = "nchan"
    ready_path = "/nchan_stub_status"
    module = pathlib.Path("/usr/lib/nginx/modules/ngx_nchan_module.so")

    @staticmethod
    def executable():
        """Where nginx is, or None."""
        return shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")

    @classmethod
    def missing(cls):
        """A word on what is absent, or None if it can run."""
        if not cls.executable():
            return "nginx is not installed (Debian: nginx)"
        if not cls.module.exists():
            return "the nchan module is not installed (Debian: libnginx-mod-nchan)"
        return None

    def command(self):
        folder = self.folder
        (folder / "temp").mkdir()
        temporary = "\n".join(
            f"    {kind}_temp_path {folder}/temp;" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        (folder / "nginx.conf").write_text(f"""
load_module {self.module};
{"user root;" if os.geteuid() == 0 else ""}
daemon off;
worker_processes 2;
worker_rlimit_nofile 20000;
pid {folder}/nginx.pid;
error_log {folder}/output warn;
events {{ worker_connections 19000; }}
http {{
    access_log off;
    tcp_nodelay on;
    keepalive_requests 1000000000;
    keepalive_timeout 1h;
    client_body_buffer_size 64k;
{temporary}
    nchan_shared_memory_size 512M;
    server {{
        listen 127.0.0.1:{self.port} reuseport backlog=4096;
        location = /pub {{
            nchan_publisher;
            nchan_channel_id $arg_id;
            nchan_message_buffer_length 1000;
        }}
        location = /sub {{
            nchan_subscriber eventsource;
            nchan_channel_id $arg_id;
            nchan_subscriber_first_message newest;
        }}
        location = /nchan_stub_status {{ nchan_stub_status; }}
    }}
}}
""")
        return [self.executable(), "-p", folder, "-c", folder / "nginx.conf", "-e", folder / "output"]
