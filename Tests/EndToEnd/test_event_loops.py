"""One order on every event loop, whatever their number: a machine of 1, 2 and 4 processors."""

import json
import random
import select
import selectors
import socket
import threading
import time
from pathlib import Path

import pytest

from hub_process import events_path
from other_machine import OtherMachine
from problems import assert_problem
from raw_http import RawConnection, request
from waiting import wait_until

#: Connections that one loop gets before the next one gets any, and some more.
OF_A_LOOP = 36
EVENTS = 200


@pytest.mark.parametrize("loops", [1, 2, 4])
def test_streams_and_posts_of_all_loops_have_one_order(start_hub, tmp_path, topic, loops):
    hub = start_hub("--durability", "process", environment=OtherMachine(tmp_path, processors=loops).environment)

    def names():
        return [path.read_text() for path in Path(f"/proc/{hub.process.pid}/task").glob("*/comm")]

    # A thread takes its name when it first runs.
    wait_until(lambda: sum(name.startswith("event-loop-") for name in names()) == loops, what=f"{loops} loops")
    posters, streams = [], []
    for _ in range(loops):
        # On one loop each, about.
        posters.append(RawConnection(hub.port))
        streams += [hub.stream(topic) for _ in range(OF_A_LOOP)]

    permits = threading.Semaphore(EVENTS // 2)

    def post(connection):
        for _ in range(EVENTS // loops):
            assert permits.acquire(timeout=20)
            connection.send(request("POST", events_path(topic), {"Content-Type": "text/plain"}, b"x"))
            assert connection.receive().status == 201

    threads = [threading.Thread(target=post, args=(poster,)) for poster in posters]
    for thread in threads:
        thread.start()
    source = random.Random(loops)
    seen = []
    for number, stream in enumerate(streams):
        # Each leaves once, and comes back on a connection that may be another loop's, while the second half is posted.
        permits.release(EVENTS // len(streams) + 1)
        count = source.randrange(EVENTS // 2)
        seen.append([event.id for event in stream.take(count)])
        stream.close()
        place = {"last_event_id": seen[number][-1]} if count else {"query": "since=earliest"}
        streams[number] = hub.stream(topic, **place)
    for thread in threads:
        thread.join()
    order = [event["id"] for event in hub.history(topic)]
    assert len(order) == EVENTS
    for ids, stream in zip(seen, streams):
        assert ids + [event.id for event in stream.take(EVENTS - len(ids))] == order
        stream.close()
    for poster in posters:
        poster.close()


def unread_bytes(port, connection):
    """How much of what was sent the hub has not read (`proc_net_tcp` in the kernel's documentation)."""
    ends = [f"0100007F:{number:04X}" for number in (port, connection.socket.getsockname()[1])]
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()]
    sent = next(line[4].split(":")[0] for line in lines if line[1:3] == ends[::-1])
    received = next(line[4].split(":")[1] for line in lines if line[1:3] == ends)
    return int(sent, 16) + int(received, 16)


def test_others_do_not_wait_while_a_large_batch_is_taken_apart(start_hub, tmp_path, topic):
    environment = OtherMachine(tmp_path, processors=1).environment
    hub = start_hub("--max-body", str(32 << 20), environment=environment)
    event = {"specversion": "1.0", "source": "/s", "type": "t", "data": list(range(500))}
    # Which is refused at its end, so that its answer does not wait for the log.
    batch = json.dumps([event | {"id": str(number)} for number in range(9_999)] + [event])
    head = {"Content-Type": "application/cloudevents-batch+json"}
    with RawConnection(hub.port) as poster, RawConnection(hub.port) as other:
        whole = request("POST", events_path(topic), head, batch.encode())
        poster.send(whole[:-1])
        wait_until(lambda: unread_bytes(hub.port, poster) == 0, what="the hub to have read all but the last byte")
        poster.send(whole[-1:])
        other.send(request("GET", "/healthz"))
        ready, _, _ = select.select([poster.socket, other.socket], [], [], 30)
        assert ready == [other.socket], "the loop took the whole batch apart first"
        assert other.receive().status == 200
        assert_problem(poster.receive(), 400, "cloudevent-invalid", pointer="/9999/id")


@pytest.mark.measured
def test_the_end_of_a_flood_is_not_held_back(start_hub, topic, figure):
    """Streams of many that have had much wait for their turn, and for nothing else: the poster's connection is idle then."""
    hub = start_hub("--durability", "process", "--max-streams-per-client", "1000")
    selector = selectors.DefaultSelector()
    for _ in range(600):
        stream = socket.create_connection(("127.0.0.1", hub.port))
        stream.sendall(f"GET {events_path(topic)} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n".encode())
        selector.register(stream, selectors.EVENT_READ, bytearray())
    hub.wait_for_observers(600, limit=1000)
    for number in range(200):
        hub.post(topic, "last" if number == 199 else "more")
    posted = time.monotonic()
    waiting = 600
    while waiting:
        ready = selector.select(5)
        assert ready, f"{waiting} streams never hear the last event"
        for key, _ in ready:
            key.data.extend(key.fileobj.recv(1 << 20))
            if b"last" in key.data:
                waiting -= 1
                selector.unregister(key.fileobj)
                key.fileobj.close()
    figure.at_most(time.monotonic() - posted, 0.2, "from the last post to the last stream, in seconds,")
