"""`nats-server` with JetStream: one, or three that are one cluster, on addresses of this machine."""

import json
import shutil
import signal
import subprocess
import urllib.error
import urllib.request
import uuid
from pathlib import Path

import pytest

from nats_stranger import NATSStranger
from ports import free_port
from waiting import wait_until

#: The program; None where it is not installed.
PROGRAM = shutil.which("nats-server", path="/usr/sbin:/usr/bin:/usr/local/bin")

#: More than the largest body of a post, which the servers' own default is not.
MAXIMUM_PAYLOAD = "8MB"


class NATSServers:
    """Servers that may be killed and started again, each with the port and the folder it had."""

    def __init__(self, folder, count, maximum_payload=MAXIMUM_PAYLOAD, machines=None, jetstream="", settings=""):
        """On this machine, or each on one of a ``Network``; with more settings, of JetStream and of the server."""
        self.jetstream = jetstream
        self.settings = settings
        self.folder = folder
        self.maximum_payload = maximum_payload
        self._hosts = [machine.address for machine in machines] if machines else ["127.0.0.1"] * count
        self._prefixes = [machine.prefix for machine in machines] if machines else [()] * count
        self.ports = [free_port() for _ in range(count)]
        self._routes = [free_port() for _ in range(count)]
        self._monitors = [free_port() for _ in range(count)]
        self._processes = [None] * count

    def __enter__(self):
        for place in range(len(self.ports)):
            self.start(place)
        for place in range(len(self.ports)):
            self.wait_until_ready(place)
        return self

    def __exit__(self, *_):
        for place, process in enumerate(self._processes):
            if process:
                self.kill(place)

    def log(self, name, user=""):
        """What `--log` is given; the user is `name:password@`."""
        return ",".join(f"nats://{user}{host}:{port}" for host, port in zip(self._hosts, self.ports)) + f"?name={name}"

    def _configure(self, place):
        host = self._hosts[place]
        routes = ", ".join(f'"nats://{host}:{port}"' for host, port in zip(self._hosts, self._routes))
        cluster = "" if len(self.ports) == 1 else f"""
            cluster {{ name: test, listen: "{host}:{self._routes[place]}", routes: [{routes}] }}"""
        path = self.folder / f"nats{place}.conf"
        path.write_text(f"""
            server_name: n{place}
            listen: "{host}:{self.ports[place]}"
            http: "{host}:{self._monitors[place]}"
            max_payload: {self.maximum_payload}
            jetstream {{ store_dir: "{self.folder}/store{place}", {self.jetstream} }}
            {cluster}
            {self.settings}
        """)
        return path

    def set(self, settings):
        """Has the servers have other settings from now on."""
        self.settings = settings
        for place in range(len(self.ports)):
            self._configure(place)
            self.signal(place, signal.SIGHUP)

    def start(self, place):
        path = self._configure(place)
        with open(self.folder / f"nats{place}.log", "ab") as log:
            self._processes[place] = subprocess.Popen(
                [*self._prefixes[place], PROGRAM, "-c", path], stdout=log, stderr=log)

    def wait_until_ready(self, place, deadline=60):
        def is_ready():
            try:
                with urllib.request.urlopen(f"http://{self._hosts[place]}:{self._monitors[place]}/healthz", timeout=2) as answer:
                    return answer.status == 200
            except (urllib.error.URLError, OSError):
                return False

        wait_until(is_ready, deadline, f"server {place}'s readiness")

    def messages(self, name):
        """How many messages the stream of a log holds."""
        return self.state(name)["messages"]

    def messages_on(self, name, subject):
        """How many of them are on one subject."""
        with NATSStranger(self.ports[0]) as stranger:
            inbox = f"_INBOX.{uuid.uuid4().hex}"
            stranger.subscribe(inbox)
            asked = json.dumps({"subjects_filter": subject}).encode()
            stranger.publish(f"$JS.API.STREAM.INFO.CLARION_{name}", asked, reply=inbox)
            _, _, answer = stranger.next()
        return json.loads(answer)["state"].get("subjects", {}).get(subject, 0)

    def state(self, name, place=0):
        """What a server has of the stream of a log."""
        address = f"http://{self._hosts[place]}:{self._monitors[place]}/jsz?streams=true"
        with urllib.request.urlopen(address, timeout=5) as answer:
            accounts = json.load(answer)["account_details"]
        [stream] = [one for account in accounts for one in account["stream_detail"] if one["name"] == f"CLARION_{name}"]
        return stream["state"]

    def clients(self, place):
        """The names of what is connected to a server."""
        address = f"http://{self._hosts[place]}:{self._monitors[place]}/connz"
        with urllib.request.urlopen(address, timeout=5) as answer:
            return [connection.get("name") for connection in json.load(answer)["connections"]]

    def change_settings(self, name, **settings):
        """Sets something else of the stream of a log, as `nats stream edit` does."""
        with NATSStranger(self.ports[0]) as stranger:
            config = stranger.ask(f"$JS.API.STREAM.INFO.CLARION_{name}")["config"]
            answer = stranger.ask(f"$JS.API.STREAM.UPDATE.CLARION_{name}", {**config, **settings})
            assert "error" not in answer, answer

    def folder_of(self, name):
        """Where the first server keeps a log."""
        return self.folder / f"store0/jetstream/$G/streams/CLARION_{name}"

    def signal(self, place, number):
        """SIGSTOP, SIGCONT."""
        process = self._processes[place]
        process.send_signal(number)
        if number == signal.SIGSTOP:
            # Its other threads go on until one of them takes the signal.
            tasks = Path(f"/proc/{process.pid}/task")
            wait_until(lambda: all(task.joinpath("stat").read_text().rpartition(")")[2].split()[0] == "T"
                                   for task in tasks.iterdir()), what="a server that stands still")

    def kill(self, place):
        """kill -9."""
        self._processes[place].kill()
        self._processes[place].wait()
        self._processes[place] = None


# Fixtures, for the files that import them.

@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """One that the tests of a file share."""
    with NATSServers(tmp_path_factory.mktemp("nats"), 1) as servers:
        yield servers


@pytest.fixture
def log():
    """The name of a log that nobody else has."""
    return f"t{uuid.uuid4().hex[:12]}"
