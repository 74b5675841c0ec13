"""What clients begin and do not end leaves nothing behind: no descriptor, no request in hand, no memory, and the hub stops at
once. The oracle for all garbage: descriptors are back where they were, and a stop takes less than half a second."""

import random
import resource
import socket
import struct
import time

import pytest

from event_stream import EventStream
from hub_process import events_path
from raw_http import RawConnection, request
from waiting import wait_until

#: Requests that are not complete, cut where it hurts.
HALVES = {
    "half a method": b"PO",
    "half a request line": b"POST /topics/a/ev",
    "a request line": b"POST /topics/a/events HTTP/1.1\r\n",
    "half a name": b"POST /topics/a/events HTTP/1.1\r\nHo",
    "a field": b"POST /topics/a/events HTTP/1.1\r\nHost: localhost\r\n",
    "half an end": b"POST /topics/a/events HTTP/1.1\r\nHost: localhost\r\n\r",
    "no body": b"POST /topics/a/events HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n",
    "half a body": b"POST /topics/a/events HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nhello",
    "half a chunk's head": b"POST /topics/a/events HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5",
    "half a chunk": b"POST /topics/a/events HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
    "no last chunk": b"POST /topics/a/events HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
    "half a trailer": b"POST /topics/a/events HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: y",
    "one request and half of another": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /healthz HTT",
    "no leave to go on": b"POST /topics/a/events HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n",
}


def connect(port):
    connection = socket.create_connection(("127.0.0.1", port), timeout=10)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def reset(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def settled(hub):
    """The sockets of a hub that nobody is connected to."""
    hub.get("/healthz", headers={"Connection": "close"})
    return wait_until(lambda: stable(hub.sockets), what="a number of sockets that stays")


def stable(read):
    first = read()
    time.sleep(0.05)
    return first if read() == first else None


def back_at(hub, sockets, deadline):
    """Waits until the hub has no more sockets than that, and tells how long it took."""
    began = time.monotonic()
    # The test's own connection.
    hub.session.close()
    wait_until(lambda: hub.sockets() <= sockets, deadline, f"{sockets} sockets")
    return time.monotonic() - began


def stop_at_once(hub, figure):
    """Stops the hub. Without a request in hand that takes milliseconds; waiting for one takes the grace, 2 s."""
    seconds = hub.stop()
    assert seconds < 1.75
    figure.at_most(seconds, 0.5, "the stop, in seconds,")


@pytest.mark.measured
@pytest.mark.parametrize("name", HALVES)
def test_half_a_request_and_the_end_in_one_burst(hub, name, figure):
    before = settled(hub)
    for number in range(200):
        with socket.create_connection(("127.0.0.1", hub.port)) as connection:
            # Without the end being delayed: both are there when the hub looks first.
            connection.sendall(HALVES[name])
            if number % 3 == 0:
                connection.shutdown(socket.SHUT_WR)
    back_at(hub, before, 3)
    stop_at_once(hub, figure)


@pytest.mark.measured
@pytest.mark.parametrize("name", HALVES)
def test_a_stop_does_not_wait_for_what_will_not_come(hub, name, figure):
    connections = [connect(hub.port) for _ in range(10)]
    for connection in connections:
        connection.sendall(HALVES[name])
    hub.get("/healthz")
    stop_at_once(hub, figure)
    for connection in connections:
        connection.close()


def limited(executable, tmp_path, descriptors):
    """The executable with a bound on its descriptors."""
    script = tmp_path / "limited"
    script.write_text(f"#!/bin/sh\nulimit -n {descriptors}\nexec {executable} \"$@\"\n")
    script.chmod(0o755)
    return script


def test_malformed_heads_cost_little_beside_many_idle_connections(start_hub):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(4096, hard)), hard))
    hub = start_hub()
    idle = [connect(hub.port) for _ in range(3_000)]
    for connection in idle:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert all(connection.recv(4096) for connection in idle)
    before = hub.processor_time()
    for _ in range(1_000):
        with connect(hub.port) as connection:
            connection.sendall(b"GET / HTTP/9.9\r\nHost: x\r\n\r\n")
            assert connection.recv(4096).startswith(b"HTTP/1.1 505 ")
    # It was two: each looked at all of those that are idle.
    cost = hub.processor_time() - before
    assert cost < 1, cost
    for connection in idle:
        connection.close()


@pytest.mark.measured
def test_half_requests_beyond_all_descriptors_do_not_keep_others_out(start_hub, executable, tmp_path, figure):
    from hub_process import HubProcess

    hub = HubProcess(limited(executable, tmp_path, 512), tmp_path / "data").start()
    try:
        before = settled(hub)
        connections = [connect(hub.port) for _ in range(600)]
        for connection in connections:
            connection.sendall(HALVES["a request line"])
        began = time.monotonic()
        assert hub.get("/healthz", timeout=10, headers={"Connection": "close"}).text == "ok\n"
        figure(f"/healthz after {time.monotonic() - began:.2f} s beside 600 half requests and 512 descriptors")
        for connection in connections:
            connection.close()
        back_at(hub, before, 5)
        stop_at_once(hub, figure)
    finally:
        hub.finish()


def test_a_head_that_comes_byte_by_byte_has_seconds(hub):
    # As slow as it takes to be never silent for long.
    with RawConnection(hub.port) as connection:
        began = time.monotonic()
        connection.send(b"GET /healthz HTTP/1.1\r\nX: ")
        while connection.send(b"a") and time.monotonic() - began < 20:
            connection.socket.settimeout(0.25)
            try:
                if not connection._more():
                    break
            except TimeoutError:
                pass
        assert 9 < time.monotonic() - began < 15


GARBAGE = {
    "a NUL before the query": b"GET /" + b"a" * 2000 + b"\0?" + b"b&" * 1500 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a NUL before a long query": b"GET /\0?" + b"b=c&" * 1800 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a cookie that does not fit with a bad length":
        b"POST / HTTP/1.1\r\nHost: localhost\r\nCookie: " + b"a=b;" * 1300 + b"\r\nContent-Length: 5x\r\n\r\n",
    "many cookies": b"GET /healthz HTTP/1.1\r\nConnection: close\r\nHost: localhost\r\nCookie: " + b";" * 3000 + b"\r\n\r\n",
    "a bad length": b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
    "a head that is too large": b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 9000,
    "a line that is too long": b"GET /" + b"a" * 9000,
    "many fields": b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"a:\r\n" * 1500,
    "no request": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(256)) * 4,
    "a malformed chunk": b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    "a chunk's endless head": b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5;" + b"x" * 9000,
}


@pytest.mark.measured
@pytest.mark.parametrize("name", GARBAGE)
def test_garbage_leaves_nothing(hub, name, figure):
    def send(count):
        for _ in range(count):
            with RawConnection(hub.port, timeout=5) as connection:
                connection.send(GARBAGE[name])
                try:
                    while connection._more():
                        pass
                except TimeoutError:
                    raise AssertionError("neither answered nor closed") from None
                assert not connection._received or b" 5" not in connection._received[8:10], connection._received

    before = settled(hub)
    # The allocator takes its time to settle.
    send(2500)
    rss = hub.rss()
    send(1500)
    # 3.4 KB each it was.
    figure.at_most((hub.rss() - rss) / 2**20, 2, "the growth by 1,500 requests, in MiB,")
    back_at(hub, before, 3)
    stop_at_once(hub, figure)


@pytest.mark.measured
def test_streams_that_are_cut_in_every_phase_leave_nothing(hub, figure):
    before = settled(hub)
    rng = random.Random(20261122)
    head = request("GET", events_path("a"), {"Accept": "text/event-stream"})
    for _ in range(15):
        connections = []
        for _ in range(200):
            connection = connect(hub.port)
            connection.sendall(head[:rng.choice((len(head), len(head), rng.randrange(len(head))))])
            connections.append(connection)
            if rng.random() < 0.7:
                rng.choice((reset, socket.socket.close))(connections.pop(rng.randrange(len(connections))))
        hub.post("a", "x" * 500)
        rng.shuffle(connections)
        for connection in connections:
            rng.choice((reset, socket.socket.close))(connection)
    figure(f"descriptors back after {back_at(hub, before, 3):.2f} s")
    hub.wait_for_observers(0, deadline=3)
    stop_at_once(hub, figure)


def test_a_client_that_closes_its_half_gets_its_answer(hub, topic):
    # As `nc -N` does.
    for _ in range(100):
        hub.post(topic, "x" * 1000)
    for method, path, body, status in [
            ("POST", events_path(topic), b"hello", 201), ("GET", events_path(topic) + "?limit=1", b"", 200),
            ("GET", events_path(topic), b"", 200), ("GET", f"/topics/{topic}/value", b"", 200), ("GET", "/topics", b"", 200),
            ("GET", "/healthz", b"", 200), ("DELETE", "/observers/nobody", b"", 404)]:
        for number in range(100):
            with RawConnection(hub.port) as connection:
                connection.send(request(method, path, {"Content-Type": "text/plain"}, body))
                connection.finish_sending()
                answer = connection.receive()
                while answer is not None and answer.status == 100:
                    # Whether it is still there was asked.
                    answer = connection.receive()
                assert answer is not None, f"no answer to {method} {path}, try {number}"
                assert answer.status == status


def test_a_slow_body_that_keeps_coming_is_waited_for(hub, topic):
    body = b"x" * 40
    with RawConnection(hub.port) as connection:
        connection.send(request("POST", events_path(topic), {"Content-Length": str(len(body)), "Content-Type": "text/plain"}))
        began = time.monotonic()
        for byte in body:
            connection.send(bytes([byte]))
            time.sleep(0.05)
        assert connection.receive().status == 201
    assert time.monotonic() - began > 1


def test_a_stream_beside_it_is_not_touched(hub, topic):
    with EventStream.of(hub.port, topic).wait_for_comment() as stream:
        for _ in range(50):
            with connect(hub.port) as connection:
                connection.sendall(HALVES["a field"])
        time.sleep(0.6)
        hub.post(topic, "still here")
        assert stream.next().data == "still here"
