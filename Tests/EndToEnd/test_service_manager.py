"""The hub as systemd runs it with `Type=notify`: told by datagrams that it serves and that it stops (sd_notify(3))."""

import signal
import socket
import subprocess
import tempfile
import uuid
from pathlib import Path

import pytest
import requests

from hub_process import environment_without_settings
from ports import free_port
from waiting import DEADLINE, wait_until


class Manager:
    """Starts a hub, and hears what it is told."""

    def __init__(self, executable, folder, name):
        self.name = name
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(name.replace("@", "\0", 1))
        self.socket.settimeout(DEADLINE)
        self.port = free_port()
        self._log = folder / "log"
        self._command = [str(executable), "serve", "--port", str(self.port), "--data", str(folder / "data")]
        self.process = None

    def start(self, *options):
        with open(self._log, "ab") as log:
            self.process = subprocess.Popen(
                [*self._command, *options], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log,
                env=environment_without_settings(NOTIFY_SOCKET=self.name))
        return self

    def hear(self):
        return self.socket.recv(4096).decode().splitlines()

    @property
    def log(self):
        return self._log.read_text()

    def health(self):
        with requests.Session() as session:
            session.trust_env = False
            return session.get(f"http://127.0.0.1:{self.port}/healthz", timeout=DEADLINE).status_code

    def serves(self):
        try:
            return self.health() == 200
        except requests.ConnectionError:
            assert self.process.poll() is None, self.log
            return False

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(DEADLINE) == 0, self.log

    def close(self):
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.socket.close()


@pytest.fixture
def manage(executable, tmp_path):
    # A socket's path has 107 bytes at most, fewer than some folders of tests.
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        managers = []

        def make(kind="path"):
            name = f"@clarion-{uuid.uuid4().hex}" if kind == "abstract" else f"{folder}/notify"
            managers.append(Manager(executable, tmp_path, name))
            return managers[-1]

        yield make
        for manager in managers:
            manager.close()


@pytest.mark.parametrize("kind", ["path", "abstract"])
def test_the_manager_is_told_when_the_hub_serves_and_when_it_stops(manage, kind):
    manager = manage(kind).start()
    ready, status = manager.hear()
    # At once: whoever waits for this goes on to what needs the hub.
    assert manager.health() == 200
    assert ready == "READY=1"
    assert status.startswith("STATUS=Clarion ") and status.endswith(f":{manager.port}")
    manager.stop()
    assert manager.hear() == ["STOPPING=1"]
    manager.socket.settimeout(0)
    with pytest.raises(BlockingIOError):
        manager.hear()


def test_a_hub_that_cannot_start_is_never_ready(manage):
    manager = manage()
    with socket.create_server(("127.0.0.1", manager.port)):
        assert manager.start().process.wait(DEADLINE) == 1
    manager.socket.settimeout(0)
    with pytest.raises(BlockingIOError):
        manager.hear()


def test_a_reload_does_not_end_a_hub_without_credentials(manage):
    manager = manage().start()
    manager.hear()
    manager.process.send_signal(signal.SIGHUP)
    wait_until(lambda: "no credentials" in manager.log, what="what the log says of it")
    assert manager.health() == 200
    manager.stop()


@pytest.mark.parametrize("name", ["/tmp/clarion-nobody-listens-here", "relative", "@", "/" + "x" * 107, "/" + "x" * 5000])
def test_a_hub_serves_also_if_the_manager_cannot_be_told(manage, name):
    manager = manage()
    manager.name = name
    manager.start()
    wait_until(lambda: "READY=1 cannot be told" in manager.log, what="a warning")
    assert manager.health() == 200
    manager.stop()


def test_a_manager_that_does_not_read_holds_nothing_up(manage):
    manager = manage("abstract")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other:
        other.setblocking(False)
        with pytest.raises(BlockingIOError):
            while True:
                other.sendto(b"x", manager.name.replace("@", "\0", 1))
    manager.start()
    wait_until(manager.serves, what="the hub")
    wait_until(lambda: "READY=1 cannot be told" in manager.log, what="a warning")
    manager.stop()
