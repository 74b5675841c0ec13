"""CloudEvents in and out, made and read by the package `cloudevents` of the CloudEvents project."""

import base64
import json
import random
from datetime import datetime, timedelta, timezone

import pytest
from cloudevents.core.bindings import http
from cloudevents.core.formats.json import JSONFormat
from cloudevents.core.v1.event import CloudEvent

from event_stream import EventStream
from hub_process import events_path
from problems import assert_problem
from raw_http import exchange, request

FORMAT = JSONFormat()
EAST = timezone(timedelta(hours=5, minutes=30))

#: What each event has beside what it must have, and its data.
EVENTS = {
    "JSON": ({"datacontenttype": "application/json"}, {"a": [1, 2.5, None, True], "ü": "😀", "nested": {"b": "c"}}),
    "JSON, with lines": ({"datacontenttype": "application/json; charset=utf-8"}, {"text": "one\ntwo\r\n\u2028three"}),
    "JSON unless told otherwise": ({}, {"a": 1}),
    "JSON of a kind": ({"datacontenttype": "application/vnd.example+json"}, {"a": 1}),
    "text": ({"datacontenttype": "text/plain"}, "Grüße\nan alle"),
    "XML": ({"datacontenttype": "application/xml"}, "<ü a=\"b\"/>"),
    "binary": ({"datacontenttype": "application/octet-stream"}, bytes(range(256))),
    "binary that reads as text": ({"datacontenttype": "application/octet-stream"}, b"abc"),
    "an image": ({"datacontenttype": "image/png"}, b"\x89PNG\r\n\x1a\n\0"),
    "no data": ({}, None),
    "no data of a type": ({"datacontenttype": "text/plain"}, None),
    "all attributes": (
        {"datacontenttype": "application/json", "dataschema": "https://example.com/schema?a=b#c", "subject": "a/b c",
         "time": datetime(2026, 11, 20, 23, 19, 0, 123456, EAST)}, {"a": 1}),
    "Unicode": (
        {"id": "ид-😀 1", "source": "/käse/%2F?a=(c)", "type": "com.example.größe", "subject": "100 % \"€\" \\ 世界"},
        {"a": 1}),
    "extensions": (
        {"traceparent": "00-" + "1" * 32 + "-" + "2" * 16 + "-01", "partitionkey": "ä b", "sequence": "007", "x1": "%41",
         "empty": ""}, {"a": 1}),
    "long": ({"subject": "s" * 2000, "source": "https://example.com/" + "x" * 1000}, "z" * 100_000),
}


def event(name):
    attributes, data = EVENTS[name]
    unique = random.randbytes(6).hex()
    return CloudEvent({"source": f"/tests/{unique}", "type": "com.example.test", **attributes}, data)


def parts(event):
    """What of an event must come back equal."""
    attributes = {name: value for name, value in event.get_attributes().items() if value is not None}
    return attributes, event.get_data()


def post(hub, topic, message, method="POST", path=None):
    return hub.request(method, path or events_path(topic), data=message.body, headers={
        name: value.encode() for name, value in message.headers.items()})


def envelopes(hub, topic, count):
    """The events of a topic as a stream with envelopes shows them, and what the hub has added."""
    with EventStream.of(hub.port, topic, query="since=earliest&envelope=cloudevents") as stream:
        messages = stream.take(count)
    read, added = [], []
    for message in messages:
        attributes = json.loads(message.data)
        added.append((message.id, attributes.pop("clarionid"), attributes.pop("clariontopic")))
        read.append(FORMAT.read(CloudEvent, json.dumps(attributes).encode()))
    return read, added


@pytest.mark.parametrize("name", EVENTS)
@pytest.mark.parametrize("mode", ["binary", "structured", "batch"])
def test_an_event_comes_back_equal(shared_hub, topic, name, mode):
    sent = event(name)
    if mode == "binary":
        message = http.to_binary_event(sent)
        # In header fields everything is text.
        expected = CloudEvent(http.from_binary_event(message).get_attributes(), sent.get_data())
    elif mode == "structured":
        message = http.to_structured_event(sent)
        expected = sent
    else:
        message = http.HTTPMessage(
            {"content-type": "application/cloudevents-batch+json; charset=utf-8"}, b"[" + FORMAT.write(sent) + b"]")
        expected = sent
    if name == "long" and mode == "binary":
        # Without a type it would have to be JSON, which it is not.
        expected = CloudEvent(expected.get_attributes(), sent.get_data().encode())
    response = post(shared_hub, topic, message)
    assert response.status_code == 201, response.text
    receipt = response.json()["events"][0] if mode == "batch" else response.json()

    [read], [added] = envelopes(shared_hub, topic, 1)
    assert parts(read) == parts(expected)
    assert added == (receipt["id"], receipt["id"], topic)

    structured = shared_hub.get(
        f"{events_path(topic)}/{receipt['id']}", headers={"Accept": "application/cloudevents+json"})
    assert structured.headers["Content-Type"] == "application/cloudevents+json"
    attributes = structured.json()
    assert (attributes.pop("clarionid"), attributes.pop("clariontopic")) == (receipt["id"], topic)
    assert parts(FORMAT.read(CloudEvent, json.dumps(attributes).encode())) == parts(expected)


def test_a_batch_comes_back_in_order(shared_hub, topic):
    sent = [event(name) for name in EVENTS]
    body = b"[" + b", ".join(FORMAT.write(one) for one in sent) + b"]"
    response = post(
        shared_hub, topic, http.HTTPMessage({"content-type": "application/cloudevents-batch+json"}, body))
    assert response.status_code == 201
    read, added = envelopes(shared_hub, topic, len(sent))
    assert [parts(one) for one in read] == [parts(one) for one in sent]
    assert [id for id, _, _ in added] == [receipt["id"] for receipt in response.json()["events"]]


def test_live_and_replayed_envelopes_are_the_same_bytes(shared_hub, topic):
    with EventStream.of(shared_hub.port, topic, query="envelope=cloudevents").wait_for_comment() as live:
        post(shared_hub, topic, http.to_structured_event(event("all attributes")))
        heard = live.next()
    with EventStream.of(shared_hub.port, topic, query="since=earliest&envelope=cloudevents") as late:
        assert late.next() == heard


def test_types_of_extensions_and_the_text_of_numbers_and_times_are_kept(shared_hub, topic):
    body = (b'{"specversion": "1.0", "id": "1", "source": "/s", "type": "t", "time": "2018-04-05T17:31:00.1234567+01:00",'
            b' "count": -5, "flag": false, "nothing": null, "data": {"big": 12345678901234567890123, "b": 1.50}}')
    response = post(shared_hub, topic, http.HTTPMessage({"content-type": "application/cloudevents+json"}, body))
    assert response.status_code == 201
    with EventStream.of(shared_hub.port, topic, query="since=earliest&envelope=cloudevents") as stream:
        text = stream.next().data
    assert '"data":{"big": 12345678901234567890123, "b": 1.50}' in text
    read = json.loads(text)
    assert (read["count"], read["flag"], read["time"]) == (-5, False, "2018-04-05T17:31:00.1234567+01:00")
    assert "nothing" not in read


def test_without_an_envelope_it_is_an_event_like_any_other(shared_hub, topic):
    with shared_hub.stream(topic) as stream:
        response = post(shared_hub, topic, http.to_structured_event(event("XML")))
        message = stream.next()
    assert (message.type, message.data) == ("com.example.test", EVENTS["XML"][1])
    [shown] = shared_hub.history(topic)
    assert (shown["type"], shown["contentType"], shown["data"]) == (
        "com.example.test", "application/xml", EVENTS["XML"][1])
    one = shared_hub.get(response.headers["Location"])
    assert one.content == EVENTS["XML"][1].encode()
    assert (one.headers["Content-Type"], one.headers["Event-Type"]) == ("application/xml", "com.example.test")


def test_binary_data_is_the_data(shared_hub, topic):
    location = post(shared_hub, topic, http.to_structured_event(event("binary"))).headers["Location"]
    assert shared_hub.get(location).content == bytes(range(256))
    assert base64.b64decode(shared_hub.history(topic)[0]["dataBase64"]) == bytes(range(256))


def test_an_event_read_from_one_hub_can_be_posted_to_another(start_hub, topic):
    first, second = start_hub(), start_hub()
    sent = event("all attributes")
    for hub in (first, second):
        post(hub, topic, http.to_structured_event(sent))
        with EventStream.of(hub.port, topic, query="since=earliest&envelope=cloudevents") as stream:
            passed_on = stream.next().data
    # It is the same event there, by its source and id.
    again = post(first, topic, http.HTTPMessage({"content-type": "application/cloudevents+json"}, passed_on.encode()))
    assert (again.status_code, again.headers["Idempotent-Replayed"]) == (200, "true")


def test_an_event_that_was_posted_as_data_is_one_of_the_topic(shared_hub, topic):
    receipt = shared_hub.post(topic, "hello", type="greeting")
    response = shared_hub.get(
        f"{events_path(topic)}/{receipt['id']}", headers={"Accept": "text/html, application/cloudevents+json;q=0.5"})
    assert response.headers["ETag"] == f'"{receipt["id"]}.cloudevent"'
    assert response.json() == {
        "specversion": "1.0", "id": receipt["id"], "source": f"/topics/{topic}", "type": "greeting", "subject": topic,
        "time": receipt["time"], "datacontenttype": "text/plain", "data": "hello"}
    # What takes both alike has named the one.
    for accept in ("application/cloudevents+json, */*", "text/*;q=0.5, application/cloudevents+json;q=0.5"):
        assert shared_hub.get(f"{events_path(topic)}/{receipt['id']}", headers={"Accept": accept}).json()["data"] == "hello"
    for accept in ("*/*", "application/json", "application/cloudevents+json;q=0", "application/cloudevents+json;q=0.1, */*",
                   "Text/Plain, application/cloudevents+json;q=0.9", "application/cloudevents+json;q=0.2, text/*;q=0.3"):
        assert shared_hub.get(f"{events_path(topic)}/{receipt['id']}", headers={"Accept": accept}).content == b"hello"


REQUIRED = {"ce-specversion": "1.0", "ce-id": "1", "ce-source": "/s", "ce-type": "t"}


@pytest.mark.parametrize("missing", REQUIRED)
def test_a_header_that_is_missing_or_empty_is_named(shared_hub, topic, missing):
    fields = {name: value for name, value in REQUIRED.items() if name != missing}
    target = events_path(topic)
    response = exchange(shared_hub.port, request("POST", target, fields, b"x"))
    assert_problem(response, 400, "cloudevent-invalid", parameter=missing)
    response = exchange(shared_hub.port, request("POST", target, {**fields, missing: ""}, b"x"))
    assert_problem(response, 400, "cloudevent-invalid", parameter=missing)
    assert shared_hub.history(topic) == []


@pytest.mark.parametrize("name, value, parameter", [
    ("ce-ext", "%C0%A0", "ce-ext"), ("ce-ext", "100%", "ce-ext"), ("ce-ext", '"open', "ce-ext"),
    ("ce-a_b", "x", "ce-a_b"), ("ce-", "x", "ce-"), ("ce-data", "x", "ce-data"), ("ce-ext", "%00", "ce-ext"),
    ("ce-ext", "%0A", "ce-ext"), ("ce-time", "now", "ce-time"), ("ce-specversion", "0.3", "ce-specversion"),
    ("ce-datacontenttype", "text/plain", "ce-datacontenttype"), ("ce-type", "x" * 129, "ce-type"),
    ("ce-source", "a%20b", "ce-source"), ("ce-source", "%2525%25", "ce-source"), ("ce-dataschema", "/s", "ce-dataschema"),
    ("Content-Type", "plain", "Content-Type")])
def test_a_header_that_is_wrong_is_named(shared_hub, topic, name, value, parameter):
    response = exchange(shared_hub.port, request("POST", events_path(topic), {**REQUIRED, name: value}, b"x"))
    assert_problem(response, 400, "cloudevent-invalid", parameter=parameter)
    assert shared_hub.history(topic) == []


@pytest.mark.parametrize("data, type, shown", [
    (b'{"total": 12}', "application/json", {"data": {"total": 12}}), (b"hello", "text/plain; charset=utf-8", {"data": "hello"}),
    (b"\xff", "application/octet-stream", {"data_base64": "/w=="})])
def test_what_curl_says_of_data_is_corrected_for_all_who_hear_it(shared_hub, topic, data, type, shown):
    fields = REQUIRED | {"Content-Type": "application/x-www-form-urlencoded"}
    assert exchange(shared_hub.port, request("POST", events_path(topic), fields, data)).status == 201
    [event] = shared_hub.history(topic)
    accept = {"Accept": "application/cloudevents+json"}
    passed_on = shared_hub.get(f"{events_path(topic)}/{event['id']}", headers=accept).json()
    assert event["contentType"] == passed_on["datacontenttype"] == type
    assert {name: passed_on[name] for name in ("data", "data_base64") if name in passed_on} == shown
    # And it is the same when it was posted anew, as an import does.
    headers = {"Content-Type": "application/cloudevents+json"}
    assert shared_hub.request("POST", events_path(f"{topic}.again"), json=passed_on, headers=headers).status_code == 201
    [again] = shared_hub.history(f"{topic}.again")
    assert {**again, "id": event["id"], "time": event["time"], "topic": topic} == event


def test_lines_may_be_the_data_of_a_cloud_event(shared_hub, topic):
    headers = {"ce-specversion": "1.0", "ce-id": "1", "ce-source": "/s", "ce-type": "lines", "Content-Type": "application/x-ndjson"}
    for status in (201, 200):
        assert shared_hub.request("POST", events_path(topic), data=b"1\n2\n", headers=headers).status_code == status
    [event] = shared_hub.history(topic)
    assert event["type"] == "lines" and event["contentType"] == "application/x-ndjson"
    assert event["data"] == "1\n2\n"


def test_a_header_that_comes_twice_is_named(shared_hub, topic):
    data = request("POST", events_path(topic), REQUIRED, b"x").replace(b"\r\n\r\n", b"\r\nCE-ID: 2\r\n\r\n")
    assert_problem(exchange(shared_hub.port, data), 400, "cloudevent-invalid", parameter="ce-id")


def test_names_of_headers_have_no_case_and_quotes_are_undone(shared_hub, topic):
    fields = {"CE-SpecVersion": "1.0", "Ce-Id": "1", "cE-source": "/s", "ce-TYPE": "t", "ce-Ext": '"a \\"b\\" %e2%82%ac"'}
    assert exchange(shared_hub.port, request("POST", events_path(topic), fields, b"{}")).status == 201
    [read], _ = envelopes(shared_hub, topic, 1)
    assert read.get_extension("ext") == 'a "b" €'


@pytest.mark.parametrize("change, pointer", [
    ({"id": ""}, "/id"), ({"source": None}, "/source"), ({"type": 1}, "/type"), ({"specversion": "2.0"}, "/specversion"),
    ({"Ext": "a"}, "/Ext"), ({"a-b": "c"}, "/a-b"), ({"ext": {"a": 1}}, "/ext"), ({"ext": 1.5}, "/ext"),
    ({"ext": 1 << 31}, "/ext"), ({"data": 1, "data_base64": "AA=="}, "/data_base64"), ({"data_base64": "A"}, "/data_base64"),
    ({"datacontenttype": "text/plain", "data": {}}, "/data"), ({"time": "2026-13-01T00:00:00Z"}, "/time"),
    ({"subject": "a\u0085"}, "/subject"), ({"source": "a b"}, "/source"), ({"source": "<a>"}, "/source"),
    ({"source": "100%"}, "/source"), ({"dataschema": "relative"}, "/dataschema"),
    ({"dataschema": "https://example.com/a|b"}, "/dataschema")])
def test_a_member_that_is_wrong_is_named(shared_hub, topic, change, pointer):
    members = {"specversion": "1.0", "id": "1", "source": "/s", "type": "t"}
    body = json.dumps({**members, **change}).encode()
    headers = {"Content-Type": "application/cloudevents+json"}
    response = shared_hub.request("POST", events_path(topic), data=body, headers=headers)
    assert_problem(response, 400, "cloudevent-invalid", pointer=pointer)
    good = json.dumps(members).encode()
    headers = {"Content-Type": "application/cloudevents-batch+json"}
    response = shared_hub.request(
        "POST", events_path(topic), data=b"[" + good + b"," + body + b"]", headers=headers)
    assert_problem(response, 400, "cloudevent-invalid", pointer=f"/1{pointer}")
    assert shared_hub.history(topic) == []


@pytest.mark.parametrize("body, code", [
    (b"", "body-invalid"), (b"{", "body-invalid"), (b"[]", "cloudevent-invalid"), (b"1", "cloudevent-invalid"),
    (b'{"id":"1","id":"2"}', "cloudevent-invalid"), (b"\xff", "body-invalid"), (b"[" * 100_000, "body-invalid")])
def test_a_body_that_is_no_event(shared_hub, topic, body, code):
    headers = {"Content-Type": "application/cloudevents+json"}
    assert_problem(shared_hub.request("POST", events_path(topic), data=body, headers=headers), 400, code)


def test_a_type_beside_the_events_own(shared_hub, topic):
    fields = {**REQUIRED, "Event-Type": "other"}
    response = shared_hub.request("POST", events_path(topic), data=b"x", headers=fields)
    assert_problem(response, 400, "event-type-invalid", parameter="Event-Type")
    assert shared_hub.request(
        "POST", events_path(topic), data=b"x", headers={**fields, "Event-Type": "t"}).status_code == 201


def test_a_webhook_gets_the_data(start_hub, receiver, topic):
    hub = start_hub("--allow-egress", "127.0.0.0/8")
    hub.register(receiver.url(), topic)
    sent = event("extensions")
    post(hub, topic, http.to_structured_event(sent))
    delivery = receiver.wait_for(1)[0]
    assert json.loads(delivery.body) == {"a": 1}
    assert delivery.headers["event-type"] == "com.example.test"
    assert delivery.headers["content-type"] == "application/json"


def test_an_attribute_with_a_typo_is_told_of(shared_hub, topic):
    event = {"specversion": "1.0", "id": "1", "source": "/x", "type": "t"}
    for name, typo in [("source", "sorce"), ("type", "tpye"), ("specversion", "spec"), ("id", "idx")]:
        misspelt = {typo if key == name else key: value for key, value in event.items()}
        structured = shared_hub.request(
            "POST", events_path(topic), json=misspelt, headers={"Content-Type": "application/cloudevents+json"})
        binary = shared_hub.request(
            "POST", events_path(topic), data=b"x", headers={f"ce-{key}": value for key, value in misspelt.items()})
        problems = [assert_problem(structured, 400, "cloudevent-invalid", pointer=f"/{name}")]
        # Without a version it is no CloudEvent at all in binary mode.
        if name != "specversion":
            problems.append(assert_problem(binary, 400, "cloudevent-invalid", parameter=f"ce-{name}"))
        for problem in problems:
            assert (f'Is "{typo}" meant to be it?' in problem["detail"]) == (typo not in ("spec",))


@pytest.mark.parametrize("count, status", [(256, 201), (257, 400), (90_000, 400)])
def test_an_event_has_only_so_many_attributes(shared_hub, topic, count, status):
    """Each is checked, sorted and written: a hundred thousand held an event loop for half a second."""
    event = {"specversion": "1.0", "id": "1", "source": "/x", "type": "t", "data": 1}
    event |= {f"a{number}": 1 for number in range(count - 4)}
    body = json.dumps(event, separators=(",", ":")).encode()
    answer = shared_hub.request("POST", events_path(topic), data=body, headers={"Content-Type": "application/cloudevents+json"})
    assert answer.status_code == status
    if status == 400:
        assert "256 attributes" in assert_problem(answer, 400, "cloudevent-invalid")["detail"]
    assert len(shared_hub.history(topic)) == (status == 201)


def test_an_event_of_all_attributes_comes_back_as_what_can_be_posted(shared_hub, topic):
    """The hub adds three of its own, which count neither in JSON nor in header fields."""
    event = {"specversion": "1.0", "id": "1", "source": "/x", "type": "t", "data": 1} | {f"a{number}": 1 for number in range(252)}
    head = {"Content-Type": "application/cloudevents+json"}
    trace = {"Traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
    assert shared_hub.request("POST", events_path(topic), json=event, headers=head | trace).status_code == 201
    given = shared_hub.get(events_path(topic), params={"envelope": "cloudevents"}).json()["events"][0]
    assert len(given) == 1 + 256 + 3
    again = shared_hub.request("POST", events_path(topic + ".again"), json=given, headers=head)
    assert again.status_code == 201, again.content
