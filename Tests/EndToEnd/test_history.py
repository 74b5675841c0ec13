"""Pages of history, small and large: written in pieces, and exactly what was posted."""

import base64
import json
import socket
import threading

import pytest
import requests

from hub_process import events_path
from metrics import wait_for
from problems import assert_problem
from raw_http import RawConnection, request
from waiting import wait_until

LINES = {"Accept": "application/x-ndjson"}

#: Events that cost much to write, some more than a piece, an outbox or a page.
SIZES = [0, 1, 100, 4_000, 65_000, 66_000, 1 << 20, 3, 262_144, 300_000, 10, 1 << 20, 1 << 20, 5]


def content(number, size):
    """Data of a kind of its own for each event, of about that size: text, line breaks, control characters, JSON, binary."""
    kind = number % 5
    if kind == 0:
        return ("é" * (size // 2)).encode(), "text/plain; charset=utf-8"
    if kind == 1:
        return b"\n" * size, "text/plain"
    if kind == 2:
        return b"\x01\"\\" * (size // 3), "text/plain"
    if kind == 3:
        return json.dumps({"n": number, "x": "y" * max(0, size - 30)}).encode(), "application/json"
    return (bytes(range(256)) * (size // 256 + 1))[:size], "application/octet-stream"


def fill(hub, topic, sizes=SIZES):
    """Posts events and returns what history must show of them."""
    expected = []
    for number, size in enumerate(sizes):
        data, kind = content(number, size)
        receipt = hub.post(topic, data, type=f"kind{number % 5}", headers={"Content-Type": kind})
        shown = {"id": receipt["id"], "topic": topic, "type": f"kind{number % 5}", "time": receipt["time"],
                 "contentType": kind}
        if kind == "application/json":
            shown["data"] = json.loads(data)
        elif kind.startswith("text/"):
            shown["data"] = data.decode()
        else:
            try:
                shown["data"] = data.decode()
            except UnicodeDecodeError:
                shown["dataBase64"] = base64.b64encode(data).decode()
        expected.append(shown)
    return expected


def read_all(hub, topic, limit, asked=None, **query):
    """Every page, by `next`, or by the link where pages are lines; and how many pages there were."""
    found, pages, parameters = [], 0, {"limit": limit, **query}
    while True:
        response = hub.get(events_path(topic), params=parameters, headers=asked or {})
        assert response.status_code == 200, response.text
        pages += 1
        if asked:
            events = [json.loads(line) for line in response.content.decode().split("\n")[:-1]]
            next_page = response.links.get("next", {}).get("url", "").partition("after=")[2] or None
        else:
            events, next_page = response.json()["events"], response.json()["next"]
            assert ("next" in response.links) == (next_page is not None)
        assert len(events) <= limit
        found += events
        if next_page is None:
            return found, pages
        assert events and events[-1]["id"] == next_page
        parameters = {**parameters, "after": next_page}


@pytest.mark.parametrize("name", ["last-event-id", "lastEventId"])
def test_a_page_begins_where_a_stream_ended_by_the_name_of_either(hub, topic, name):
    ids = [hub.post(topic, str(number))["id"] for number in range(3)]
    page = hub.get(events_path(topic), params={name: ids[0]}).json()
    assert [event["id"] for event in page["events"]] == ids[1:]
    assert_problem(hub.get(events_path(topic), params={name: "another-1"}), 400, "parameter-invalid", parameter=name)


@pytest.mark.parametrize("asked", [None, LINES], ids=["json", "lines"])
def test_pages_of_every_limit_are_exactly_what_was_posted(hub, topic, asked):
    expected = fill(hub, topic)
    for limit in (1, 2, 3, 5, 13, 14, 15, 1000):
        found, pages = read_all(hub, topic, limit, asked)
        assert found == expected, limit
        assert pages >= len(expected) / limit


def test_pages_of_many_small_events_are_exact_around_the_borders_of_pieces(hub, topic):
    # An event of this size is 300 bytes in history: pages beside 64 KiB, and pieces in the middle of pages of the log.
    expected = fill(hub, topic, [100] * 700)
    for limit in (200, 217, 218, 219, 220, 256, 511, 512, 513, 699, 700, 701, 1000):
        found, _ = read_all(hub, topic, limit)
        assert [event["id"] for event in found] == [event["id"] for event in expected], limit
        assert found == expected
        some, _ = read_all(hub, topic, limit, type="kind1,kind3")
        assert some == [event for event in expected if event["type"] in ("kind1", "kind3")], limit


def test_a_page_ends_by_what_it_costs(hub, topic):
    """Attributes, escapes and base64 count as they are sent."""
    for number in range(8):
        hub.post(topic, b"\x01" * 1_000_000)
    page = hub.get(events_path(topic)).json()
    assert len(page["events"]) == 1 and page["next"] == page["events"][0]["id"]
    other = topic + ".attributes"
    for number in range(8):
        event = {"specversion": "1.0", "id": str(number), "source": "s", "type": "t", "note": "x" * 1_000_000}
        assert hub.request("POST", events_path(other), json=event,
                           headers={"Content-Type": "application/cloudevents+json"}).status_code == 201
    page = hub.get(events_path(other)).json()
    assert len(page["events"]) <= 5 and page["next"] == page["events"][-1]["id"]
    found, pages = read_all(hub, other, 100)
    assert len(found) == 8 and pages >= 2


def test_a_large_page_is_chunked_and_the_connection_goes_on(hub, topic):
    expected = fill(hub, topic, [1_000] * 300)
    with RawConnection(hub.port) as connection:
        for _ in range(3):
            connection.send(request("GET", events_path(topic) + "?limit=1000"))
            response = connection.receive()
            assert response.status == 200 and response.headers["transfer-encoding"] == "chunked"
            assert "content-length" not in response.headers
            assert response.json()["events"] == expected
            connection.send(request("GET", events_path(topic) + "?limit=1"))
            response = connection.receive()
            assert int(response.headers["content-length"]) == len(response.body)
            assert response.json()["events"] == expected[:1]


def test_a_large_page_reaches_clients_of_http_1_0(hub, topic):
    expected = fill(hub, topic, [1_000] * 300)
    with RawConnection(hub.port) as connection:
        connection.send(request("GET", events_path(topic) + "?limit=1000", version="HTTP/1.0"))
        assert connection.receive().json()["events"] == expected


def test_head_of_a_large_page_has_its_head_and_no_body(hub, topic):
    fill(hub, topic, [1_000] * 300)
    path = events_path(topic) + "?limit=200"
    with RawConnection(hub.port) as connection:
        connection.send(request("GET", path))
        get = connection.receive()
    with RawConnection(hub.port) as connection:
        connection.send(request("HEAD", path))
        head = connection.receive(body_follows=False)
        assert head.status == 200 and "content-length" not in head.headers
        for name in ("content-type", "cache-control", "link"):
            assert head.headers[name] == get.headers[name]
    with RawConnection(hub.port) as connection:
        connection.send(request("HEAD", events_path(topic) + "?limit=1"))
        assert int(connection.receive(body_follows=False).headers["content-length"]) > 0


def test_a_client_that_leaves_in_the_middle_leaves_nothing(hub, topic):
    fill(hub, topic, [1 << 20] * 4)
    before = hub.descriptors()
    for number in range(100):
        connection = RawConnection(hub.port)
        connection.send(request("GET", events_path(topic)))
        connection.socket.recv(1 + 997 * number)
        connection.close()
    # The log has opened some files to read it.
    wait_until(lambda: hub.descriptors() <= before + 20)
    assert hub.stop() < 2


def test_a_large_page_whose_head_finds_no_room_leaves_nothing(start_hub, topic):
    hub = start_hub()
    fill(hub, topic, [1_000] * 600)
    # The link to the next page repeats the query.
    path = f"{events_path(topic)}?limit=500&_={'a' * 4_200}"
    for _ in range(5):
        assert_problem(hub.request("GET", path), 431, "headers-too-large")
    wait_for(hub, lambda reading: reading["clarion_outbox_bytes"] == 0, "nothing left")
    assert len(hub.request("GET", f"{events_path(topic)}?limit=500").json()["events"]) == 500
    assert hub.stop() < 5


def test_a_hub_that_stops_in_the_middle_does_not_make_the_page_look_whole(hub, topic):
    # Six mebibytes as they are sent: more than the kernel takes.
    hub.post(topic, b"\x01" * (1 << 20))
    connection = RawConnection(hub.port)
    connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
    connection.send(request("GET", events_path(topic)))
    received = connection.socket.recv(100)
    stopping = threading.Thread(target=hub.stop)
    stopping.start()
    # It waits for a while whether the client reads, and breaks the answer off then.
    stopping.join(8)
    assert not stopping.is_alive()
    try:
        while piece := connection.socket.recv(65536):
            received += piece
    except ConnectionResetError:
        pass
    assert b"HTTP/1.1 200" in received and not received.endswith(b"0\r\n\r\n")


def test_events_that_are_removed_while_a_page_is_written_are_left_out(start_hub, topic):
    hub = start_hub("--durability", "process")
    expected = fill(hub, topic, [200_000] * 20)
    connection = RawConnection(hub.port)
    connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
    connection.send(request("GET", events_path(topic)))
    wait_until(lambda: connection.socket.recv(1, socket.MSG_PEEK))
    assert hub.request("DELETE", f"/topics/{topic}").status_code == 204
    later = hub.post(topic, b"later")
    page = connection.receive().json()
    connection.close()
    # A beginning of it, whole events, and never what came after the page.
    assert page["events"] == expected[:len(page["events"])]
    assert page["next"] is None or page["next"] == expected[-1]["id"] or page["next"] in [e["id"] for e in expected]
    assert [event["id"] for event in hub.history(topic)] == [later["id"]]


def test_readers_at_once_get_the_same(hub, topic):
    expected = fill(hub, topic, [30_000] * 60)
    found = []
    readers = [threading.Thread(target=lambda: found.append(
        requests.get(hub.url + events_path(topic), timeout=30).json()["events"])) for _ in range(16)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    assert len(found) == 16 and all(events == expected for events in found)


def test_a_history_that_finds_no_room_is_refused_with_a_time_to_come_back(start_hub, topic):
    hub = start_hub("--max-reader-memory", "2MiB")
    for _ in range(8):
        hub.post(topic, b"\x01" * 1_000_000)
    small = topic + ".small"
    hub.post(small, b"x" * 20_000)
    idle = []

    def ask():
        """One more client that does not read; true once the hub has no room for it."""
        connection = RawConnection(hub.port)
        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        connection.send(request("GET", events_path(topic)))
        idle.append(connection)
        return b" 503 " in connection.socket.recv(100, socket.MSG_PEEK)

    wait_until(ask, 60)
    response = idle[-1].receive()
    assert_problem_document(response)
    # Nobody is held up by that who posts or hears.
    with hub.stream(topic + ".live") as stream:
        posted = hub.post(topic + ".live", b"hello")
        assert stream.next().id == posted["id"]
    for connection in idle:
        connection.close()
    wait_until(lambda: hub.get(events_path(small)).status_code == 200)
    assert len(hub.history(topic)) == 8


def assert_problem_document(response):
    assert response.status == 503 and int(response.headers["retry-after"]) > 0
    assert response.json()["code"] == "overloaded"
