"""`traceparent` in, and out again with streams and webhooks (W3C Trace Context)."""

import json
import re

import pytest

from event_stream import EventStream
from hub_process import events_path
from raw_http import exchange

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
GIVEN = f"00-{TRACE}-{PARENT}-01"


@pytest.fixture(scope="module")
def shared_hub(start_shared_hub):
    return start_shared_hub("--allow-egress", "127.0.0.0/8", "--webhooks-retry", "20ms,20ms,20ms")


def test_streams_and_histories_show_it(shared_hub, topic):
    with EventStream.of(shared_hub.port, topic, query="envelope=json").wait_for_comment() as plain, \
            EventStream.of(shared_hub.port, topic, query="envelope=cloudevents").wait_for_comment() as cloud_events:
        shared_hub.post(topic, "x", headers={"traceparent": GIVEN})
        shared_hub.post(topic, "y")
        events = [json.loads(message.data) for message in plain.take(2)]
        assert [event.get("traceparent") for event in events] == [GIVEN, None]
        assert [json.loads(message.data).get("traceparent") for message in cloud_events.take(2)] == [GIVEN, None]
    assert shared_hub.history(topic) == events
    with EventStream.of(shared_hub.port, topic, query="envelope=json&since=earliest") as late:
        assert [json.loads(message.data) for message in late.take(2)] == events


def test_an_event_that_has_one_of_its_own_keeps_it(shared_hub, topic):
    own = f"00-{TRACE[::-1]}-{PARENT}-00"
    event = {"specversion": "1.0", "id": "1", "source": "/x", "type": "t", "traceparent": own}
    response = shared_hub.request("POST", events_path(topic), data=json.dumps(event), headers={
        "Content-Type": "application/cloudevents+json", "traceparent": GIVEN})
    assert response.status_code == 201
    with EventStream.of(shared_hub.port, topic, query="envelope=cloudevents&since=earliest") as stream:
        assert json.loads(stream.next().data)["traceparent"] == own


def test_each_attempt_is_a_step_of_its_own(shared_hub, receiver, topic):
    receiver.answer = lambda delivery: 204 if delivery.attempt == 3 else 500
    shared_hub.register(receiver.url(), topic)
    shared_hub.post(topic, "x", headers={"traceparent": GIVEN})
    traces = [delivery.headers["traceparent"] for delivery in receiver.wait_for(3)]
    assert all(re.fullmatch(f"00-{TRACE}-[0-9a-f]{{16}}-01", trace) for trace in traces)
    assert len(set(traces) | {GIVEN, f"00-{TRACE}-{'0' * 16}-01"}) == 5


@pytest.mark.parametrize("value", [
    "rubbish", f"ff-{TRACE}-{PARENT}-01", f"00-{'0' * 32}-{PARENT}-01", f"00-{TRACE}-{'0' * 16}-01", f"{GIVEN}-x",
    GIVEN.upper(), f"{GIVEN}, {GIVEN}", f"{GIVEN}\r\ntraceparent: {GIVEN}"])
def test_one_that_is_not_valid_is_ignored(shared_hub, topic, value):
    head = f"POST {events_path(topic)} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\ntraceparent: {value}\r\n\r\nx"
    assert exchange(shared_hub.port, head.encode()).status == 201
    event, = shared_hub.history(topic)
    assert "traceparent" not in event
