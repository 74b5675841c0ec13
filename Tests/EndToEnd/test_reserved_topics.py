"""Topics that begin with `clarion.` are the hub's own."""

import json

import pytest

from hub_process import events_path
from problems import assert_problem
from waiting import wait_until

EVENT = {"specversion": "1.0", "id": "1", "source": "/s", "type": "clarion.observer.registered"}


@pytest.mark.parametrize("name", ["clarion.observers", "clarion.", "clarion.x.y", "clarion.\u00e9"])
@pytest.mark.parametrize("kind, body", [
    ("text/plain", b"forged"), ("text/plain", b""), ("application/json", b"{}"), ("application/x-ndjson", b"1\n2\n"),
    ("application/x-ndjson", b""), ("application/cloudevents+json", json.dumps(EVENT).encode()),
    ("application/cloudevents-batch+json", json.dumps([EVENT]).encode())])
def test_nobody_posts_on_them(shared_hub, name, kind, body):
    for method, path in (("POST", events_path(name)), ("PUT", events_path(name).replace("/events", "/value"))):
        answer = shared_hub.request(method, path, data=body, headers={"Content-Type": kind})
        assert_problem(answer, 403, "topic-reserved", parameter="topic")
    binary = {f"ce-{name}": value for name, value in EVENT.items()}
    assert_problem(shared_hub.request("POST", events_path(name), data=b"x", headers=binary), 403, "topic-reserved")
    assert shared_hub.history(name) == []


@pytest.mark.parametrize("name", ["clarion", "clarions.a", "Clarion.a", "a.clarion.b", ".clarion.a"])
def test_other_names_are_anyones(shared_hub, name):
    receipt = shared_hub.post(name, "x")
    assert shared_hub.history(name)[-1]["id"] == receipt["id"]
    assert shared_hub.request("DELETE", f"/topics/{name}").status_code == 204


def test_the_hub_itself_tells_on_its_own(hub, topic):
    with hub.stream("clarion.observers") as stream:
        hub.register("https://example.com/", topic)
        assert stream.next().type == "clarion.observer.registered"
    assert_problem(hub.request("DELETE", "/topics/clarion.observers"), 403, "topic-reserved")
    assert len(hub.history("clarion.observers")) == 1
    # Whoever runs the hub says how much of it is kept.
    kept = hub.request("PUT", "/topics/clarion.observers", json={"retention": {"events": 1}})
    assert kept.status_code == 200
    hub.register("https://example.com/", topic)
    wait_until(lambda: len(hub.history("clarion.observers")) == 1)
    # Observers of it are anyone's.
    hub.register("https://example.com/", "clarion.observers")
    answer = hub.request("DELETE", "/topics/clarion.observers/observers")
    assert answer.json() == {"unregistered": 1}
