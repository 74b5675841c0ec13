"""The receivers of Examples/Receivers: each takes what the hub has signed, once, and nothing else."""

import contextlib
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import requests

from hub_process import REPOSITORY
from ports import free_port
from waiting import DEADLINE, wait_until

FOLDER = REPOSITORY / "Examples" / "Receivers"
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def command(name):
    if name == "python":
        return [sys.executable, str(FOLDER / "receiver.py")]
    if name == "node":
        if shutil.which("node") is None:
            pytest.skip("this machine has no Node: run `make test-dependencies`")
        return ["node", str(FOLDER / "receiver.mjs")]
    built = [REPOSITORY / ".build" / kind / "WebhookReceiver" for kind in ("release", "debug")]
    program = next((path for path in built if path.exists()), None)
    if program is None:
        pytest.skip("the receiver in Swift is not built: run `make end-to-end`")
    return [str(program)]


class ReceiverProcess:
    def __init__(self, command):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/"
        self.lines = []
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "WEBHOOK_SECRET": SECRET, "PORT": str(self.port), "PYTHONUNBUFFERED": "1"})
        threading.Thread(target=lambda: self.lines.extend(self.process.stdout), daemon=True).start()
        wait_until(self.answers, what="the receiver")

    def answers(self):
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return True
        except OSError:
            assert self.process.poll() is None, "the receiver has ended"
            return False

    def memory(self, name):
        """In bytes: VmRSS is what it has, VmHWM the most that it had (proc(5))."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"{name}:\s+([0-9]+) kB", status).group(1)) * 1024

    def stop(self):
        self.process.kill()
        self.process.wait()


@pytest.fixture(params=["python", "node", "swift"])
def receiver_process(request):
    receiver = ReceiverProcess(command(request.param))
    yield receiver
    receiver.stop()


@pytest.fixture
def hub(start_hub):
    return start_hub("--allow-egress", "127.0.0.0/8", "--webhooks-retry", "50ms")


def test_a_receiver_takes_what_the_hub_has_signed(hub, topic, receiver_process):
    webhook = hub.register(receiver_process.url, f"{topic}.*", secret=SECRET)
    hub.post(f"{topic}.a", '{"total": 12}', type="created", headers={"Content-Type": "application/json"})
    hub.post(f"{topic}.b", "no JSON")
    lines = wait_until(lambda: len(receiver_process.lines) == 2 and receiver_process.lines, what="two deliveries")
    by_topic = {line.split()[0]: line for line in lines}
    assert "created" in by_topic[f"{topic}.a"] and "total" in by_topic[f"{topic}.a"] and "12" in by_topic[f"{topic}.a"]
    assert by_topic[f"{topic}.b"].split(maxsplit=2)[1:] == ["-", "no JSON\n"]
    wait_until(lambda: hub.observer(webhook["id"])["stats"]["delivered"] == 2)
    assert hub.observer(webhook["id"])["stats"]["failed"] == 0


def test_a_receiver_reads_topics_and_types_beyond_ascii(hub, topic, receiver_process):
    """Both fields are UTF-8. A byte of `ą` and one of `à` are a line end and a blank in Latin-1."""
    named, type = f"{topic}.grüße.日本.ąxà", "größer 100%41 \x1b\x85 ąxà"
    hub.register(receiver_process.url, f"{topic}.**", secret=SECRET)
    hub.post(named, "1", type=type.encode())
    wait_until(lambda: receiver_process.lines, what="the delivery")
    assert receiver_process.lines == [f"{named} {type} 1\n"]


#: Whatever a topic may carry, whatever its content type says that it is.
STRANGE = {
    "no UTF-8": b"\xff\xfe", "nothing": b"", "NUL": b"\0", "deep": b"[" * 100_000 + b"]" * 100_000, "long": b"9" * 5_000,
    "large": b"x" * 1_000_000,
}


@pytest.mark.parametrize("content_type", ["application/octet-stream", "application/json", "text/plain; charset=utf-16"])
def test_no_event_stops_a_receiver_that_hears_in_order(hub, topic, receiver_process, content_type):
    webhook = hub.register(receiver_process.url, topic, secret=SECRET, ordered=True)
    for data in STRANGE.values():
        hub.post(topic, data, headers={"Content-Type": content_type})
    wait_until(lambda: hub.observer(webhook["id"])["stats"]["delivered"] == len(STRANGE), what="all of them")
    assert hub.observer(webhook["id"])["stats"]["failed"] == 0


def test_a_receiver_takes_both_signatures_while_the_secret_is_changed(hub, topic, receiver_process):
    webhook = hub.register(receiver_process.url, topic, secret=SECRET)
    assert hub.request("POST", f"/observers/{webhook['id']}/secret/rotate").status_code == 200
    hub.post(topic, '{"after": "rotation"}')
    wait_until(lambda: receiver_process.lines)
    assert "rotation" in receiver_process.lines[0]


def test_a_receiver_prints_a_repeated_delivery_once(hub, topic, receiver_process):
    webhook = hub.register(receiver_process.url, topic, secret=SECRET)
    event = hub.post(topic, "1")["id"]
    wait_until(lambda: hub.observer(webhook["id"])["stats"]["delivered"] == 1)
    assert hub.request("POST", f"/observers/{webhook['id']}/deliveries/{event}/redeliver").status_code == 202
    hub.post(topic, "2")
    wait_until(lambda: hub.observer(webhook["id"])["stats"]["delivered"] == 3 and len(receiver_process.lines) == 2)
    assert [line.split()[-1] for line in receiver_process.lines] == ["1", "2"]


def test_a_receiver_refuses_what_is_not_signed(hub, topic, receiver_process):
    webhook = hub.register(receiver_process.url, topic)
    hub.post(topic, "signed with another secret")
    wait_until(lambda: hub.observer(webhook["id"])["stats"]["deadLetters"] == 1)
    assert hub.observer(webhook["id"])["stats"]["lastStatus"] == 401
    session = requests.Session()
    session.trust_env = False
    for headers in ({}, {"webhook-id": "a", "webhook-timestamp": "x", "webhook-signature": "v1,eA=="},
                    {"webhook-id": "a", "webhook-timestamp": "0", "webhook-signature": "v1, , v1a,x v2,y"},
                    *({"webhook-id": "a", "webhook-timestamp": str(int(time.time())), "webhook-signature": signature}
                      for signature in ("", "v1", "v1,", "v1,a", "v1,eA==", b"v1,\xc3\xa9", "v1a," + "A" * 43 + "="))):
        for body in (b"x", b"\xff", b""):
            assert session.post(receiver_process.url, data=body, headers=headers, timeout=5).status_code == 401
    assert receiver_process.lines == []


#: The beginning of an upload, which says that more will come.
BEGUN = b"POST / HTTP/1.1\r\nHost: receiver\r\nContent-Length: 10\r\n\r\na"
BEGUN_IN_CHUNKS = b"POST / HTTP/1.1\r\nHost: receiver\r\nTransfer-Encoding: chunked\r\n\r\n5\r\na"


def connect(receiver):
    return socket.create_connection(("127.0.0.1", receiver.port), timeout=DEADLINE)


def takes_a_delivery(hub, topic, receiver):
    hub.register(receiver.url, topic, secret=SECRET)
    hub.post(topic, "afterwards")
    wait_until(lambda: receiver.lines, what="the delivery")
    return receiver.lines == [f"{topic} - afterwards\n"]


@pytest.mark.parametrize("begun", [BEGUN, BEGUN_IN_CHUNKS, BEGUN[:-1], BEGUN[:20]], ids=["body", "chunk", "head", "line"])
@pytest.mark.parametrize("is_reset", [False, True], ids=["ended", "reset"])
def test_an_abandoned_upload_leaves_a_receiver_as_it_was(hub, topic, receiver_process, begun, is_reset):
    with connect(receiver_process) as upload:
        upload.sendall(begun)
        if is_reset:
            # Closed with nothing left to send, and not waited for: a reset.
            upload.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        else:
            upload.shutdown(socket.SHUT_WR)
            # To the end of the connection: then the receiver knows.
            while upload.recv(1 << 16):
                pass
    assert takes_a_delivery(hub, topic, receiver_process)


@pytest.mark.parametrize("begun", [BEGUN, BEGUN_IN_CHUNKS], ids=["body", "chunk"])
def test_slow_uploads_hold_up_no_delivery(hub, topic, receiver_process, begun):
    with contextlib.ExitStack() as uploads:
        for _ in range(5):
            uploads.enter_context(connect(receiver_process)).sendall(begun)
        assert takes_a_delivery(hub, topic, receiver_process)


@pytest.mark.parametrize("field", [f"Content-Length: {1 << 40}", "Transfer-Encoding: chunked"])
def test_a_receiver_keeps_nothing_of_an_endless_upload(hub, topic, receiver_process, field):
    """It refuses it at once, or reads and drops it."""
    piece = b"x" * (1 << 16)
    if "chunked" in field:
        piece = b"%x\r\n%s\r\n" % (len(piece), piece)
    before = receiver_process.memory("VmRSS")
    with connect(receiver_process) as upload, contextlib.suppress(ConnectionError):
        upload.sendall(f"POST / HTTP/1.1\r\nHost: receiver\r\n{field}\r\n\r\n".encode())
        for _ in range(4_000):
            upload.sendall(piece)
    assert receiver_process.memory("VmHWM") - before < 100e6, "of the 262 MB that were sent"
    assert takes_a_delivery(hub, topic, receiver_process)
