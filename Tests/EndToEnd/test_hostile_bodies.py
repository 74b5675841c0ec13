"""Bodies that are cheap to send and dear to read: what they cost the hub is bounded by their bytes."""

import json

import pytest

from hub_process import events_path
from problems import assert_problem

#: Marks in two classes by turns, which a normal form has to sort.
MARKS = "a" + "\u0323\u0301" * 40_000
#: As many as fit twice into a document that is no post, escaped.
FEWER = "a" + "\u0323\u0301" * 10_000
EVENT = {"specversion": "1.0", "id": "1", "source": "/x", "type": "t"}
WEBHOOK = {"url": "http://example.com/", "topics": ["a"]}


@pytest.fixture(scope="module")
def hub(start_shared_hub):
    return start_shared_hub("--allow-egress", "127.0.0.0/8")


def assert_cheap(hub, method, path, value, content_type="application/json", escaped=False):
    before = hub.processor_time()
    body = json.dumps(value, ensure_ascii=escaped).encode()
    response = hub.request(method, path, data=body, headers={"Content-Type": content_type}, timeout=30)
    assert response.status_code == 400, response.text
    # It was seconds to minutes.
    assert hub.processor_time() - before < 1
    return response


@pytest.mark.parametrize("escaped", [False, True])
@pytest.mark.parametrize("method, path, value, content_type", [
    ("POST", events_path("a"), {**EVENT, MARKS: 1}, "application/cloudevents+json"),
    ("POST", events_path("a"), [{**EVENT, MARKS: 1}], "application/cloudevents-batch+json"),
    ("PUT", "/topics/a", {FEWER: 1}, "application/json"),
    ("PUT", "/topics/a", {"retention": {FEWER: 1}}, "application/json"),
    ("POST", "/observers", {**WEBHOOK, FEWER: 1}, "application/json"),
    *(("POST", "/observers", {**WEBHOOK, name: value}, "application/json")
      for name, value in [("format", FEWER), ("signature", FEWER), ("id", FEWER), ("types", [FEWER, FEWER + "b"]),
                          ("topics", [FEWER, FEWER + "b"]), ("headers", {FEWER: FEWER})]),
], ids=lambda value: "" if isinstance(value, (dict, list)) else None)
def test_combining_marks_in_a_row_are_refused_before_they_are_compared(hub, method, path, value, content_type, escaped):
    assert_problem(assert_cheap(hub, method, path, value, content_type, escaped), 400, "body-invalid")


@pytest.mark.parametrize("name", ["specversion", "type", "time", "datacontenttype", "source", "dataschema", "subject", "x"])
def test_attributes_have_no_such_marks(hub, name):
    response = assert_cheap(hub, "POST", events_path("a"), {**EVENT, name: MARKS}, "application/cloudevents+json")
    assert_problem(response, 400, "cloudevent-invalid", pointer=f"/{name}")


def test_data_may_have_them(hub, topic):
    before = hub.processor_time()
    hub.post(topic, json.dumps({MARKS: MARKS}, ensure_ascii=False).encode(), headers={"Content-Type": "application/json"})
    hub.post(topic, MARKS.encode())
    wrapped = {**EVENT, "data": {MARKS: MARKS}}
    hub.post(topic, json.dumps(wrapped, ensure_ascii=False).encode(), headers={"Content-Type": "application/cloudevents+json"})
    events = hub.history(topic)
    assert [event["data"] for event in events] == [{MARKS: MARKS}, MARKS, {MARKS: MARKS}]
    assert hub.processor_time() - before < 1


def test_names_that_people_write_are_taken(hub, topic):
    description = "Việt Nam e\u0301\u0323 שָׁלוֹם " + "o" + "\u0308" * 30
    webhook = hub.register("http://127.0.0.1:9000/", topic, description=description)
    assert hub.observer(webhook["id"])["description"] == description

