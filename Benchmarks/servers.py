"""The hubs under test: how each is built, started on 127.0.0.1, and stopped with nothing left behind."""

import contextlib
import ctypes
import hashlib
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import socket
import subprocess
import sys
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
    """Runs in the child: even if this program is killed outright, no server outlives it. It may open all files it can."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


class Server:
    """One fresh server with a folder of its own. A context manager: gone, folder and all, at exit."""

    name = ""
    title = ""
    ready_path = "/"
    patience = PATIENCE
    load_options = ()  # what the load generator must know of its routes

    def __init__(self, durability="process", key=None):
        self.durability = durability
        self.key = key
        self.port = free_port()
        self.folder = None
        self.process = None

    @classmethod
    def missing(cls):
        """Builds or installs what can be had; a word on what is absent, or None if the server can run."""

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
        deadline = time.monotonic() + self.patience
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
                self.process.wait(self.patience)
            # Its own session, started above: whatever of it is left goes too.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Clarion(Server):
    """The hub of this project."""

    name = "clarion"
    title = "Clarion"
    ready_path = "/readyz"
    executable = None
    options = ()

    @classmethod
    def missing(cls):
        return None if os.access(cls.executable, os.X_OK) else f"there is no executable at {cls.executable}"

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


class Base(Clarion):
    """Another executable of this project, to compare a change with what was before it."""

    name = "base"
    title = "base"


class Nchan(Server):
    """nginx with the nchan module as Debian packages them, set up for a fair run: see README.md."""

    name = "nchan"
    title = "Nchan"
    load_options = ("--target", "nchan")
    ready_path = "/nchan_stub_status"
    module = pathlib.Path("/usr/lib/nginx/modules/ngx_nchan_module.so")

    @staticmethod
    def executable():
        """Where nginx is, or None."""
        return shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")

    @classmethod
    def missing(cls):
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


HERE = pathlib.Path(__file__).resolve().parent


def failure(command):
    """Runs it; a word if it fails."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    except OSError as problem:
        return str(problem)
    return f"`{' '.join(map(str, command))}` failed:\n{done.stdout[-1000:]}" if done.returncode else None


class Hummingbird(Server):
    """A hub in memory on Hummingbird and SwiftNIO, release build: peers/hummingbird-hub."""

    name = "hummingbird"
    title = "Hummingbird"
    ready_path = "/streams"
    load_options = ("--gauge-path", "/streams", "--gauge", "\nstreams ")
    package = HERE / "peers/hummingbird-hub"

    @classmethod
    def missing(cls):
        return failure(["swift", "build", "-c", "release", "--package-path", cls.package])

    def command(self):
        return [self.package / ".build/release/HummingbirdHub", str(self.port)]


class Starlette(Server):
    """A hub in memory on Starlette, sse-starlette, uvicorn, uvloop and httptools: peers/starlette-hub."""

    name = "starlette"
    title = "Starlette"
    ready_path = "/streams"
    load_options = Hummingbird.load_options
    folder_of_hub = HERE / "peers/starlette-hub"
    environment = HERE / "build/venv"

    @classmethod
    def missing(cls):
        requirements, installed = cls.folder_of_hub / "requirements.txt", cls.environment / "installed"
        if installed.exists() and installed.read_text() == requirements.read_text():
            return None
        problem = failure([sys.executable, "-m", "venv", cls.environment]) or failure(
            [cls.environment / "bin/pip", "install", "-q", "--disable-pip-version-check", "-r", requirements]
        )
        if not problem:
            installed.write_text(requirements.read_text())
        return problem

    def command(self):
        return [
            self.environment / "bin/python", "-m", "uvicorn", "hub:app", "--app-dir", self.folder_of_hub,
            "--port", str(self.port), "--loop", "uvloop", "--http", "httptools", "--log-level", "error", "--no-access-log",
            "--backlog", "4096", "--timeout-keep-alive", "3600",
        ]  # fmt: skip


CONTENDERS = [Clarion, Base, Nchan, Hummingbird, Starlette]
