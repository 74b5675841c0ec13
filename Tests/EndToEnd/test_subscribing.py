"""Streams: what is heard, from where, in which order, and what a slow or broken client costs the others."""

import base64
import json
import re
import subprocess
import threading
import time
from urllib.parse import quote

import pytest

from event_stream import EventStream, StreamRefused
from hub_process import events_path
from problems import assert_problem
from raw_http import RawConnection, request
from waiting import wait_until

SPELLINGS = ["last-event-id", "last_event_id", "lastEventID", "lastEventId", "after"]


def data(messages):
    return [message.data for message in messages]


class Posters:
    """Posts many events from several connections at once.

    ``pace(number)`` is called before each connection's post of that number, and may hold it back.
    """

    def __init__(self, hub, topic, connections, each, pace=lambda number: None):
        self.ids = []
        self.failures = []
        self._lock = threading.Lock()
        self._threads = [
            threading.Thread(target=self._post, args=(hub.port, topic, name, each, pace)) for name in range(connections)]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        for thread in self._threads:
            thread.join()
        assert self.failures == []

    def _post(self, port, topic, name, each, pace):
        try:
            with RawConnection(port) as connection:
                for number in range(each):
                    pace(number)
                    connection.send(request("POST", events_path(topic), body=f"{name} {number}".encode()))
                    response = connection.receive()
                    assert response.status == 201, response
                    with self._lock:
                        self.ids.append(response.json()["id"])
        except Exception as failure:
            self.failures.append(failure)


# The answer

def test_the_head_of_a_stream(shared_hub, topic):
    with EventStream.of(shared_hub.port, topic) as stream:
        assert stream.status_line == "HTTP/1.1 200 OK"
        assert stream.headers["content-type"] == "text/event-stream; charset=utf-8"
        assert stream.headers["cache-control"] == "no-store"
        assert stream.headers["x-accel-buffering"] == "no"
        assert stream.headers["server"] == "clarion"
        assert stream.headers["request-id"]
        assert stream.headers["clarion-observer-id"]
        assert stream.headers["clarion-last-event-id"]
        assert "content-length" not in stream.headers


def test_retry_and_a_comment_come_at_once(shared_hub, topic, figure):
    began = time.monotonic()
    with EventStream.of(shared_hub.port, topic) as stream:
        stream.wait_for_comment(timeout=2)
        figure(f"{(time.monotonic() - began) * 1000:.1f} ms from connecting to the first comment")
        assert stream.parser.retry == 3000
        assert stream.take_for(0) == []


def test_what_is_no_event_has_no_block_that_a_parser_could_take_for_one(start_hub, topic):
    """httpx-sse yields an empty event for a block with `retry:`, and for any block once it has had an id."""
    hub = start_hub("--keep-alive", "1")
    received = b""

    def read_until(mark):
        nonlocal received
        while mark is None or mark not in received:
            piece = connection.socket.recv(65536)
            received += piece
            if not piece:
                assert mark is None, received
                return

    with RawConnection(hub.port) as connection:
        # As HTTP/1.0 the bytes come as they are, in no chunks.
        connection.send(request("GET", events_path(topic), {"Accept": "text/event-stream"}, version="HTTP/1.0"))
        read_until(b"retry: 3000\n")
        receipt = hub.post(topic, "first")
        read_until(b"data: first\n\n: keep-alive\n")
        hub.post(topic, "second")
        read_until(b"data: second\n\n")
        [observer] = hub.observers(topic=topic)
        assert hub.request("DELETE", f"/observers/{observer['id']}").status_code == 204
        read_until(None)
    blocks = received.partition(b"\r\n\r\n")[2].decode().split("\n\n")
    assert blocks[0].startswith(f": clarion\nretry: 3000\nid: {receipt['id']}\n")
    assert len(blocks) == 3
    assert all("\ndata: " in block for block in blocks[:-1]), blocks
    assert re.fullmatch("retry: [1-5][0-9]{3}\n: goodbye\n?", blocks[-1])


def test_curl_as_the_readme_shows_it(shared_hub, topic):
    url = f"{shared_hub.url}/topics/{topic}/events"
    curl = subprocess.Popen(
        ["curl", "-sN", url, "-H", "Accept: text/event-stream"], stdout=subprocess.PIPE, text=True)
    try:
        lines = iter(curl.stdout.readline, "")
        assert any(line.startswith(":") for line in [next(lines), next(lines)])
        receipt = json.loads(subprocess.run(
            ["curl", "-sS", "-d", "hello", url], capture_output=True, text=True, timeout=20, check=True).stdout)
        event = []
        while "data: hello\n" not in event:
            event.append(next(lines))
        assert f"id: {receipt['id']}\n" in event
        assert next(lines) == "\n"
    finally:
        curl.kill()
        curl.wait()


@pytest.mark.parametrize("accept", [
    "text/event-stream", "text/event-stream, */*;q=0.1", "application/json;q=0.5, Text/Event-Stream;charset=utf-8",
    "text/event-stream;q=0.9, application/json;q=0.8"])
def test_what_asks_for_a_stream_gets_one(shared_hub, topic, accept):
    with EventStream.of(shared_hub.port, topic, headers={"Accept": accept}) as stream:
        stream.wait_for_comment()


@pytest.mark.parametrize("accept", [
    "*/*", "application/json", "application/*", "text/event-stream;q=0, application/json", "text/event-stream;q=0.1, */*"])
def test_what_does_not_gets_history(shared_hub, topic, accept):
    response = shared_hub.get(events_path(topic), headers={"Accept": accept})
    assert response.headers["Content-Type"] == "application/json"


@pytest.mark.measured
def test_silence_is_broken_by_a_comment(start_hub, topic, figure):
    hub = start_hub("--keep-alive", "1")
    with hub.stream(topic) as stream:
        first = len(stream.parser.comments)
        for number in range(2):
            began = time.monotonic()
            wait_until(lambda: stream.take_for(0.05) or len(stream.parser.comments) > first + number,
                       what="a keep-alive comment")
            figure.at_most(time.monotonic() - began, 5, "the silence, in seconds,")
        hub.post(topic, "still open")
        assert stream.next().data == "still open"


def test_a_client_of_http_1_0_gets_a_stream(shared_hub, topic):
    with RawConnection(shared_hub.port) as connection:
        connection.send(request("GET", events_path(topic), {"Accept": "text/event-stream"}, version="HTTP/1.0"))
        shared_hub.wait_for_observers(1, topic=topic)
        shared_hub.post(topic, "old")
        received = b""
        while b"data: old\n\n" not in received:
            piece = connection.socket.recv(4096)
            assert piece, received
            received += piece
        assert b"transfer-encoding" not in received.lower()


# Who hears what

def test_each_pattern_hears_exactly_its_own(shared_hub, topic):
    names = [f"{topic}.created", f"{topic}.paid", f"{topic}.created.eu", f"{topic}", f"{topic}x.created", f"x{topic}.created",
             f"{topic}.", f"{topic}.a.b.c", f"other.{topic}.created"]
    expected = {
        f"{topic}.*": [f"{topic}.created", f"{topic}.paid", f"{topic}."],
        f"{topic}.**": [f"{topic}.created", f"{topic}.paid", f"{topic}.created.eu", f"{topic}.", f"{topic}.a.b.c"],
        f"{topic}.created": [f"{topic}.created"],
        "*.created": [f"{topic}.created", f"{topic}x.created", f"x{topic}.created"],
        f"*.{topic}.*": [f"other.{topic}.created"],
        f"{topic}.*.*": [f"{topic}.created.eu"],
        f"{topic}.*.**": [f"{topic}.created.eu", f"{topic}.a.b.c"],
        f"{topic}.*.eu": [f"{topic}.created.eu"],
        "**": names,
        f"{topic}": [f"{topic}"],
    }
    streams = {pattern: shared_hub.stream(pattern) for pattern in expected}
    for name in names:
        shared_hub.post(name, name)
    # What ends the waiting is an event of the very topics, so that one too many would be seen before it.
    for pattern, stream in streams.items():
        marker = pattern.replace("**", "end.end" if pattern == f"{topic}.**" else "end").replace("*", "end")
        shared_hub.post(marker, f"end of {pattern}")
        heard = []
        while not heard or heard[-1] != f"end of {pattern}":
            heard.append(stream.next().data)
        assert [one for one in heard if not one.startswith("end of ")] == expected[pattern], pattern
        stream.close()


def test_many_topics_on_one_stream(shared_hub, topic):
    with EventStream(shared_hub.port, f"/events?topic={topic}.a&topic={topic}.b.**") as stream:
        stream.wait_for_comment()
        for name in ("a", "b", "b.x", "c", "a.x", "b.x.y"):
            shared_hub.post(f"{topic}.{name}", name)
        assert data(stream.take(3)) == ["a", "b.x", "b.x.y"]


def test_patterns_that_overlap_deliver_once(shared_hub, topic):
    query = "&".join(f"topic={topic}.{rest}" for rest in ("*", "created", "**", "created", "*.*"))
    with EventStream(shared_hub.port, f"/events?{query}") as stream:
        stream.wait_for_comment()
        ids = []
        for number in range(20):
            ids.append(shared_hub.post(f"{topic}.created", str(number))["id"])
            ids.append(shared_hub.post(f"{topic}.created.eu", str(number))["id"])
        live = stream.take(40)
    with EventStream(shared_hub.port, f"/events?{query}&since=earliest") as stream:
        replayed = stream.take(40)
        end = shared_hub.post(f"{topic}.end", "end")["id"]
        assert stream.next().id == end
    assert [message.id for message in live] == ids
    assert [message.id for message in replayed] == ids


def test_streams_of_one_topic_hear_the_same(shared_hub, topic):
    streams = [shared_hub.stream(topic) for _ in range(20)]
    with Posters(shared_hub, topic, connections=4, each=50):
        heard = [[message.id for message in stream.take(200)] for stream in streams]
    history = [event["id"] for event in shared_hub.history(topic)]
    assert all(one == history for one in heard)
    for stream in streams:
        stream.close()


def test_only_the_types_that_are_asked_for(shared_hub, topic):
    with shared_hub.stream(topic, query="type=created,paid") as live:
        for type in ("created", None, "cancelled", "paid", "created,paid", "Created", "message", "created"):
            shared_hub.post(topic, str(type), type=type)
        assert data(live.take(3)) == ["created", "paid", "created"]
        shared_hub.post(topic, "end", type="paid")
        assert live.next().data == "end"
    with EventStream.of(shared_hub.port, topic, query="type=created,paid&since=earliest") as replayed:
        assert data(replayed.take(4)) == ["created", "paid", "created", "end"]


def test_a_stream_does_not_hear_what_came_before_it(shared_hub, topic):
    shared_hub.post(topic, "before")
    for query in ("", "since=latest"):
        with shared_hub.stream(topic, query=query) as stream:
            shared_hub.post(topic, "after")
            assert stream.next().data == "after"


# The envelope

ENVELOPED = [
    ('{"a": [1, 2],\n "b": "ü"}', "application/json", "created", {"data": {"a": [1, 2], "b": "ü"}}),
    ("[1]", "application/vnd.x+json", None, {"data": [1]}),
    ("one\r\ntwo\n", "text/plain; charset=utf-8", "note", {"data": "one\r\ntwo\n"}),
    # As a string it would say that the data is a string of JSON (CloudEvents JSON format, section 3.1.1).
    ('{"broken":', "application/json", None, {"data_base64": base64.b64encode(b'{"broken":').decode()}),
    (bytes(range(256)), "image/x-test", None, {"data_base64": base64.b64encode(bytes(range(256))).decode()}),
    ("", "text/plain", None, {"data": ""}),
]


@pytest.mark.parametrize("kind", ["json", "cloudevents"])
def test_events_in_an_envelope_that_knows_their_topic(shared_hub, topic, kind):
    target = f"/events?topic={topic}.*&topic={topic}&envelope={kind}"
    name = f"{topic}.a/b ü".replace(" ", "")
    with EventStream(shared_hub.port, target) as live, shared_hub.stream(name) as plain:
        live.wait_for_comment()
        receipts = [
            shared_hub.post(name, body if isinstance(body, bytes) else body.encode(), type=type,
                            headers={"Content-Type": content_type})
            for body, content_type, type, _ in ENVELOPED]
        heard = live.take(len(ENVELOPED))
        # Others on the same topic hear the data alone.
        assert plain.next().data == ENVELOPED[0][0]
    with EventStream(shared_hub.port, f"{target}&since=earliest") as late:
        assert late.take(len(ENVELOPED)) == heard
    page = shared_hub.get(events_path(name), headers={"Accept": "application/x-ndjson"}).text
    history = {event["id"]: event for event in map(json.loads, page.splitlines())}
    for message, receipt, (_, content_type, type, data) in zip(heard, receipts, ENVELOPED):
        assert message.id == receipt["id"]
        # No `event:` line, so that `onmessage` hears every type.
        assert message.type == "message"
        envelope = json.loads(message.data)
        if kind == "json":
            # What history shows, to the byte.
            assert envelope == history[receipt["id"]]
            assert message.data in page
            continue
        expected = {
            "specversion": "1.0", "id": receipt["id"], "subject": name, "time": receipt["time"],
            "datacontenttype": content_type, **data}
        assert {member: envelope[member] for member in expected} == expected
        assert set(envelope) == {*expected, "source", "type"}
        # Both are required to be there and not empty.
        assert envelope["source"]
        assert envelope["type"] == type if type else envelope["type"]


@pytest.mark.parametrize("envelope", ["paper", "", "JSON", "json,cloudevents"])
def test_another_envelope_is_refused(shared_hub, topic, envelope):
    with pytest.raises(StreamRefused) as refused:
        EventStream.of(shared_hub.port, topic, query=f"envelope={envelope}")
    assert refused.value.status == 400
    assert json.loads(refused.value.body)["parameter"] == "envelope"
    assert shared_hub.observers(topic=topic) == []


# Resuming

def test_from_the_earliest(shared_hub, topic):
    shared_hub.post(f"{topic}.other", "not this")
    ids = [shared_hub.post(topic, str(number))["id"] for number in range(10)]
    with EventStream.of(shared_hub.port, topic, query="since=earliest") as stream:
        assert [message.id for message in stream.take(10)] == ids
        ids.append(shared_hub.post(topic, "live")["id"])
        assert stream.next().id == ids[-1]


@pytest.mark.parametrize("spelling", ["header", *SPELLINGS])
def test_after_the_last_event_id(shared_hub, topic, spelling):
    for position in (0, 3, 5):
        name = f"{topic}.{position}"
        ids = [shared_hub.post(name, str(number))["id"] for number in range(6)]
        options = {"last_event_id": ids[position]} if spelling == "header" else {"query": f"{spelling}={ids[position]}"}
        with EventStream.of(shared_hub.port, name, **options) as stream:
            assert stream.headers["clarion-last-event-id"] == ids[position]
            assert [message.id for message in stream.take(5 - position)] == ids[position + 1:]
            live = shared_hub.post(name, "live")["id"]
            assert stream.next().id == live


def test_the_header_wins_over_the_query_and_both_over_since(shared_hub, topic):
    ids = [shared_hub.post(topic, str(number))["id"] for number in range(4)]
    with EventStream.of(
            shared_hub.port, topic, query=f"last-event-id={ids[0]}&since=earliest", last_event_id=ids[2]) as stream:
        assert stream.next().id == ids[3]
    with EventStream.of(shared_hub.port, topic, query=f"since=latest&lastEventId={ids[1]}") as stream:
        assert [message.id for message in stream.take(2)] == ids[2:]


def test_an_empty_last_event_id_is_none(shared_hub, topic):
    shared_hub.post(topic, "before")
    with shared_hub.stream(topic, last_event_id="") as stream:
        shared_hub.post(topic, "after")
        assert stream.next().data == "after"


def test_after_an_event_of_another_topic(shared_hub, topic):
    shared_hub.post(topic, "before")
    id = shared_hub.post(f"{topic}.other", "x")["id"]
    after = shared_hub.post(topic, "after")["id"]
    with EventStream.of(shared_hub.port, topic, last_event_id=id) as stream:
        message = stream.next()
        assert (message.id, message.type) == (after, "message")


def test_a_stream_that_heard_nothing_can_resume_where_it_began(shared_hub, topic):
    shared_hub.post(topic, "before")
    with shared_hub.stream(topic) as stream:
        beginning = stream.headers["clarion-last-event-id"]
    missed = shared_hub.post(topic, "missed")["id"]
    with EventStream.of(shared_hub.port, topic, last_event_id=beginning) as stream:
        assert stream.next().id == missed


@pytest.mark.parametrize("id", ["nothing", "0", "-1", "zzzzzz-1", "1", "ümläut", "x" * 200, "' OR 1=1 --"])
def test_an_unknown_id_is_told_as_a_gap(shared_hub, topic, id):
    first = shared_hub.post(topic, "first")["id"]
    second = shared_hub.post(topic, "second")["id"]
    requests = [{"query": f"last-event-id={quote(id)}"}]
    if id.isascii():
        requests.append({"last_event_id": id})
    for options in requests:
        with EventStream.of(shared_hub.port, topic, **options) as stream:
            gap, *events = stream.take(3)
            assert gap.type == "gap"
            assert not gap.has_id
            assert json.loads(gap.data) == {"after": id, "resumed": first, "reason": "unknown-id"}
            assert [event.id for event in events] == [first, second]


def test_an_id_of_mercure_for_all_that_is_there(shared_hub, topic):
    first = shared_hub.post(topic, "first")["id"]
    for options in ({"query": "last_event_id=earliest"}, {"last_event_id": "earliest"}, {"query": "lastEventID=earliest"}):
        with EventStream.of(shared_hub.port, topic, **options) as stream:
            assert stream.next().id == first


def test_a_gap_before_nothing_resumes_at_null(shared_hub, topic):
    with EventStream.of(shared_hub.port, topic, last_event_id="nothing") as stream:
        gap = stream.next()
        assert json.loads(gap.data) == {"after": "nothing", "resumed": None, "reason": "unknown-id"}
        assert gap.id == ""
        id = shared_hub.post(topic, "live")["id"]
        assert stream.next().id == id


def test_an_id_of_another_hub_is_unknown_not_misread(start_hub, shared_hub, topic):
    other = start_hub()
    for number in range(3):
        foreign = other.post(topic, "foreign")["id"]
    own = [shared_hub.post(topic, str(number))["id"] for number in range(5)]
    with EventStream.of(shared_hub.port, topic, last_event_id=foreign) as stream:
        gap, *events = stream.take(6)
        assert json.loads(gap.data) == {"after": foreign, "resumed": own[0], "reason": "unknown-id"}
        assert [event.id for event in events] == own


def test_an_id_that_is_yet_to_come_is_unknown(shared_hub, topic):
    own = shared_hub.post(topic, "x")["id"]
    # The one place that knows how this log makes its ids.
    epoch, _, position = own.rpartition("-")
    future = f"{epoch}-{int(position) + 1_000_000}"
    with EventStream.of(shared_hub.port, topic, last_event_id=future) as stream:
        gap, event = stream.take(2)
        assert gap.type == "gap"
        assert event.id == own


def test_2000_events_while_a_stream_reconnects_every_50_ms(hub, topic, figure):
    seen, connections, last = [], 0, None
    # A quick machine would be done after a few connections: at most ten posts of each poster go to one of them.
    reconnected = threading.Condition()

    def pace(number):
        with reconnected:
            assert reconnected.wait_for(lambda: number < 10 * connections, timeout=60)

    with Posters(hub, topic, connections=8, each=250, pace=pace) as posters:
        end = time.monotonic() + 60
        while len(seen) < 2000:
            assert time.monotonic() < end, f"{len(seen)} of 2000 events within 60 s"
            options = {"last_event_id": last} if last else {"query": "since=earliest"}
            stream = EventStream.of(hub.port, topic, **options)
            with reconnected:
                connections += 1
                reconnected.notify_all()
            messages = stream.take_for(0.05)
            assert all(message.type == "message" for message in messages)
            seen += [message.id for message in messages]
            last = stream.last_event_id or last
            # Both kinds of end, wherever in a frame they fall.
            stream.reset() if connections % 2 else stream.close()
    figure(f"2,000 events over {connections} connections of one stream")
    assert connections >= 25
    assert seen == [event["id"] for event in hub.history(topic)]
    assert set(seen) == set(posters.ids)
    assert len(set(seen)) == 2000


def test_the_handover_from_history_to_live_under_load(hub, topic):
    """Streams that begin at every moment of a burst each see all of it, once, in order."""
    streams = []
    with Posters(hub, topic, connections=4, each=250):
        while len(streams) < 60:
            streams.append(EventStream.of(hub.port, topic, query="since=earliest"))
    history = [event["id"] for event in hub.history(topic)]
    assert len(history) == 1000
    for stream in streams:
        with stream:
            assert [message.id for message in stream.take(1000, timeout=60)] == history


def test_a_reader_that_falls_behind_still_gets_everything_and_slows_nobody(hub, topic, figure):
    count, size = 400, 64 * 1024
    slow = hub.stream(topic, receive_buffer=8192)
    quick = hub.stream(topic)
    slow_id = slow.observer_id
    heard = []
    reader = threading.Thread(target=lambda: heard.extend(quick.take(count, timeout=60)))
    reader.start()
    began = time.monotonic()
    longest = 0
    # More than sockets and outbox hold together, many times over.
    for number in range(count):
        posting = time.monotonic()
        hub.post(topic, f"{number:06}" + "x" * size)
        longest = max(longest, time.monotonic() - posting)
    reader.join(60)
    assert not reader.is_alive()
    figure(f"{count} events of 64 KiB reached the quick reader in {time.monotonic() - began:.2f} s, "
           f"the slowest post took {longest * 1000:.0f} ms, while another reader stood still")
    ids = [event["id"] for event in hub.history(topic)]
    assert [message.id for message in heard] == ids
    [document] = [observer for observer in hub.observers(kind="stream") if observer["id"] == slow_id]
    # The outbox holds a mebibyte, and what was on its way to the socket beside it.
    assert document["queuedBytes"] <= 3 << 20, document
    messages = slow.take(count, timeout=60)
    assert [message.id for message in messages] == ids
    assert all(message.data == f"{number:06}" + "x" * size for number, message in enumerate(messages))
    live = hub.post(topic, "live again")["id"]
    assert slow.next().id == quick.next().id == live
    slow.close()
    quick.close()


@pytest.mark.measured
def test_readers_that_never_read_cost_a_bounded_amount(hub, topic, figure):
    hub.post(topic, "warm")
    streams = [hub.stream(topic, receive_buffer=4096) for _ in range(20)]
    before = hub.rss()
    for number in range(200):
        hub.post(topic, b"x" * 200_000)
    after = hub.rss()
    figure(f"{(after - before) / (1 << 20):.0f} MiB more after 40 MB past 20 streams that nobody reads")
    # Twenty outboxes of a mebibyte share their bytes; forty megabytes each would be eight hundred.
    figure.at_most(after - before, 150 << 20, "what 20 readers that never read take, in bytes,")
    assert after - before < 400 << 20
    for stream in streams:
        stream.close()
    hub.wait_for_observers(0)


@pytest.mark.parametrize("pattern", ["{}", "{}.**", "*.a"])
def test_a_long_history_is_replayed_whole_while_nothing_happens(start_hub, topic, pattern):
    hub = start_hub("--durability", "process")
    with RawConnection(hub.port) as connection:
        for _ in range(30):
            connection.send(b"".join(request("POST", events_path(name), body=b"x") for name in (topic, f"{topic}.a") * 50))
            for _ in range(100):
                assert connection.receive().status == 201
    pattern = pattern.format(topic)
    history = [event["id"] for event in hub.history(pattern)]
    assert len(history) == 1500
    with EventStream.of(hub.port, pattern, query="since=earliest") as stream:
        assert [message.id for message in stream.take(1500)] == history
    with EventStream.of(hub.port, pattern, last_event_id=history[99]) as stream:
        assert [message.id for message in stream.take(1400)] == history[100:]


def test_a_history_of_large_events_is_replayed_whole_while_nothing_happens(hub, topic):
    ids = [hub.post(topic, b"x" * size)["id"] for size in (1 << 20, 1, 300_000, 300_000, 2, 1 << 20, 1 << 20, 3)]
    with EventStream.of(hub.port, topic, query="since=earliest") as stream:
        assert [message.id for message in stream.take(8)] == ids


def test_a_large_history_is_replayed_while_events_arrive(hub, topic):
    for number in range(100):
        hub.post(topic, f"{number} " + "x" * 100_000)
    with EventStream.of(hub.port, topic, query="since=earliest", receive_buffer=8192) as stream:
        with Posters(hub, topic, connections=2, each=100):
            messages = stream.take(300, timeout=60)
    assert [message.id for message in messages] == [event["id"] for event in hub.history(topic)]


def test_streams_are_refused_as_problems(shared_hub, topic):
    with pytest.raises(StreamRefused) as refused:
        EventStream.of(shared_hub.port, "a.**.b")
    assert refused.value.status == 400
    assert refused.value.headers["content-type"] == "application/problem+json"


def test_a_type_with_a_comma_is_heard_and_not_asked_for(shared_hub, topic):
    """A browser's `URLSearchParams` escapes the commas of a list, so an escaped comma separates as any other."""
    for type in ("a,b", "b"):
        shared_hub.post(topic, type.encode(), type=type)
    for types in ("a,b", "a%2Cb"):
        events = shared_hub.get(f"{events_path(topic)}?type={types}").json()["events"]
        assert [event["type"] for event in events] == ["b"]
    assert [event["type"] for event in shared_hub.history(topic)] == ["a,b", "b"]


@pytest.mark.parametrize("accept", ["text/event-stream", "application/json"])
@pytest.mark.parametrize("types", ["", ",", ",,"])
def test_a_filter_that_names_no_type_is_not_one_for_all(shared_hub, topic, types, accept):
    for path in (f"{events_path(topic)}?type={types}", f"/events?topic={topic}&type={types}"):
        problem = assert_problem(shared_hub.get(path, headers={"Accept": accept}), 400, "parameter-invalid", parameter="type")
        assert "leave it out" in problem["detail"]
    shared_hub.post(topic, b"1", type="a")
    assert len(shared_hub.get(f"{events_path(topic)}?type=,a,").json()["events"]) == 1


@pytest.mark.parametrize("accept", ["text/event-stream", "application/json"])
def test_as_many_types_are_told_apart_as_a_webhook_may_name(shared_hub, topic, accept):
    """More would be compared with each event while everybody's posts wait."""
    path = f"{events_path(topic)}?type={{}}"
    for count, refused in ((100, False), (101, True)):
        types = ",".join(f"t{number}" for number in range(count))
        response = shared_hub.request("GET", path.format(types), headers={"Accept": accept}, stream=True)
        with response:
            if refused:
                assert_problem(response, 400, "parameter-invalid", parameter="type")
            else:
                assert response.status_code == 200
