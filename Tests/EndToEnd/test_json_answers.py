"""JSON answers end with a line break, whoever gives them, and nothing that was posted or is signed gains one."""

import json

import pytest

from event_stream import EventStream
from hub_process import events_path
from raw_http import exchange, request
from test_webhooks import LOOPBACK


@pytest.fixture(scope="module")
def loopback_hub(start_shared_hub):
    return start_shared_hub(*LOOPBACK)


def assert_line(response, status):
    """A document on lines of its own; the length is that of all of it, or the connection would hold the rest back."""
    assert response.status == status, response.body
    assert response.headers["content-type"].partition(";")[0].endswith("json")
    assert response.body.endswith(b"\n") and not response.body.endswith(b"\n\n")
    assert int(response.headers["content-length"]) == len(response.body)
    return json.loads(response.body)


def test_each_kind_of_answer(loopback_hub, receiver, topic):
    hub = loopback_hub

    def ask(method, path, body=None, headers=None):
        body = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        return exchange(hub.port, request(method, path, {"Connection": "close", **(headers or {})}, body))

    events = events_path(topic)
    receipt = assert_line(ask("POST", events, {"total": 12}), 201)
    assert_line(ask("POST", events, b"1\n2\n", {"Content-Type": "application/x-ndjson"}), 201)
    assert_line(ask("PUT", f"/topics/{topic}/value", b"x"), 201)
    assert_line(ask("GET", events), 200)
    assert_line(ask("GET", f"{events}?limit=1"), 200)
    cloud_event = {"Accept": "application/cloudevents+json"}
    assert_line(ask("GET", f"{events}/{receipt['id']}", headers=cloud_event), 200)
    assert_line(ask("GET", "/topics"), 200)
    assert_line(ask("GET", f"/topics/{topic}"), 200)
    assert_line(ask("PUT", f"/topics/{topic}", {"retention": {"events": 100}}), 200)
    observer = assert_line(ask("POST", "/observers", {"topics": [topic], "url": receiver.url()}), 201)
    path = f"/observers/{observer['id']}"
    assert_line(ask("GET", "/observers"), 200)
    assert_line(ask("GET", path), 200)
    assert_line(ask("PATCH", path, {"description": "x"}), 200)
    assert_line(ask("GET", f"{path}/deliveries"), 200)
    assert_line(ask("POST", f"{path}/test"), 200)
    assert_line(ask("POST", f"{path}/replay", {"since": "1h"}), 202)
    assert_line(ask("DELETE", f"/topics/{topic}/observers"), 200)
    for method, target, status in [
            ("GET", "/nothing/here", 404), ("POST", events + "?key=" + "x" * 256, 400), ("DELETE", "/observers", 405),
            ("GET", f"{events}?limit=x", 400), ("GET", "/%zz", 400)]:
        assert_line(ask(method, target), status)
    assert_line(ask("POST", events, b"x" * 2_000_000), 413)


def test_what_was_posted_comes_back_as_it_came(shared_hub, topic):
    for body in (b'{"a": 1}', b'{"a": 1}\n', b"text"):
        receipt = shared_hub.post(topic, body, headers={"Content-Type": "application/json"})
        assert shared_hub.get(f"{events_path(topic)}/{receipt['id']}").content == body
        assert shared_hub.get(f"/topics/{topic}/value").content == body
    lines = shared_hub.get(events_path(topic), headers={"Accept": "application/x-ndjson"}).text
    assert lines.count("\n") == 3 and lines.endswith("}\n")
    with EventStream.of(shared_hub.port, topic, query="since=earliest&envelope=json") as stream:
        assert all(not message.data.endswith("\n") for message in stream.take(3))


def test_what_is_delivered_is_what_was_posted(loopback_hub, receiver, topic):
    loopback_hub.register(receiver.url(), topic)
    loopback_hub.post(topic, b'{"a": 1}', headers={"Content-Type": "application/json"})
    [delivery] = receiver.wait_for(1)
    assert delivery.body == b'{"a": 1}'
