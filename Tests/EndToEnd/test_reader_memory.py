"""What clients that read slowly, or not at all, cost: memory and processor time of the real process.

Every bound is generous, and far below what it was without one budget for all readers (the figure in each test).
"""

import contextlib
import json
import os
import re
import socket
import threading
import time
from pathlib import Path

import pytest

from credentials import CredentialsFile, grant
from event_stream import EventStream
from hub_process import events_path
from metrics import Reading, wait_for
from problems import assert_problem
from raw_http import RawConnection, request
from waiting import wait_until

pytestmark = pytest.mark.measured

MEBIBYTE = 1 << 20


def growth(hub, before):
    return (hub.rss() - before) / MEBIBYTE


def unread(hub, target, headers=None, receive_buffer=4096):
    """A request whose answer nobody reads, by a client with a small window."""
    connection = RawConnection(hub.port)
    connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    connection.send(request("GET", target, headers))
    return connection


def peak_of(hub, before, seconds=3.0):
    """The most memory that the hub takes until it has taken no more for a while."""
    most, since = 0, time.monotonic()
    while time.monotonic() - since < seconds:
        now = growth(hub, before)
        if now > most + 1:
            most, since = now, time.monotonic()
        time.sleep(0.02)
    return most


def highest(hub, before):
    """The most memory that the hub has taken since ``before = settled(hub)`` (proc(5), VmHWM)."""
    status = Path(f"/proc/{hub.process.pid}/status").read_text()
    return (int(re.search(r"VmHWM:\s+([0-9]+) kB", status).group(1)) * 1024 - before) / MEBIBYTE


def settled(hub):
    """Its memory now, from which the highest counts anew (proc(5), clear_refs)."""
    Path(f"/proc/{hub.process.pid}/clear_refs").write_text("5")
    return hub.rss()


def cpu(hub):
    """Seconds of processor time (proc(5), utime and stime)."""
    fields = Path(f"/proc/{hub.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def post_many(hub, topic, count, data=b"x", type=None):
    """Posts as fast as a batch can."""
    lines = b"\n".join([json.dumps({"data": data.decode()} | ({"type": type} if type else {})).encode()] * 1000)
    for _ in range(count // 1000):
        response = hub.request("POST", events_path(topic), data=lines, headers={"Content-Type": "application/x-ndjson"})
        assert response.status_code == 201, response.text


def test_a_stream_of_few_types_does_not_keep_the_events_beside_them(start_hub, topic, figure):
    """147 MiB when its small parts kept whole runs alive."""
    hub = start_hub("--durability", "process")
    stream = EventStream.of(hub.port, topic, query="type=small", receive_buffer=4096).wait_for_comment()
    # Beyond what the kernel takes, so that what follows waits in the hub.
    filled = 0
    while hub.observer(stream.observer_id)["queuedBytes"] < 200_000:
        hub.post(topic, b"z" * 20_000, type="small")
        filled += 1
    hub.post(topic, b"x" * 900_000, type="large")
    before = hub.rss()
    # Small and large in one commit, so that they are one run.
    event = {"specversion": "1.0", "source": "s", "datacontenttype": "text/plain"}
    posted = 0
    for number in range(140):
        batch = [event | {"id": f"{number}s", "type": "small", "data": "y" * 100},
                 event | {"id": f"{number}l", "type": "large", "data": "x" * 900_000}]
        response = hub.request("POST", events_path(topic), json=batch,
                               headers={"Content-Type": "application/cloudevents-batch+json"})
        assert response.status_code == 201, response.text
        posted += 1
    grown = growth(hub, before)
    figure(f"{grown:.0f} MiB more after {posted * 0.9:.0f} MB past a stream of small events that nobody reads")
    assert grown < 60
    messages = stream.take(filled + posted, timeout=60)
    assert [message.data for message in messages] == ["z" * 20_000] * filled + ["y" * 100] * posted
    stream.close()


def test_unread_histories_share_one_budget(start_hub, topic, figure):
    """725 MiB for 20 of 5 × 1 MiB of control characters."""
    hub = start_hub("--max-reader-memory", str(64 * MEBIBYTE), "--durability", "process")
    ids = [hub.post(topic, b"\x01" * MEBIBYTE)["id"] for _ in range(5)]
    before = hub.rss()
    connections = [unread(hub, events_path(topic)) for _ in range(20)]
    peak = peak_of(hub, before)
    figure(f"{peak:.0f} MiB at most for 20 histories that nobody reads, of a budget of 64 MiB")
    assert peak < 180
    for connection in connections:
        connection.close()
    wait_until(lambda: hub.get(events_path(topic)).status_code == 200)
    assert [event["id"] for event in hub.history(topic)] == ids
    figure(f"{growth(hub, before):.0f} MiB more when they are gone")


def test_unread_streams_of_history_share_one_budget(start_hub, topic, figure):
    """280 MiB for 30 of 1 MiB of line breaks."""
    hub = start_hub("--max-reader-memory", str(64 * MEBIBYTE), "--durability", "process")
    ids = [hub.post(topic, b"\n" * MEBIBYTE)["id"] for _ in range(4)]
    before = hub.rss()
    streams = [EventStream.of(hub.port, topic, query="since=earliest", receive_buffer=4096) for _ in range(30)]
    peak = peak_of(hub, before)
    figure(f"{peak:.0f} MiB at most for 30 streams of large events that nobody reads, of a budget of 64 MiB")
    assert peak < 180
    # Others still hear at once what is posted.
    with hub.stream(topic + ".other") as other:
        posted = hub.post(topic + ".other", b"hello")["id"]
        assert other.next().id == posted
    for stream in streams[1:]:
        stream.close()
    # Those that were waiting for room get it as others leave.
    assert [message.id for message in streams[0].take(4, timeout=60)] == ids
    streams[0].close()


def test_who_takes_next_to_nothing_is_given_up_when_others_wait(start_hub, topic, figure):
    """They waited for as long as it liked."""
    # What one event of line breaks becomes is nearly all there is.
    hub = start_hub("--max-reader-memory", str(8 * MEBIBYTE), "--durability", "process")
    ids = [hub.post(topic, b"\n" * MEBIBYTE)["id"] for _ in range(4)]
    target = f"{events_path(topic)}?since=earliest"
    holders = [unread(hub, target, {"Accept": "text/event-stream"}) for _ in range(2)]
    waiting_reader_begins = wait_until(lambda: len(hub.observers()) == 2 and time.monotonic())
    is_done = threading.Event()
    reading = threading.Thread(target=trickle, args=(holders, is_done))
    reading.start()
    try:
        with EventStream.of(hub.port, topic, query="since=earliest") as stream:
            assert [message.id for message in stream.take(4, timeout=60)] == ids
            waited = time.monotonic() - waiting_reader_begins
            figure(f"{waited:.0f} s until a reader had the memory that two others held in turn")
            # Those that were given up are gone.
            assert [observer["id"] for observer in hub.observers()] == [stream.observer_id]
    finally:
        is_done.set()
        reading.join()
    for holder in holders:
        holder.close()


def trickle(connections, is_done):
    """Reads 2 KiB a second from each, so that they are never quite still."""
    while not is_done.wait(1):
        for connection in connections:
            connection.socket.settimeout(0)
            with contextlib.suppress(OSError):
                connection.socket.recv(2048)


def test_attributes_count(start_hub, topic, figure):
    """207 MiB for one answer of CloudEvents with 1 MB of attributes each."""
    hub = start_hub("--durability", "process")
    for number in range(100):
        event = {"specversion": "1.0", "id": str(number), "source": "s", "type": "t", "note": "x" * 1_000_000}
        assert hub.request("POST", events_path(topic), json=event,
                           headers={"Content-Type": "application/cloudevents+json"}).status_code == 201
    before = settled(hub)
    seen, after = 0, None
    while True:
        page = hub.get(events_path(topic), params={"after": after} if after else {}).json()
        seen += len(page["events"])
        after = page["next"]
        if after is None:
            break
    peak = highest(hub, before)
    figure(f"{peak:.0f} MiB at most for the history of 100 events with 1 MB of attributes each")
    assert seen == 100 and peak < 100


@pytest.mark.parametrize("query", ["type=none", "last=10&type=none"])
def test_abandoned_histories_cost_little(start_hub, topic, figure, query):
    """14 s of processor time for 40 over 300,000 events."""
    hub = start_hub("--durability", "memory")
    post_many(hub, topic, 300_000)
    target = f"{events_path(topic)}?{query}"
    hub.get(target)
    before = cpu(hub)
    assert hub.get(target).json() == {"events": [], "next": None}
    whole = cpu(hub) - before
    before = cpu(hub)
    for _ in range(40):
        with RawConnection(hub.port) as connection:
            connection.send(request("GET", target))
    hub.get("/healthz")
    # Until nothing goes on any more.
    spent = -1.0
    while spent != (spent := cpu(hub) - before):
        time.sleep(0.5)
    figure(f"{spent:.2f} s of processor time for 40 abandoned histories, where one that is waited for takes {whole:.2f} s")
    assert spent < max(1.0, 8 * whole)


#: So many that to look through all their names takes its time.
TOPICS = 20_000


@pytest.fixture(scope="module")
def crowded(start_shared_hub, tmp_path_factory):
    """A hub with many topics, and keys of those who may hear next to none of them."""
    file = CredentialsFile(tmp_path_factory.mktemp("keys"), {
        "admin": grant("**"), "few": grant("few.**"), "none": {"subscribe": ["*.none"]}})
    hub = start_shared_hub("--credentials", str(file.path), "--durability", "process")
    hub.headers = {name: {"Authorization": f"Bearer {key}"} for name, key in file.keys.items()}

    def make(numbers):
        with RawConnection(hub.port) as connection:
            for start in range(0, len(numbers), 100):
                part = numbers[start:start + 100]
                connection.send(b"".join(
                    request("POST", f"/topics/n{number}.q/events", hub.headers["admin"], b"x") for number in part))
                assert {connection.receive().status for _ in part} == {201}

    makers = [threading.Thread(target=make, args=(range(first, TOPICS, 4),)) for first in range(4)]
    for maker in makers:
        maker.start()
    for maker in makers:
        maker.join()
    hub.request("POST", "/topics/few.x/events", data=b"hello", headers=hub.headers["few"])
    return hub


@pytest.mark.parametrize("who, target, count", [
    ("none", "/topics?limit=1", 100), ("few", "/topics/few.%2A/events?since=last&limit=1", 1000)])
def test_abandoned_looks_through_topics_cost_little_and_hold_nobody_up(crowded, figure, who, target, count):
    """11 s of processor time for 100 lists of topics, while others were answered 503; 5 s for 1,000 histories."""
    headers = crowded.headers[who]
    assert crowded.get(target, headers=headers).status_code == 200
    before = cpu(crowded)
    assert crowded.get(target, headers=headers).status_code == 200
    whole = cpu(crowded) - before
    before = cpu(crowded)
    for _ in range(count):
        with RawConnection(crowded.port) as connection:
            connection.send(request("GET", target, headers))
    began = time.monotonic()
    other = crowded.get("/topics/few.x/value", headers=crowded.headers["few"], timeout=60)
    waited = time.monotonic() - began
    spent = -1.0
    while spent != (spent := cpu(crowded) - before):
        time.sleep(0.5)
    figure(f"{spent:.2f} s of processor time and {waited:.2f} s until another is answered for {count} abandoned looks, "
           f"where one that is waited for takes {whole:.2f} s")
    assert other.status_code == 200 and waited < 2
    assert spent < max(1.0, 4 * whole)


def test_unread_values_and_lists_share_the_budget(start_hub, topic, figure):
    """Whole answers count like any other."""
    hub = start_hub("--max-reader-memory", str(16 * MEBIBYTE), "--durability", "process")
    hub.post(topic, b"x" * MEBIBYTE)
    before = hub.rss()
    # An answer of a megabyte disappears in the kernel's buffers; those that are asked for after it wait in memory.
    connections = []
    for _ in range(120):
        connection = unread(hub, f"/topics/{topic}/value")
        connection.send(request("GET", f"/topics/{topic}/value") * 4)
        connections.append(connection)
    peak = peak_of(hub, before, 5)
    figure(f"{peak:.0f} MiB at most for 120 clients that do not read values of 1 MiB, of a budget of 16 MiB")
    assert peak < 90
    for connection in connections:
        connection.close()
    wait_until(lambda: hub.get(f"/topics/{topic}/value").status_code == 200)


def test_who_does_not_read_an_answer_is_given_up_when_others_wait(start_hub, topic, figure):
    """It kept its memory for 75 s, and could come back for more."""
    hub = start_hub("--max-reader-memory", str(16 * MEBIBYTE), "--max-body", "5MiB", "--durability", "process")
    slow, steady = topic, f"{topic}.steady"
    hub.post(other := f"{topic}.other", b"hello")
    hub.post(slow, b"x" * MEBIBYTE)
    hub.post(steady, b"y" * (5 * MEBIBYTE))
    with unread(hub, f"/topics/{steady}/value", receive_buffer=64 * 1024) as reader:
        wait_for(hub, lambda reading: reading["clarion_outbox_bytes"] >= 5 * MEBIBYTE, "an answer that is waited for")
        is_served, answer = threading.Event(), bytearray()
        reading = threading.Thread(target=read_steadily, args=(reader, answer, 5 * MEBIBYTE, is_served))
        reading.start()
        began = time.monotonic()
        holders = []
        while Reading.of(hub)["clarion_outbox_bytes"] < 16 * MEBIBYTE:
            # The kernel's buffers take what is asked for first.
            holders.append(unread(hub, f"/topics/{slow}/value"))
            holders[-1].send(request("GET", f"/topics/{slow}/value") * 3)
        assert_problem(hub.get(events_path(other)), 503, "overloaded")
        sockets = hub.sockets()
        wait_until(lambda: hub.get(events_path(other)).status_code == 200, 25, "room for a history")
        figure(f"{time.monotonic() - began:.0f} s until a history had the memory of {len(holders)} unread answers")
        # Nobody here has closed those that were given up.
        wait_until(lambda: hub.sockets() < sockets, what="the end of one that does not read")
        is_served.set()
        # Who reads at a fair pace keeps what it holds.
        reading.join()
        assert answer.endswith(b"y" * (5 * MEBIBYTE))
    # What those keep that are left, nobody waits for.
    assert hub.get(events_path(other)).status_code == 200
    for holder in holders:
        holder.close()
    wait_for(hub, lambda reading: reading["clarion_outbox_bytes"] == 0, "an empty budget")


def read_steadily(connection, answer, length, is_done):
    """Reads 64 KiB a second, and the rest at once, until a body of so many bytes has come or the connection ends."""
    connection.socket.settimeout(30)
    while answer.find(b"\r\n\r\n") + 4 + length > len(answer) and (piece := connection.socket.recv(8 * 1024)):
        answer += piece
        is_done.wait(len(piece) / (64 * 1024))


@pytest.mark.parametrize("path", ["/openapi.json", "/docs", "/errors"])
def test_descriptions_take_nothing_of_the_budget(start_hub, topic, figure, path):
    """62 clients that did not read `/openapi.json` took 16 MiB, and a history was answered 503."""
    hub = start_hub("--max-reader-memory", str(MEBIBYTE), "--durability", "process")
    hub.post(topic, b"x" * 50_000)
    size = len(hub.get(path).content)
    before = hub.rss()
    connections = []
    for _ in range(100):
        connection = unread(hub, path)
        connection.send(request("GET", path) * 8)
        connections.append(connection)
        assert connection.receive(body_follows=False).status == 200
    assert Reading.of(hub)["clarion_outbox_bytes"] == 0
    assert hub.get(events_path(topic)).status_code == 200
    figure(f"{growth(hub, before):.0f} MiB more for 100 clients that do not read {size / MEBIBYTE:.2f} MiB")
    assert growth(hub, before) < 15
    for connection in connections:
        connection.close()


def test_memory_falls_back_when_slow_readers_are_gone(start_hub, topic, figure):
    hub = start_hub("--durability", "process")
    for _ in range(60):
        hub.post(topic, b"x" * MEBIBYTE)
    with EventStream.of(hub.port, topic, query="since=earliest") as stream:
        stream.take(60, timeout=60)
    before = hub.rss()
    for _ in range(3):
        streams = [EventStream.of(hub.port, topic, query="since=earliest", receive_buffer=4096) for _ in range(40)]
        peak = peak_of(hub, before, 1)
        for stream in streams:
            stream.close()
        hub.wait_for_observers(0)
    figure(f"{peak:.0f} MiB with 40 streams that stand still, {growth(hub, before):.0f} MiB more after three rounds of them")
    assert growth(hub, before) < 120
