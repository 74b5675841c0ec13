"""Deliveries as CloudEvents, read by the package `cloudevents` of the CloudEvents project."""

import json
from datetime import datetime

import pytest
from cloudevents.core.bindings import http
from cloudevents.core.v1.event import CloudEvent
from standardwebhooks import Webhook

from hub_process import events_path
from problems import assert_problem
from test_cloudevents import EVENTS, FORMAT, event, parts, post


@pytest.fixture(scope="module")
def shared_hub(start_shared_hub):
    return start_shared_hub("--allow-egress", "127.0.0.0/8")


def read(delivery):
    """The event of a delivery in either mode, and what the hub has added."""
    names = {name: value for name, value in delivery.headers.items() if name == "content-type" or name.startswith("ce-")}
    if names.get("content-type", "").startswith("application/cloudevents+json"):
        attributes = json.loads(delivery.body)
        added = attributes.pop("clarionid", None), attributes.pop("clariontopic", None)
        return FORMAT.read(CloudEvent, json.dumps(attributes).encode()), added
    added = names.pop("ce-clarionid", None), names.pop("ce-clariontopic", None)
    return http.from_binary_event(http.HTTPMessage(names, delivery.body)), added


def as_text(event):
    """An event as binary mode has it, where attributes are text and JSON is called by its name."""
    attributes, data = parts(event)
    if data is not None and "datacontenttype" not in attributes:
        attributes["datacontenttype"] = "application/json"
    return {
        name: value if isinstance(value, (str, datetime)) else json.dumps(value) for name, value in attributes.items()}


@pytest.mark.parametrize("name", EVENTS)
@pytest.mark.parametrize("format", ["cloudevents-binary", "cloudevents-structured"])
def test_what_was_posted_as_a_cloudevent_arrives_equal(shared_hub, receiver, topic, name, format):
    webhook = shared_hub.register(receiver.url(), topic, format=format)
    assert webhook["format"] == format
    sent = event(name)
    if name == "long" and format == "cloudevents-binary":
        sent = CloudEvent({**sent.get_attributes(), "datacontenttype": "text/plain"}, sent.get_data())
    receipt = post(shared_hub, topic, http.to_structured_event(sent)).json()
    [delivery] = receiver.wait_for(1)
    assert delivery.headers["webhook-id"] == receipt["id"]
    got, added = read(delivery)
    assert added == (receipt["id"], topic)
    if format == "cloudevents-structured":
        assert delivery.headers["content-type"] == "application/cloudevents+json; charset=utf-8"
        assert not any(name.startswith("ce-") for name in delivery.headers)
        assert parts(got) == parts(sent)
    else:
        assert parts(got)[0] == as_text(sent)
        # The package guesses what the body is; the body itself is what counts.
        data = sent.get_data()
        body = json.loads(delivery.body) if isinstance(data, dict) else delivery.body
        assert body == (data.encode() if isinstance(data, str) else data or b"")
    # The signature is over what was sent.
    if delivery.body and b"\xff" not in delivery.body and b"\x89" not in delivery.body:
        signed = Webhook(webhook["secret"]).sign(
            delivery.id, datetime.fromtimestamp(int(delivery.headers["webhook-timestamp"])), delivery.body.decode())
        assert delivery.headers["webhook-signature"] == signed


@pytest.mark.parametrize("format", ["cloudevents-binary", "cloudevents-structured"])
def test_a_plain_event_gets_an_envelope(shared_hub, receiver, topic, format):
    topic += ".größe/100%"
    shared_hub.register(receiver.url(), topic, format=format)
    receipt = shared_hub.post(topic, '{"n": 1}', type="created", headers={"Content-Type": "application/json"})
    [delivery] = receiver.wait_for(1)
    got, added = read(delivery)
    assert added == (None, None)
    enveloped = shared_hub.get(
        f"{events_path(topic)}/{receipt['id']}", headers={"Accept": "application/cloudevents+json"})
    assert parts(got) == parts(FORMAT.read(CloudEvent, enveloped.content))
    assert got.get_attributes()["id"] == receipt["id"] == delivery.id
    assert got.get_attributes()["subject"] == topic
    assert got.get_data() == {"n": 1}


def test_values_are_percent_encoded(shared_hub, receiver, topic):
    shared_hub.register(receiver.url(), topic, format="cloudevents-binary")
    members = {
        "specversion": "1.0", "id": "a b", "source": "/ä", "type": "t", "quote": '"%"', "euro": "€ 😀", "number": -5,
        "flag": True, "none": "", "data": [1]}
    response = shared_hub.request("POST", events_path(topic), data=json.dumps(members), headers={
        "Content-Type": "application/cloudevents+json"})
    assert response.status_code == 201, response.text
    headers = receiver.wait_for(1)[0].headers
    assert headers["ce-id"] == "a%20b"
    assert headers["ce-source"] == "/%C3%A4"
    assert headers["ce-quote"] == "%22%25%22"
    assert headers["ce-euro"] == "%E2%82%AC%20%F0%9F%98%80"
    assert headers["ce-number"] == "-5"
    assert headers["ce-flag"] == "true"
    assert headers["ce-none"] == ""
    assert headers["content-type"] == "application/json"


def test_a_changed_format_holds_for_what_waits(shared_hub, receiver, topic):
    webhook = shared_hub.register(receiver.url(), topic, enabled=False)
    shared_hub.post(topic, '{"n": 1}', headers={"Content-Type": "application/json"})
    changes = {"format": "cloudevents-structured", "enabled": True}
    assert shared_hub.request("PATCH", f"/observers/{webhook['id']}", json=changes).json()["format"] == changes["format"]
    [delivery] = receiver.wait_for(1)
    assert json.loads(delivery.body)["data"] == {"n": 1}


def test_other_formats_are_refused(shared_hub, topic):
    response = shared_hub.request(
        "POST", "/observers", json={"topics": [topic], "url": "https://example.com/", "format": "cloudevents"})
    assert_problem(response, 400, "member-invalid", pointer="/format")
