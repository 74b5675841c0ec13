"""When descriptors run out: who has none is told or waits, and everybody is served again when there are some."""

import contextlib
import os
import select
import socket
import subprocess

import pytest

from event_stream import EventStream, StreamRefused
from hub_process import HubProcess, events_path
from raw_http import RawConnection, request
from test_unfinished_requests import back_at, connect, limited, settled
from waiting import wait_until


@pytest.fixture
def small_hub(executable, tmp_path):
    """A hub that may have 200 descriptors: 86 for clients, of which streams may have 78."""
    hub = HubProcess(limited(executable, tmp_path, 200), tmp_path / "data", ("--allow-egress", "127.0.0.0/8")).start()
    yield hub
    hub.finish()


def test_more_streams_than_descriptors_allow_are_not_promised(executable, tmp_path):
    options = ("--max-streams", "5000", "--max-streams-per-client", "5000")
    hub = HubProcess(limited(executable, tmp_path, 200), tmp_path / "data", options).start()
    try:
        [line] = [line for line in hub.log.splitlines() if "warning" in line]
        assert "5000 streams" in line and "for 78:" in line and "ulimit -n" in line and "LimitNOFILE" in line
        streams, refusal = open_streams(hub, "a")
        assert (len(streams), refusal.status) == (78, 503)
        for _ in range(4):
            # Each on a connection of its own, as probes and publishers come.
            assert hub.get("/healthz", headers={"Connection": "close"}).text == "ok\n"
            hub.post("a", b"x", headers={"Connection": "close"})
        for stream in streams:
            stream.close()
    finally:
        hub.finish()
    # What is possible is taken as it is, and said nothing of.
    hub = HubProcess(limited(executable, tmp_path, 200), tmp_path / "other", ("--max-streams", "78")).start()
    assert "warning" not in hub.log
    hub.finish()


def open_streams(hub, topic):
    """Opens streams until one is refused, and returns them with the refusal."""
    streams = []
    while len(streams) < 200:
        try:
            streams.append(EventStream.of(hub.port, topic).wait_for_comment())
        except StreamRefused as refusal:
            return streams, refusal
    raise AssertionError("no stream was refused")


def test_it_does_not_start_with_too_few_to_serve_anybody(executable, tmp_path):
    for descriptors in (24, 127):
        command = [limited(executable, tmp_path, descriptors), "serve", "--port", "0", "--data", tmp_path / "data"]
        hub = subprocess.run(command, capture_output=True, text=True, timeout=10, env={"PATH": os.environ["PATH"]})
        assert (hub.returncode, hub.stdout) == (1, "")
        assert hub.stderr == f"clarion: the process may have {descriptors} open files, and needs 128: raise the limit (ulimit -n)\n"
    hub = HubProcess(limited(executable, tmp_path, 128), tmp_path / "data").start()
    try:
        stream = EventStream.of(hub.port, "few").wait_for_comment()
        hub.post("few", "heard")
        assert stream.next().data == "heard"
    finally:
        hub.finish()


def test_streams_leave_room_for_posts_and_management(small_hub, topic):
    before = settled(small_hub)
    for _ in range(3):
        streams, refusal = open_streams(small_hub, topic)
        assert len(streams) == 78
        assert refusal.status == 503 and b'"code":"overloaded"' in refusal.body
        assert int(refusal.headers["retry-after"]) > 0
        small_hub.post(topic, "heard by all")
        assert small_hub.get("/healthz").text == "ok\n"
        assert all(stream.next().data == "heard by all" for stream in streams)
        # One that leaves makes room for one.
        streams.pop().close()

        def opened():
            try:
                return EventStream.of(small_hub.port, topic).wait_for_comment()
            except StreamRefused:
                return None

        streams.append(wait_until(opened, what="room for one more stream"))
        for stream in streams:
            stream.close()
        back_at(small_hub, before, 5)
        small_hub.wait_for_observers(0, kind="stream", deadline=5)


def test_it_accepts_again_when_descriptors_are_free_again(small_hub, topic):
    """Streams, endpoints that hang and more connections than there may be, all at once; then none of them."""
    with socket.create_server(("127.0.0.1", 0), backlog=128) as hanging:
        for number in range(20):
            small_hub.register(f"http://127.0.0.1:{hanging.getsockname()[1]}/{number}", topic)
        for number in range(5):
            small_hub.post(topic, str(number))
        streams, _ = open_streams(small_hub, topic)
        silent = [connect(small_hub.port) for _ in range(60)]
        for stream in streams:
            stream.close()
        for connection in silent:
            connection.close()
        assert small_hub.get("/healthz", timeout=5).text == "ok\n"
        small_hub.wait_for_observers(0, kind="stream", deadline=5)
        with small_hub.stream(topic) as stream:
            small_hub.post(topic, "again")
            assert stream.next().data == "again"


BODY_TO_COME = request("POST", events_path("crowd"), {"Content-Type": "text/plain", "Content-Length": "1000"})


@pytest.mark.parametrize("beginning", [request("GET", "/healthz"), BODY_TO_COME], ids=["resting", "body"])
def test_one_address_does_not_keep_the_others_out(small_hub, topic, beginning):
    """It takes all places that streams have left, and those that wait for one; another is served all the same, and keeps its own."""
    streams, _ = open_streams(small_hub, topic)
    with contextlib.ExitStack() as crowd:
        other = crowd.enter_context(RawConnection(small_hub.port, source="127.0.0.3"))
        other.send(BODY_TO_COME)
        for _ in range(40):
            crowd.enter_context(RawConnection(small_hub.port, source="127.0.0.2")).send(beginning)
        with RawConnection(small_hub.port, source="127.0.0.4") as newcomer:
            newcomer.send(request("GET", "/healthz"))
            assert newcomer.receive().status == 200
        other.send(b"x" * 1000)
        assert other.receive().status == 201
    for stream in streams:
        stream.close()


def test_empty_lines_do_not_shorten_a_rest(small_hub, topic):
    """Among many connections one rests for 5 s, and has 2 s for a head that it has begun."""
    streams, _ = open_streams(small_hub, topic)
    with RawConnection(small_hub.port) as connection:
        for _ in range(3):
            # Some clients send an empty line after a body (RFC 9112 section 2.2).
            connection.send(request("POST", events_path(topic), {"Content-Type": "text/plain"}, b"x") + b"\r\n")
            assert connection.receive().status == 201
        closed, _, _ = select.select([connection.socket], [], [], 3.75)
        assert not closed, "closed before its time"
        connection.send(request("GET", "/healthz"))
        assert connection.receive().status == 200
    for stream in streams:
        stream.close()
