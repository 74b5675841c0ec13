"""A hub that speaks TLS by itself: what it speaks, what it does with what is no TLS, a certificate that changes, and streams,
which libmicrohttpd feeds to their clients there: in order, bounded, and gone when their clients are."""

import json
import os
import re
import shutil
import signal
import socket
import ssl
import statistics
import struct
import subprocess
import threading
import time

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import rsa

from certificates import Authority
from event_stream import EventStream
from hub_process import environment_without_settings, events_path
from listener import Listener
from metrics import Reading
from other_machine import OtherMachine
from proxy import Proxy
from raw_http import RawConnection, request
from test_metrics import documented_metrics
from test_serving import refusal
from test_strangers_together import (
    ENDLESS, ChunkedPost, assert_all_are_stored, assert_each_is_ended, connections_of_two_loops, wait_until_read)
from waiting import wait_until

#: Seconds that a client has for its handshake and its first head: see docs/operating.md.
HANDSHAKE = 10


def options(authority):
    return ["--tls-cert", str(authority.certificate), "--tls-key", str(authority.key)]


def trusted(hub, authority):
    """The hub, asked by clients that trust the authority."""
    hub.session.verify = str(authority.file)
    hub.secure = ssl.create_default_context(cafile=authority.file)
    return hub


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def hub(start_shared_hub, authority):
    return trusted(start_shared_hub(*options(authority), "--keep-alive", "1s", "--durability", "memory"), authority)


@pytest.fixture(scope="module", autouse=True)
def lingering(hub):
    """Connections that were opened before all tests: one without a handshake, one in the middle of it, one after it, one that
    rests between two requests, and one that has begun its second. With when that was."""
    connections = {}
    for name, said in [("nothing", b""), ("half a handshake", b"\x16\x03\x01\x02\x00\x01\x00\x01")]:
        connections[name] = socket.create_connection(("127.0.0.1", hub.port))
        connections[name].sendall(said)
    connections["no request"] = connect(hub).socket
    for name, said in [("rest", b""), ("half a request", request("GET", "/healthz", {"X-Long": "x" * 100})[:-2])]:
        connection = connect(hub)
        connection.send(request("GET", "/healthz"))
        assert connection.receive().status == 200
        connection.send(said)
        connections[name] = connection.socket
    yield connections, time.monotonic()
    for connection in connections.values():
        connection.close()
    # Nothing of all tests is left that keeps the hub busy.
    hub.session.close()
    assert processor_time_of_a_second(hub) < 0.06


def processor_time_of_a_second(hub):
    before, began = hub.processor_time(), time.monotonic()
    wait_until(lambda: time.monotonic() > began + 1)
    return hub.processor_time() - before


def connect(hub, **settings):
    return RawConnection(hub.port, secure=hub.secure, **settings)


def stream(hub, topic, **settings):
    return EventStream.of(hub.port, topic, secure=hub.secure, **settings).wait_for_comment()


def post_lines(hub, topic, lines):
    """Posts an event for each, and returns their ids."""
    response = hub.request(
        "POST", events_path(topic), data="\n".join(lines), headers={"Content-Type": "application/x-ndjson"})
    assert response.status_code == 201, response.text
    return [event["id"] for event in response.json()["events"]]


def gauge(hub, name):
    return Reading.of(hub)[name]


def spoken(hub, **bounds):
    """Version, cipher and protocol of a new connection, by a context of these bounds."""
    context = ssl.create_default_context(cafile=hub.session.verify)
    for name, value in bounds.items():
        if name.startswith("set_"):
            getattr(context, name)(value)
        else:
            setattr(context, name, value)
    with socket.create_connection(("127.0.0.1", hub.port)) as plain:
        with context.wrap_socket(plain, server_hostname="localhost") as secure:
            return secure.version(), secure.cipher()[0], secure.selected_alpn_protocol()


def serial_shown(hub):
    """The serial number of the certificate that a new connection is shown."""
    with connect(hub) as connection:
        return int(connection.socket.getpeercert()["serialNumber"], 16)


# What is spoken

@pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
def test_versions_and_ciphers(hub):
    both = {"set_alpn_protocols": ["h2", "http/1.1"]}
    assert spoken(hub, **both)[::2] == ("TLSv1.3", "http/1.1")
    version, cipher, protocol = spoken(hub, maximum_version=ssl.TLSVersion.TLSv1_2, **both)
    assert version == "TLSv1.2" and "ECDHE" in cipher and ("GCM" in cipher or "CHACHA" in cipher) and protocol == "http/1.1"
    old = {"set_ciphers": "ALL:@SECLEVEL=0", "minimum_version": ssl.TLSVersion.TLSv1}
    for bounds in ({**old, "maximum_version": ssl.TLSVersion.TLSv1_1},
                   {"maximum_version": ssl.TLSVersion.TLSv1_2, "set_ciphers": "ECDHE-ECDSA-AES128-SHA256"}):
        with pytest.raises(ssl.SSLError):
            spoken(hub, **bounds)


def test_curl_posts_and_reads(hub, topic, authority):
    curl = ["curl", "-sS", "--cacert", authority.file]
    posted = subprocess.run([*curl, "-d", "hello", "-D", "-", hub.url + events_path(topic)], capture_output=True, text=True)
    assert posted.stdout.startswith("HTTP/1.1 201 ") and "strict-transport" not in posted.stdout.lower()
    # Relative, so that it is https for whoever has asked by https.
    assert f"Location: /topics/{topic}/events/" in posted.stdout
    read = subprocess.run([*curl, hub.url + events_path(topic)], capture_output=True, text=True)
    assert [event["data"] for event in json.loads(read.stdout)["events"]] == ["hello"]


def test_many_requests_on_one_connection(hub, topic):
    large = os.urandom(1 << 19).hex().encode()
    batch = b"".join(b'{"n": %d}\n' % number for number in range(1000))
    target = events_path(topic)
    with connect(hub) as connection:
        for _ in range(3):
            for method, path, fields, body, status in [
                ("POST", target, {"Content-Type": "text/plain"}, large, 201),
                ("POST", target, {"Content-Type": "application/x-ndjson"}, batch, 201),
                ("POST", target, {"Content-Type": "text/plain", "Expect": "100-continue"}, b"waits", 100),
                ("GET", f"{target}?limit=1000&since=earliest", {}, b"", 200), ("HEAD", "/healthz", {}, b"", 200),
                ("GET", f"/topics/{topic}/value", {}, b"", 200), ("GET", "/nowhere", {}, b"", 404),
            ]:
                connection.send(request(method, path, fields, body))
                answer = connection.receive(body_follows=method != "HEAD")
                assert answer.status == status, (method, path, answer)
                if status == 100:
                    assert connection.receive().status == 201
        # Several at once, answered in order.
        connection.send(b"".join(request("GET", f"/nowhere/{number}", {"Request-Id": str(number)}) for number in range(5)))
        assert [connection.receive().headers["request-id"] for _ in range(5)] == list("01234")
        connection.send(request("POST", target, {"Transfer-Encoding": "chunked"}, b"5\r\nhello\r\n0\r\n\r\n"))
        assert connection.receive().status == 201
    first, *_ = hub.history(topic)
    assert first["data"].encode() == large


#: Less than the delay of an acknowledgement, which Linux keeps back for 40 ms (tcp(7), TCP_QUICKACK).
AT_ONCE = 0.02


def test_a_chunk_has_whole_events(hub, topic):
    """Clients that read in blocks take each for whole events, also when many come at once."""
    sizes = [number * 37 % 3000 for number in range(300)]
    ids = post_lines(hub, topic, [json.dumps("x" * size) for size in sizes])
    with connect(hub) as connection:
        connection.send(f"GET {events_path(topic)}?since=earliest HTTP/1.1\r\nHost: localhost\r\n"
                           "Accept: text/event-stream\r\n\r\n".encode())
        came = connection.socket.makefile("rb")
        while came.readline() != b"\r\n":
            pass
        chunks = []
        while not chunks or ids[-1].encode() not in chunks[-1]:
            chunks.append(came.read(int(came.readline(), 16)))
            assert came.readline() == b"\r\n"
    assert len(chunks) > 10
    assert not [chunk[-40:] for chunk in chunks if b"data:" in chunk and not chunk.endswith(b"\n\n")]


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_nothing_waits_for_a_delayed_acknowledgement(hub, topic, authority, version):
    context = ssl.create_default_context(cafile=authority.file)
    context.minimum_version = context.maximum_version = version

    def timed(act):
        began = time.monotonic()
        act()
        return time.monotonic() - began

    def ask(connection, method="GET", target="/healthz", body=b"", status=200):
        connection.send(request(method, target, {"Content-Type": "text/plain"}, body))
        assert connection.receive(body_follows=method != "HEAD").status == status

    def ask_anew():
        # A client that knows nothing of TCP_NODELAY, which is a socket's state from its beginning.
        with RawConnection(hub.port, secure=context, gathers=True) as connection:
            ask(connection)

    def hear_anew():
        with RawConnection(hub.port, secure=context, gathers=True) as connection:
            connection.send(request("GET", events_path(topic), {"Accept": "text/event-stream"}))
            assert connection.socket.recv(1000).startswith(b"HTTP/1.1 200")

    hub.post(topic, "x" * 4096)
    for act in (ask_anew, hear_anew):
        assert statistics.median(timed(act) for _ in range(20)) < AT_ONCE, act
    for asked in [
        ("GET", "/healthz"), ("HEAD", "/healthz"), ("GET", "/nowhere", b"", 404), ("GET", f"/topics/{topic}/value"),
        ("POST", events_path(topic), b"x" * 4096, 201), ("DELETE", events_path(topic), b"", 405), ("GET", "/openapi.json"),
    ]:
        with RawConnection(hub.port, secure=context, gathers=True) as connection:
            assert statistics.median(timed(lambda: ask(connection, *asked)) for _ in range(20)) < AT_ONCE, asked


def test_a_small_answer_is_one_segment(hub):
    def segments(connection):
        # The kernel's struct tcp_info (linux/tcp.h), tcpi_data_segs_in.
        information = connection.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 192)
        return struct.unpack_from("I", information, 152)[0]

    with connect(hub) as connection:
        for method, target in [("GET", "/healthz"), ("HEAD", "/healthz"), ("GET", "/nowhere")] * 5:
            before = segments(connection)
            connection.send(request(method, target))
            connection.receive(body_follows=method != "HEAD")
            assert segments(connection) == before + 1, (method, target)


def test_a_handshake_needs_one_answer(hub):
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = hub.secure.wrap_bio(incoming, outgoing, server_hostname="localhost")
    said = 0
    with socket.create_connection(("127.0.0.1", hub.port)) as plain:
        while True:
            try:
                client.do_handshake()
                break
            except ssl.SSLWantReadError:
                said += outgoing.pending > 0
                plain.sendall(outgoing.read())
                incoming.write(plain.recv(65536))
    # Its hello. A second would be for a key of another group.
    assert said == 1


def test_a_page_of_http_is_of_another_origin(hub, topic):
    def status(scheme):
        return hub.request(
            "POST", events_path(topic), data=b"x", headers={"Origin": f"{scheme}://127.0.0.1:{hub.port}"}).status_code

    assert (status("https"), status("http")) == (201, 403)


# What is refused

#: What libmicrohttpd refuses by itself, and the code of what is said in its place.
REFUSED = {
    b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n": (400, "framing-invalid"),
    b"GET / HTTP/3.7\r\nHost: localhost\r\n\r\n": (505, "version-unsupported"),
    b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + 9000 * b"x" + b"\r\n\r\n": (431, "headers-too-large"),
    b"GET / HTTP/1.1\r\nHost: localhost\r\nX : y\r\n\r\n": (400, None),
    b"POST /topics/a/events HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n": (413, "body-too-large"),
}


def test_what_is_no_request_is_refused_in_the_session(start_hub, authority):
    # Of its own: where several connections could be meant the answer is libmicrohttpd's.
    hub = trusted(start_hub(*options(authority), "--durability", "memory"), authority)
    resting = [connect(hub) for _ in range(4)]
    for connection in resting:
        connection.send(request("GET", "/healthz"))
        assert connection.receive().status == 200
    for sent, (status, code) in REFUSED.items():
        # Alone, and behind a request that is complete.
        for before in [b"", request("GET", "/healthz")]:
            with connect(hub) as connection:
                connection.send(before + sent)
                assert not before or connection.receive().status == 200
                answer = connection.receive()
                assert answer.status == status, sent
                assert answer.headers["content-type"] == "application/problem+json", sent
                assert code in (answer.json()["code"], None)
                assert connection.is_closed()
    for connection in resting:
        connection.send(request("GET", "/healthz"))
        assert connection.receive().status == 200
        connection.close()


@pytest.mark.parametrize("requests, chunks, said", [
    (0, 1, ENDLESS), (0, 5, ENDLESS), (200, 30, ENDLESS),
    (0, 5, request("POST", "/", {"Transfer-Encoding": "chunked"}, b"0\r\n\r\n")),
], ids=["1 chunk", "5 chunks", "after many requests", "beside whole bodies"])
def test_bodies_of_others_end_no_posts(start_hub, authority, tmp_path, topic, requests, chunks, said):
    machine = OtherMachine(tmp_path, processors=2)
    hub = trusted(start_hub(*options(authority), "--durability", "memory", environment=machine.environment), authority)
    victims, others = connections_of_two_loops(hub, secure=hub.secure)
    for victim in victims:
        victim.send(requests * request("GET", "/healthz"))
        assert all(victim.receive().status == 200 for _ in range(requests))
    under_way = [ChunkedPost(victim, topic) for victim in victims]
    for post in under_way:
        # A record each.
        for piece in post.pieces(chunks):
            post.connection.send(piece)
    wait_until_read(hub, under_way)
    for _ in range(10):
        for other in others:
            other.send(said)
        assert_each_is_ended(others)
        others = [connect(hub) for _ in others]
    assert_all_are_stored(hub, topic, under_way)
    for connection in victims + others:
        connection.close()


def test_what_is_no_tls_gets_nothing(hub):
    # Their answers may come from the kernel: the hub closes with bytes unread.
    for said in [request("GET", "/healthz"), b"\0" * 500, b"\x16\x03\x01\xff\xff" + os.urandom(300), os.urandom(3000)]:
        with RawConnection(hub.port) as connection:
            connection.send(said)
            received = b""
            try:
                connection.finish_sending()
                while piece := connection.socket.recv(1000):
                    received += piece
            except OSError:
                pass
            assert b"HTTP" not in received and len(received) < 20, received
    assert hub.get("/healthz").status_code == 200


def test_handshakes_that_are_broken_off_leave_nothing(hub):
    hub.session.close()
    before = wait_until(lambda: hub.sockets() == hub.sockets() and hub.sockets(), what="sockets")
    for number in range(60):
        with socket.create_connection(("127.0.0.1", hub.port)) as plain:
            if number % 3:
                hello = hello_of_client(hub)
                plain.sendall(hello[:len(hello) // (number % 3)])
            if number % 2:
                plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    wait_until(lambda: hub.sockets() <= before, 5, f"{before} sockets")


def test_handshakes_that_wait_cost_nothing(hub):
    waiting = half_handshakes(hub, 300)
    assert processor_time_of_a_second(hub) < 0.06
    # Nor does it cost others anything: one of those that wait would be tried at each turn.
    before = hub.processor_time()
    with connect(hub) as connection:
        for _ in range(100):
            connection.send(request("GET", "/healthz"))
            assert connection.receive().status == 200
    assert hub.processor_time() - before < 0.06
    # Each goes on when there is more of it, and is noticed when it leaves.
    for one, rest in waiting:
        one.sendall(rest)
        assert one.recv(1) == b"\x16"
    sockets = hub.sockets()
    for one, _ in waiting:
        one.close()
    wait_until(lambda: hub.sockets() <= sockets - len(waiting), 2, "closed handshakes")


def test_handshakes_that_wait_do_not_hold_up_a_stop(start_hub, authority):
    hub = trusted(start_hub(*options(authority), "--durability", "memory"), authority)
    waiting = half_handshakes(hub, 20)
    assert hub.stop() < 1
    for one, _ in waiting:
        one.close()


def half_handshakes(hub, count):
    """So many connections in the middle of a handshake, each with what is missing of its first message."""
    hello = hello_of_client(hub)
    waiting = []
    for number in range(count):
        one, end = socket.create_connection(("127.0.0.1", hub.port)), [1, 100, len(hello) - 1][number % 3]
        one.sendall(hello[:end])
        waiting.append((one, hello[end:]))
    return waiting


def hello_of_client(hub):
    """The first bytes that a client sends."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = hub.secure.wrap_bio(incoming, outgoing, server_hostname="localhost")
    with pytest.raises(ssl.SSLWantReadError):
        client.do_handshake()
    return outgoing.read()


# Streams

def test_streams_hear_everything_in_order(hub, topic):
    streams = [stream(hub, topic) for _ in range(5)]
    posts = 4

    def post(number):
        with connect(hub) as connection:
            for _ in range(50):
                connection.send(request("POST", events_path(topic), {"Content-Type": "text/plain"}, b"x" * (1 + 300 * number)))
                assert connection.receive().status == 201

    threads = [threading.Thread(target=post, args=(number,)) for number in range(posts)]
    for thread in threads:
        thread.start()
    heard = [one.take(50 * posts) for one in streams]
    for thread in threads:
        thread.join()
    ids = [event["id"] for event in hub.history(topic)]
    assert all([event.id for event in events] == ids for events in heard)
    for one in streams:
        one.close()


def test_a_large_event_comes_whole(hub, topic):
    with stream(hub, topic) as one:
        data = os.urandom(1 << 19).hex()
        hub.post(topic, data)
        hub.post(topic, "small")
        assert [event.data for event in one.take(2)] == [data, "small"]


def test_a_resumed_stream_misses_nothing(hub, topic):
    ids = post_lines(hub, topic, [str(number) for number in range(3000)])
    with stream(hub, topic, last_event_id=ids[9]) as one:
        hub.post(topic, "live")
        assert [event.data for event in one.take(2991)] == [*map(str, range(10, 3000)), "live"]


def test_an_unknown_position_is_a_gap(hub, topic):
    hub.post(topic, "kept")
    with stream(hub, topic, last_event_id="unknown") as one:
        gap, event = one.take(2)
        assert (gap.type, event.data) == ("gap", "kept")


def test_a_client_of_http_1_0_hears_until_the_end(hub, topic):
    with connect(hub) as connection:
        connection.send(request("GET", events_path(topic), {"Accept": "text/event-stream"}, version="HTTP/1.0"))
        [observer] = hub.wait_for_observers(1, topic=topic)
        hub.post(topic, "x" * 2000)
        hub.request("DELETE", f"/observers/{observer['id']}")
        answer = connection.receive()
        assert "transfer-encoding" not in answer.headers and b"data: " + b"x" * 2000 + b"\n\n" in answer.body


def test_silence_is_broken(hub, topic):
    with stream(hub, topic) as one:
        one.parser.comments.clear()
        assert one.wait_for_comment(5).parser.comments == ["keep-alive"]


def test_a_reader_that_does_not_read_keeps_a_bounded_amount_and_nobody_else_waiting(hub, topic):
    slow, quick = stream(hub, topic, receive_buffer=4096), stream(hub, topic)
    for part in range(8):
        post_lines(hub, topic, [json.dumps(f"{number} " + "x" * 9_000) for number in range(100 * part, 100 * part + 100)])
        assert len(quick.take(100)) == 100
    assert 0 < hub.observer(slow.observer_id)["queuedBytes"] <= 1_100_000
    assert [int(json.loads(event.data).split()[0]) for event in slow.take(800)] == [*range(800)]
    wait_until(lambda: hub.observer(slow.observer_id)["queuedBytes"] == 0)
    slow.close()
    quick.close()


@pytest.mark.parametrize("end", ["close", "reset", "half close", "close while blocked", "reset while blocked"])
def test_a_client_that_leaves_is_gone_at_once(hub, topic, end):
    gauge(hub, "clarion_streams")
    sockets = hub.sockets()
    streams = [stream(hub, topic, receive_buffer=4096) for _ in range(10)]
    assert gauge(hub, "clarion_streams") == 10
    if "blocked" in end:
        post_lines(hub, topic, ['"' + "x" * 9_000 + '"'] * 100)
        post_lines(hub, topic, ['"' + "x" * 9_000 + '"'] * 100)
    for one in streams:
        if end == "half close":
            one._socket.shutdown(socket.SHUT_WR)
        elif "reset" in end:
            one.reset()
        else:
            one.close()
    wait_until(lambda: gauge(hub, "clarion_streams") == 0, 3, "the end of all streams")
    assert gauge(hub, "clarion_outbox_bytes") == 0
    wait_until(lambda: hub.sockets() <= sockets, 2, "the end of all connections")
    for one in streams:
        one.close()


def test_an_orderly_end_and_the_next_request_on_the_connection(hub, topic):
    one = stream(hub, topic)
    hub.post(topic, "before")
    assert hub.request("DELETE", f"/observers/{one.observer_id}").status_code == 204
    assert [event.data for event in one.read_to_end()] == ["before"]
    one._socket.sendall(request("GET", "/healthz"))
    assert one._socket.recv(1000).startswith(b"HTTP/1.1 200")
    one.close()


def test_an_end_that_nobody_reads_is_given_up(hub, topic):
    with stream(hub, topic, receive_buffer=4096) as one:
        for _ in range(8):
            post_lines(hub, topic, ['"' + "x" * 9_000 + '"'] * 100)
        assert hub.observer(one.observer_id)["queuedBytes"] > 0
        assert hub.request("DELETE", f"/observers/{one.observer_id}").status_code == 204
        wait_until(lambda: gauge(hub, "clarion_streams") == 0, 8, "the end of the stream")


def test_a_long_history_comes_whole(hub, topic):
    post_lines(hub, topic, [json.dumps({"n": number, "x": "x" * 3000}) for number in range(300)])
    with connect(hub) as connection:
        # The end of the answer and the next are on one connection.
        connection.send(2 * request("GET", events_path(topic) + "?limit=1000", {"Accept": "application/x-ndjson"}))
        for _ in range(2):
            answer = connection.receive()
            assert answer.headers["transfer-encoding"] == "chunked"
            assert [json.loads(line)["data"]["n"] for line in answer.body.splitlines()] == list(range(300))


def test_a_stop_ends_streams_in_order(start_hub, authority, topic):
    hub = trusted(start_hub(*options(authority), "--durability", "memory"), authority)
    streams = [stream(hub, topic) for _ in range(5)]
    blocked = stream(hub, topic, receive_buffer=4096)
    for part in range(8):
        post_lines(hub, topic, [json.dumps(f"{number} " + "x" * 9_000) for number in range(100 * part, 100 * part + 100)])
    heard = []
    readers = [threading.Thread(target=lambda one=one: heard.append(one.read_to_end())) for one in streams]
    for reader in readers:
        reader.start()
    assert hub.stop() < 8
    for reader in readers:
        reader.join()
    for events in heard:
        numbers = [int(json.loads(event.data).split()[0]) for event in events]
        assert numbers == [*range(len(numbers))] and len(numbers) > 50
    assert len(heard) == 5
    # Its end could not be written.
    with pytest.raises((AssertionError, ConnectionError)):
        blocked.read_to_end()


# The certificate

def reload(hub, line):
    """Has the hub read its certificate again, and waits until it says how that went."""
    count = hub.log.count(line)
    hub.process.send_signal(signal.SIGHUP)
    wait_until(lambda: hub.log.count(line) > count, what=line)


def test_a_certificate_is_changed_under_load(start_hub, tmp_path, topic):
    authority = Authority(tmp_path)
    hub = trusted(start_hub(*options(authority), "--durability", "memory"), authority)
    streams = [stream(hub, topic) for _ in range(5)]
    kept = connect(hub)
    is_over = threading.Event()
    failures, numbers = [], set()

    def load():
        # Each with a handshake of its own.
        while not is_over.is_set():
            try:
                numbers.add(serial_shown(hub))
                with connect(hub) as connection:
                    connection.send(request("POST", events_path(topic), {"Content-Type": "text/plain"}, b"x"))
                    assert connection.receive().status == 201
            except Exception as failure:  # noqa: BLE001
                failures.append(failure)

    threads = [threading.Thread(target=load) for _ in range(2)]
    for thread in threads:
        thread.start()
    serials = [serial_shown(hub)]
    for _ in range(5):
        serials.append(authority.issue())
        reload(hub, "The certificate was read again.")
        assert serial_shown(hub) == serials[-1]
    is_over.set()
    for thread in threads:
        thread.join()
    assert not failures and numbers <= set(serials) and len(numbers) > 1
    # What was open before has gone on.
    kept.send(request("POST", events_path(topic), {"Content-Type": "text/plain"}, b"last"))
    assert kept.receive().status == 201
    ids = [event["id"] for event in hub.history(topic)]
    assert all([event.id for event in one.take(len(ids))] == ids for one in streams)
    for one in [*streams, kept]:
        one.close()


def shown_expiry(hub):
    """When the certificate ends that a new connection is shown, in seconds since 1970."""
    context = ssl._create_unverified_context()
    with socket.create_connection(("127.0.0.1", hub.port)) as plain, context.wrap_socket(plain) as secure:
        certificate = x509.load_der_x509_certificate(secure.getpeercert(binary_form=True))
    return int(certificate.not_valid_after_utc.timestamp())


def test_the_metrics_say_when_the_certificate_in_force_ends(start_hub, tmp_path):
    authority = Authority(tmp_path)
    hub = trusted(start_hub(*options(authority)), authority)
    name = "clarion_tls_certificate_expiry_timestamp_seconds"
    first = Reading.of(hub)[name]
    assert first == shown_expiry(hub) and 86_400 < first - time.time() <= 2 * 86_400
    authority.issue(days=90)
    assert Reading.of(hub)[name] == first, "it is not in force before SIGHUP"
    reload(hub, "The certificate was read again.")
    assert Reading.of(hub)[name] == shown_expiry(hub) > first + 80 * 86_400
    assert documented_metrics()[name] == ("gauge", set())


def test_what_cannot_be_read_leaves_the_former_certificate(start_hub, tmp_path):
    authority = Authority(tmp_path)
    hub = trusted(start_hub(*options(authority)), authority)
    serial = serial_shown(hub)
    certificate, key = authority.certificate.read_bytes(), authority.key.read_bytes()
    authority.issue()
    for name, contents in [("certificate", b""), ("key", key), ("certificate", certificate[:300])]:
        getattr(authority, name).write_bytes(contents)
        reload(hub, "The former certificate stays in force: ")
        assert serial_shown(hub) == serial
    authority.issue(days=-1)
    reload(hub, "The former certificate stays in force: ")
    assert "expired on " in hub.log and serial_shown(hub) == serial
    # Of another kind, too.
    serial = authority.issue(key=rsa.generate_private_key(65537, 2048))
    reload(hub, "The certificate was read again.")
    assert serial_shown(hub) == serial


@pytest.mark.parametrize("name", ["certificate", "key"])
def test_a_pipe_in_the_place_of_a_file_holds_nobody_up(start_hub, tmp_path, name):
    authority = Authority(tmp_path)
    hub = trusted(start_hub(*options(authority)), authority)
    serial = serial_shown(hub)
    path = getattr(authority, name)
    path.unlink()
    os.mkfifo(path)
    reload(hub, f"The former certificate stays in force: {path} is not a file")
    assert serial_shown(hub) == serial
    path.unlink()
    serial = authority.issue()
    reload(hub, "The certificate was read again.")
    assert serial_shown(hub) == serial
    hub.stop()


def test_a_certificate_may_come_by_a_pipe_at_the_start(executable, tmp_path):
    authority = Authority(tmp_path)
    # As a shell makes them, and what is in them comes later. They have been read when the hub announces itself.
    command = (
        f'exec {executable} serve --port 0 --data {tmp_path}/data '
        f'--tls-cert <(sleep 0.2; cat {authority.certificate}) --tls-key <(sleep 0.2; cat {authority.key})')
    hub = subprocess.Popen(["bash", "-c", command], stdout=subprocess.PIPE, text=True, env=environment_without_settings())
    try:
        assert "https://127.0.0.1:" in hub.stdout.readline()
    finally:
        hub.terminate()
        hub.wait(10)
    # Of one that nobody writes to, nothing comes.
    os.mkfifo(tmp_path / "pipe")
    result = subprocess.run(
        [str(executable), "serve", "--port", "0", "--tls-cert", str(tmp_path / "pipe"), "--tls-key", str(authority.key)],
        capture_output=True, text=True, timeout=10, env=environment_without_settings())
    assert refusal(result, "--tls-cert:", "pipe holds no certificate in PEM") == 64


def test_a_certificate_that_is_not_valid_yet_may_be_so_later(clarion, tmp_path):
    """A clock that is set after the hub was started mends it: a service manager tries again."""
    authority = Authority(tmp_path)
    authority.issue(days=9, begins=3)
    assert refusal(clarion("serve", "--port", "0", *options(authority)), "--tls-cert:", "is not valid before 20") == 1


#: What is done to the files, and what the hub says then, of the option.
FAULTS = {
    "no certificate file": (lambda a: a.certificate.unlink(), ["--tls-cert: there is no file"]),
    "no key file": (lambda a: a.key.unlink(), ["there is no file", "key.pem"]),
    "a folder": (lambda a: (a.key.unlink(), a.key.mkdir()), ["cannot read", "key.pem"]),
    "another's key": (
        lambda a: shutil.copy(Authority(a.key.parent / "other").key, a.key), ["is not the key of the certificate in"]),
    "expired": (lambda a: a.issue(days=-1), ["the certificate in", "expired on 20"]),
    "a passphrase": (lambda a: a.issue(passphrase=b"secret"), ["key.pem has a passphrase"]),
    "the key for the certificate": (lambda a: shutil.copy(a.key, a.certificate), ["certificate.pem holds no certificate"]),
    "the certificate for the key": (lambda a: shutil.copy(a.certificate, a.key), ["key.pem holds no private key in PEM"]),
    "empty": (lambda a: a.certificate.write_bytes(b""), ["certificate.pem holds no certificate in PEM"]),
    "large": (lambda a: a.certificate.write_bytes(bytes(1 << 21)), ["cannot read", "certificate.pem"]),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_certificate_that_cannot_be_used_is_refused_at_the_start(clarion, tmp_path, fault):
    (tmp_path / "other").mkdir()
    authority = Authority(tmp_path)
    change, words = FAULTS[fault]
    change(authority)
    assert refusal(clarion("serve", "--port", "0", *options(authority)), *words) == 64


def test_a_certificate_needs_its_key(clarion, authority):
    certificate, key = options(authority)[:2], options(authority)[2:]
    assert refusal(clarion("serve", *certificate), "--tls-cert: needs the key", "--tls-key") == 64
    assert refusal(clarion("serve", *key), "--tls-key: needs the certificate", "--tls-cert") == 64


# The commands

def run(executable, hub, *arguments, **environment):
    return subprocess.run(
        [str(executable), *arguments, "--hub", hub.url], capture_output=True, text=True, timeout=20, stdin=subprocess.DEVNULL,
        env=environment_without_settings(**environment))


def test_commands_trust_a_file_of_authorities(executable, hub, authority, topic, tmp_path):
    option, variable = ["--ca-file", str(authority.file)], {"CLARION_CA_FILE": str(authority.file)}
    assert run(executable, hub, "health", *option).stdout == "ready\n"
    assert run(executable, hub, "health", **variable).stdout == "ready\n"
    assert run(executable, hub, "post", topic, "hello", **variable).returncode == 0
    listening = subprocess.Popen(
        [str(executable), "listen", topic, "--since", "earliest", "--hub", hub.url, *option], stdout=subprocess.PIPE, text=True,
        env=environment_without_settings())
    assert "hello" in listening.stdout.readline()
    listening.terminate()
    listening.wait()

    untrusted = run(executable, hub, "health")
    assert untrusted.returncode == 2 and "is not trusted" in untrusted.stderr and "certificate" in untrusted.stderr
    other = tmp_path / "other"
    other.write_text("nothing")
    refused = run(executable, hub, "health", "--ca-file", str(other))
    assert refused.returncode == 64 and refused.stderr.startswith("clarion: --ca-file: ")
    damaged = authority.file.read_text().split("\n")
    damaged[2:-3] = ["nothing"]
    other.write_text("\n".join(damaged))
    refused = run(executable, hub, "health", "--ca-file", str(other))
    assert refused.returncode == 2 and "is not trusted" in refused.stderr


def test_commands_through_a_proxy_over_tls(executable, start_hub, authority, topic):
    """A session ticket of what speaks TLS for the hub, and the answer, come in one record of the proxy's."""
    hub = start_hub("--allow-host", "hub.test")
    with Proxy(authority=authority) as proxy, TLSWay(hub.port, authority) as way:
        for number in range(3):
            posted = subprocess.run(
                [executable, "post", topic, str(number), "--hub", f"https://hub.test:{way.port}", "--ca-file", authority.file],
                capture_output=True, text=True, timeout=20,
                env=environment_without_settings(https_proxy=f"https://localhost:{proxy.port}"))
            assert posted.returncode == 0, posted.stderr
        assert [method for method, *_ in proxy.asked] == ["CONNECT"] * 3


class TLSWay(Listener):
    """Speaks TLS, by OpenSSL, for what listens at a port without."""

    def __init__(self, port, authority):
        super().__init__()
        self._target = ("127.0.0.1", port)
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(authority.certificate, authority.key)

    def _serve(self, client):
        """One request and its answer, for which the connection ends."""
        with self._context.wrap_socket(client, server_side=True) as client, \
                socket.create_connection(self._target) as server:
            request = client.recv(65_536)
            while b"\r\n\r\n" not in request or len(request.partition(b"\r\n\r\n")[2]) < length_of_body(request):
                request += client.recv(65_536)
            server.sendall(request)
            client.sendall(server.recv(65_536))
            client.recv(1)


def length_of_body(request):
    return int(re.search(rb"(?i)content-length: *(\d+)", request)[1])


# Last, for it takes the time that has passed meanwhile.

def test_what_hangs_is_ended_and_what_rests_is_not(hub, lingering):
    connections, began = lingering
    for name in ["nothing", "half a handshake", "no request", "half a request"]:
        connections[name].settimeout(max(1, began + HANDSHAKE + 5 - time.monotonic()))
        # A word of why, perhaps, and the end.
        while connections[name].recv(1000):
            pass
    wait_until(lambda: time.monotonic() > began + HANDSHAKE + 1.5)
    connections["rest"].sendall(request("GET", "/healthz"))
    assert connections["rest"].recv(1000).startswith(b"HTTP/1.1 200")


def test_who_speaks_the_other_scheme_is_told_so(executable, hub, start_hub, authority, topic):
    plain = start_hub()
    for url, words in [(f"http://localhost:{hub.port}", "https://?"), (plain.url.replace("http:", "https:"), "http://, without TLS?")]:
        for command in [["post", topic, "x"], ["health"]]:
            result = subprocess.run(
                [executable, *command, "--hub", url, "--ca-file", authority.file], capture_output=True, text=True, timeout=20,
                env=environment_without_settings())
            assert result.returncode == 2 and words in result.stderr, result
