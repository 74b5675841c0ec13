"""Whatever becomes of standard error, the hub serves on, and its log says what it lacks."""

import fcntl
import json
import os
import pty
import re
import subprocess

import pytest

from hub_process import events_path
from waiting import wait_until

F_SETPIPE_SZ = 1031

FORMATS = pytest.mark.parametrize("format", ["text", "json"])


def with_standard_error(redirection, *names):
    """What stands before a command so that its standard error is another."""
    return ["sh", "-c", f'exec "$@" {redirection}', "sh"]


class Collector:
    """Reads a hub's log through a pipe that has little space, when it is told to."""

    def __init__(self, folder):
        self.path = folder / "log.pipe"
        os.mkfifo(self.path)
        self.open()
        fcntl.fcntl(self.pipe, F_SETPIPE_SZ, 8192)
        self.prefix = with_standard_error(f"2>{self.path}")

    def open(self):
        self.pipe = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK)

    def close(self):
        os.close(self.pipe)

    def read(self):
        """What is there."""
        text = b""
        while True:
            try:
                part = os.read(self.pipe, 65536)
            except BlockingIOError:
                return text.decode()
            if not part:
                return text.decode()
            text += part


def post(hub, topic, count=1):
    for number in range(count):
        assert hub.session.post(hub.url + events_path(topic), data=b"x", timeout=10).status_code == 201


def missing(text):
    """How many lines are said to be missing."""
    return sum(int(number) for number in re.findall(r"(\d+) lines? (?:is|are) missing here", text))


@FORMATS
@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full"])
def test_a_log_that_cannot_be_written(start_hub, topic, format, redirection):
    hub = start_hub("--log-format", format, "--log-level", "debug", prefix=with_standard_error(redirection))
    post(hub, topic, 20)
    assert os.readlink(f"/proc/{hub.process.pid}/fd/2") in ("/dev/null", "/dev/full"), "or a client would read the log"
    hub.stop()


@FORMATS
def test_a_collector_that_does_not_read(start_hub, topic, tmp_path, format):
    collector = Collector(tmp_path)
    hub = start_hub("--log-format", format, "--log-level", "debug", prefix=collector.prefix)
    post(hub, topic, 200)
    log = collector.read()
    assert log.count("/topics/{topic}/events") < 200
    post(hub, topic)
    log += wait_until(collector.read, what="the next line")
    assert missing(log) > 0
    assert log.count("/topics/{topic}/events") + missing(log) >= 201, "each line is there, or counted"
    if format == "json":
        lines = [json.loads(line) for line in log.splitlines()]
        assert all({"time", "level", "message"} <= set(line) for line in lines)
    hub.stop()


@FORMATS
def test_a_collector_that_dies_and_comes_again(start_hub, topic, tmp_path, format):
    collector = Collector(tmp_path)
    hub = start_hub("--log-format", format, "--log-level", "debug", prefix=collector.prefix)
    collector.close()
    post(hub, topic, 20)
    collector.open()
    post(hub, topic)
    log = wait_until(collector.read, what="a line")
    assert missing(log) >= 20
    hub.stop()


def test_a_terminal_that_nobody_reads(start_hub, topic):
    near, far = pty.openpty()
    hub = start_hub("--log-level", "debug", prefix=with_standard_error(f"2>{os.ttyname(far)}"))
    # It takes some kilobytes, and then less than a line.
    post(hub, topic, 600)
    os.set_blocking(near, False)
    terminal = Collector.__new__(Collector)
    terminal.pipe = near
    log = terminal.read()
    assert 0 < log.count("/topics/{topic}/events") < 600
    post(hub, topic)
    log += wait_until(terminal.read, what="the next line")
    assert missing(log) > 0
    assert log.count("/topics/{topic}/events") + missing(log) >= 601, "each line is there, or counted"
    os.close(far)
    hub.stop()
    os.close(near)


@pytest.mark.parametrize("command", ["token create --name ci --publish a --print", "check --data hub0"])
def test_what_cannot_be_printed_is_a_failure(executable, hub, command):
    hub.stop()
    with open("/dev/full", "w") as full:
        result = subprocess.run([executable, *command.split()], stdout=full, stderr=subprocess.PIPE, text=True, cwd=hub.data.parent)
    assert result.returncode == 74
    assert "No space left on device" in result.stderr


def test_why_the_hub_does_not_start_is_an_object_as_well(clarion, hub, tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "keys.json").write_text("[")
    for options, status, words in [
            (("--port", "0", "--data", tmp_path / "file"), 1, "file"),
            (("--port", str(hub.port), "--data", tmp_path / "data"), 1, str(hub.port)),
            (("--port", "0", "--data", tmp_path / "data", "--credentials", tmp_path / "keys.json"), 64, "keys.json")]:
        result = clarion("serve", "--log-format", "json", "--log-level", "critical", *options)
        [line] = [json.loads(line) for line in result.stderr.splitlines()]
        assert (result.returncode, line["level"]) == (status, "critical") and words in line["message"], result.stderr
