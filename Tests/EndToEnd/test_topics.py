"""Topics as things: listed, read, bounded, deleted."""

import base64
import json
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import pytest
import requests

from event_stream import EventStream
from hub_process import events_path
from problems import assert_problem
from waiting import wait_until

ODD_NAMES = [
    "https://example.com/books/1?x=1#top", "ü.ö", "a%2Fb", "a+b&c=d", "…", "\U0001f600.x", "per%cent", "'\"<>\\^`{|}",
    "x" * 255, "..a", "a..b", "-", "%", "~", "topics", "events", "value"]


def path(topic):
    return f"/topics/{quote(topic, safe='')}"


def read(hub, topic):
    response = hub.get(path(topic))
    assert response.status_code == 200, response.text
    assert response.headers["Content-Type"] == "application/json"
    assert response.headers["Cache-Control"] == "no-store"
    return response.json()


def topics(hub, **query):
    """Every topic of a list, page by page."""
    found = []
    while True:
        response = hub.get("/topics", params=query)
        assert response.status_code == 200, response.text
        page = response.json()
        assert set(page) == {"topics", "next"}
        found += page["topics"]
        if page["next"] is None:
            return found
        assert len(page["topics"]) == int(query.get("limit", 100))
        query = {**query, "cursor": page["next"]}


def retain(hub, topic, retention):
    response = hub.request("PUT", path(topic), json={"retention": retention})
    assert response.status_code == 200, response.text
    return response.json()


NOBODY = {"stream": 0, "webhook": 0, "object": 0}


def test_a_topic(shared_hub, topic):
    assert_problem(shared_hub.get(path(topic)), 404, "topic-unknown")
    first = shared_hub.post(topic, "12345")["id"]
    assert read(shared_hub, topic) == {
        "name": topic, "events": 1, "bytes": 5, "firstId": first, "lastId": first, "observers": NOBODY,
        "retention": None}
    shared_hub.post(topic, "")
    last = shared_hub.post(topic, "ü")["id"]
    document = read(shared_hub, topic)
    assert (document["events"], document["bytes"]) == (3, 7)
    assert (document["firstId"], document["lastId"]) == (first, last)
    assert topics(shared_hub, prefix=topic) == [document]
    head = shared_hub.request("HEAD", path(topic))
    assert (head.status_code, head.content) == (200, b"")
    options = shared_hub.request("OPTIONS", path(topic))
    assert {"GET", "PUT", "DELETE"} <= set(options.headers["Allow"].replace(",", " ").split())
    assert_problem(shared_hub.request("PATCH", path(topic)), 405, "method-not-allowed")
    assert_problem(shared_hub.request("POST", "/topics"), 405, "method-not-allowed")


@pytest.mark.parametrize("name", ODD_NAMES)
def test_names_of_every_kind(shared_hub, topic, name):
    name = name if len(name) > 200 else f"{topic}{name}" if name in ("topics", "events", "value", "-", "%", "~") else name
    id = shared_hub.post(name, "x")["id"]
    document = read(shared_hub, name)
    assert (document["name"], document["lastId"]) == (name, id)
    assert [one["name"] for one in topics(shared_hub, prefix=name)] == [name]
    assert retain(shared_hub, name, {"events": 5})["name"] == name
    assert shared_hub.request("DELETE", path(name)).status_code == 204
    assert_problem(shared_hub.get(path(name)), 404, "topic-unknown")


@pytest.mark.parametrize("name", ["a b", "a*", "*", "%00", "%0A", "%FF", "a" * 256])
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_what_is_no_name_of_a_topic(shared_hub, name, method):
    encoded = name if name.startswith("%") else quote(name, safe="")
    response = shared_hub.request(method, f"/topics/{encoded}", data=b'{"retention": null}')
    code = "target-invalid" if name == "%FF" else "topic-invalid"
    assert_problem(response, 400, code)


# The list

def test_topics_come_in_the_order_of_their_names_bytes(shared_hub, topic):
    names = [f"{topic}.{rest}" for rest in ("b", "a", "a.a", "B", "ä", "a_", "~", "%", "aa")]
    for name in names:
        shared_hub.post(name, "x")
    expected = sorted(names, key=str.encode)
    for limit in (1, 2, 4, 9, 10, 1000):
        assert [one["name"] for one in topics(shared_hub, prefix=topic, limit=limit)] == expected
    assert [one["name"] for one in topics(shared_hub, prefix=f"{topic}.a")] == [
        f"{topic}.{rest}" for rest in ("a", "a.a", "a_", "aa")]
    assert topics(shared_hub, prefix=f"{topic}.a.b") == []
    assert topics(shared_hub, prefix=f"{topic} x") == []
    everything = [one["name"] for one in topics(shared_hub)]
    assert set(names) <= set(everything)
    assert everything == sorted(everything, key=str.encode)


def test_a_page_of_topics_goes_on_where_the_last_one_ended_whatever_came_meanwhile(shared_hub, topic):
    for name in ("b", "d", "f"):
        shared_hub.post(f"{topic}.{name}", "x")
    first = shared_hub.get("/topics", params={"prefix": topic, "limit": 2}).json()
    assert [one["name"] for one in first["topics"]] == [f"{topic}.b", f"{topic}.d"]
    for name in ("a", "c", "e", "g"):
        shared_hub.post(f"{topic}.{name}", "x")
    shared_hub.request("DELETE", path(f"{topic}.d"))
    rest = topics(shared_hub, prefix=topic, cursor=first["next"])
    assert [one["name"] for one in rest] == [f"{topic}.{name}" for name in "efg"]


def test_a_full_last_page_has_no_next(shared_hub, topic):
    for name in ("a", "b"):
        shared_hub.post(f"{topic}.{name}", "x")
    page = shared_hub.get("/topics", params={"prefix": topic, "limit": 2}).json()
    assert len(page["topics"]) == 2
    assert page["next"] is None


@pytest.mark.parametrize("query, parameter", [
    ("limit=0", "limit"), ("limit=1001", "limit"), ("limit=many", "limit"), ("limit=", "limit"), ("cursor=%21", "cursor"), ("cursor=", "cursor"),
    ("cursor=" + quote(base64.b64encode(b"\xff\xfe").decode()), "cursor")])
def test_a_list_with_a_bad_parameter(shared_hub, query, parameter):
    assert_problem(shared_hub.get(f"/topics?{query}"), 400, "parameter-invalid", parameter=parameter)


# Observers

def test_observers_are_counted_by_kind_where_they_hear(shared_hub, topic, receiver):
    name = f"{topic}.a"
    shared_hub.post(name, "x")
    shared_hub.post(topic, "x")
    before = read(shared_hub, name)["observers"]
    targets = [f"/topics/{name}/events", f"/topics/{topic}.*/events", f"/events?topic={name}&topic={topic}.**",
               f"/topics/{topic}/events", f"/events?topic={name}.x"]
    streams = [EventStream(shared_hub.port, target).wait_for_comment() for target in targets]
    webhook = shared_hub.register("http://93.184.216.34/x", f"{topic}.*", name, enabled=False)
    try:
        counts = {"stream": before["stream"] + 3, "webhook": before["webhook"] + 1, "object": before["object"]}
        assert read(shared_hub, name)["observers"] == counts
        assert topics(shared_hub, prefix=name)[0]["observers"] == counts
        assert retain(shared_hub, name, None)["observers"] == counts
        assert read(shared_hub, topic)["observers"]["stream"] == before["stream"] + 1
    finally:
        shared_hub.request("DELETE", f"/observers/{webhook['id']}")
        for stream in streams:
            stream.close()
    wait_until(lambda: read(shared_hub, name)["observers"] == before, what="the observers to be gone")


# Settings

def test_bounds_are_kept_shown_and_taken_away(hub, topic):
    assert retain(hub, topic, {"bytes": "1GiB"})["retention"]["bytes"] == 1 << 30
    shown = retain(hub, topic, {"events": 1000, "age": "7d", "bytes": 1048576})
    assert shown == {
        "name": topic, "events": 0, "bytes": 0, "firstId": None, "lastId": None, "observers": NOBODY,
        "retention": {"events": 1000, "age": "7d", "bytes": 1048576}}
    assert read(hub, topic) == shown
    assert topics(hub) == [shown]
    hub.restart()
    assert read(hub, topic) == shown
    assert retain(hub, topic, {"age": "90m"})["retention"] == {"events": None, "age": "1h30m", "bytes": None}
    assert retain(hub, topic, {"events": 5, "age": None})["retention"] == {"events": 5, "age": None, "bytes": None}
    for nothing in (None, {}, {"events": None}):
        retain(hub, topic, {"events": 5})
        assert retain(hub, topic, nothing)["retention"] is None
        assert_problem(hub.get(path(topic)), 404, "topic-unknown")
    retain(hub, topic, {"events": 5})
    response = hub.request("PUT", path(topic), json={})
    assert (response.status_code, response.json()["retention"]) == (200, None)


def test_of_several_who_make_a_topic_at_once_one_does(shared_hub, topic):
    def make(name):
        return requests.put(shared_hub.url + path(name), json={"retention": {"events": 5}}, headers={"If-None-Match": "*"}, timeout=10)

    with ThreadPoolExecutor(8) as pool:
        for turn in range(40):
            answers = list(pool.map(make, [f"{topic}.{turn}"] * 8))
            assert sorted(answer.status_code for answer in answers) == [200] + [412] * 7
    refused = next(answer for answer in answers if answer.status_code == 412)
    assert (refused.json()["code"], refused.json()["parameter"]) == ("precondition-failed", "If-None-Match")


def test_who_changes_a_topic_that_is_there_is_not_refused_as_others_do(shared_hub, topic):
    retain(shared_hub, topic, {"events": 5})

    def change(events):
        bounds = {"retention": {"events": events}}
        return requests.put(shared_hub.url + path(topic), json=bounds, headers={"If-Match": "*"}, timeout=10).status_code

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(change, range(1, 101))) == {200}


@pytest.mark.parametrize("bounds, left", [({"events": 3}, 3), ({"bytes": 25}, 2), ({"events": 3, "bytes": 1000}, 3)])
def test_what_exceeds_the_bounds_goes_oldest_first(shared_hub, topic, bounds, left):
    ids = [shared_hub.post(topic, "x" * 10)["id"] for _ in range(8)]
    retain(shared_hub, topic, bounds)
    document = wait_until(lambda: (shown := read(shared_hub, topic))["events"] == left and shown, what="retention")
    assert document["firstId"] == ids[-left]
    assert document["lastId"] == ids[-1]
    assert [event["id"] for event in shared_hub.history(topic)] == ids[-left:]
    ids.append(shared_hub.post(topic, "x" * 10)["id"])
    wait_until(lambda: read(shared_hub, topic)["firstId"] == ids[-left], what="retention")


def test_what_is_too_old_goes(shared_hub, topic):
    shared_hub.post(topic, "old")
    retain(shared_hub, topic, {"age": "1s"})
    wait_until(lambda: read(shared_hub, topic)["events"] == 0, deadline=20, what="retention")
    assert shared_hub.history(topic) == []


@pytest.mark.parametrize("body, code, pointer", [
    (b"", "body-invalid", None), (b"[]", "body-invalid", ""), (b"null", "body-invalid", ""), (b"{", "body-invalid", None),
    (b'{"retention": 5}', "member-invalid", "/retention"), (b'{"retention": "7d"}', "member-invalid", "/retention"),
    (b'{"retention": []}', "member-invalid", "/retention"), (b'{"retain": {}}', "member-unknown", "/retain"),
    (b'{"retention": {"event": 5}}', "member-unknown", "/retention/event"),
    (b'{"retention": {"events": 0}}', "member-invalid", "/retention/events"),
    (b'{"retention": {"events": 2.5}}', "member-invalid", "/retention/events"),
    (b'{"retention": {"events": -5}}', "member-invalid", "/retention/events"),
    (b'{"retention": {"events": "5"}}', "member-invalid", "/retention/events"),
    (b'{"retention": {"events": 1e300}}', "member-invalid", "/retention/events"),
    (b'{"retention": {"bytes": 0}}', "member-invalid", "/retention/bytes"),
    (b'{"retention": {"bytes": 2e15}}', "member-invalid", "/retention/bytes"),
    (b'{"retention": {"age": 7}}', "member-invalid", "/retention/age"),
    (b'{"retention": {"age": "999ms"}}', "member-invalid", "/retention/age"),
    (b'{"retention": {"age": "1m1h"}}', "member-invalid", "/retention/age"),
    (b'{"retention": {"age": "36501d"}}', "member-invalid", "/retention/age"),
    (b'{"retention": {"events": 5, "events": 6}}', "body-invalid", None)])
def test_bad_settings_change_nothing(shared_hub, topic, body, code, pointer):
    response = shared_hub.request("PUT", path(topic), data=body, headers={"Content-Type": "application/json"})
    assert_problem(response, 400, code, pointer=pointer)
    assert_problem(shared_hub.get(path(topic)), 404, "topic-unknown")


def test_settings_of_another_media_type(shared_hub, topic):
    response = shared_hub.request("PUT", path(topic), data=b"{}", headers={"Content-Type": "text/plain"})
    assert_problem(response, 415, "media-type-unsupported", parameter="Content-Type")


# Deleting

def test_a_deleted_topic_is_gone_and_may_be_used_again(shared_hub, topic):
    old = shared_hub.post(topic, "old")["id"]
    other = shared_hub.post(f"{topic}.other", "other")["id"]
    retain(shared_hub, topic, {"events": 5})
    response = shared_hub.request("DELETE", path(topic))
    assert (response.status_code, response.content) == (204, b"")
    assert_problem(shared_hub.request("DELETE", path(topic)), 404, "topic-unknown")
    assert_problem(shared_hub.get(path(topic)), 404, "topic-unknown")
    assert_problem(shared_hub.get(f"{events_path(topic)}/{old}"), 404, "event-unknown")
    assert shared_hub.history(topic) == []
    assert [one["name"] for one in topics(shared_hub, prefix=topic)] == [f"{topic}.other"]
    new = shared_hub.post(topic, "new")["id"]
    assert new != old
    document = read(shared_hub, topic)
    assert (document["events"], document["firstId"], document["retention"]) == (1, new, None)
    assert [event["id"] for event in shared_hub.history(f"{topic}.other")] == [other]


def test_a_topic_of_settings_alone_can_be_deleted(shared_hub, topic):
    retain(shared_hub, topic, {"events": 5})
    assert shared_hub.request("DELETE", path(topic)).status_code == 204
    assert_problem(shared_hub.request("DELETE", path(topic)), 404, "topic-unknown")


def test_streams_of_a_deleted_topic_end_and_others_go_on(shared_hub, topic):
    shared_hub.post(topic, "x")
    ending = [shared_hub.stream(topic), shared_hub.stream(topic, query="observer=of-a-deleted-topic"),
              EventStream(shared_hub.port, f"/events?topic={topic}&topic={topic}").wait_for_comment()]
    lasting = [shared_hub.stream("**"), EventStream(shared_hub.port, f"/events?topic={topic}&topic=x.y").wait_for_comment(),
               shared_hub.stream(f"{topic}.x")]
    last = shared_hub.post(topic, "last")["id"]
    assert shared_hub.request("DELETE", path(topic)).status_code == 204
    for stream in ending:
        assert [message.id for message in stream.read_to_end()] == [last]
        # Come back, but not all at once.
        assert 1000 <= stream.parser.retry <= 5000
    # It was not unregistered: its client may come back, and misses nothing.
    with shared_hub.stream(topic, query="observer=of-a-deleted-topic", last_event_id=last) as again:
        new = shared_hub.post(topic, "new")["id"]
        message = again.next()
        assert (message.id, message.type) == (new, "message")
    shared_hub.post(f"{topic}.x", "end")
    for stream, expected in zip(lasting, ([last, new], [last, new], [])):
        heard = [message.id for message in stream.take(len(expected))]
        assert heard == expected
        stream.close()


def test_who_had_not_heard_all_of_a_deleted_topic_is_told(shared_hub, topic):
    first = shared_hub.post(topic, "first")["id"]
    shared_hub.post(topic, "second")
    shared_hub.request("DELETE", path(topic))
    new = shared_hub.post(topic, "new")["id"]
    for target in (f"/topics/{topic}/events", f"/events?topic={topic}&topic=x.y"):
        with EventStream(shared_hub.port, target, last_event_id=first) as stream:
            gap, message = stream.take(2)
            assert json.loads(gap.data) == {"after": first, "resumed": new, "reason": "retention"}
            assert message.id == new


# Defaults

def test_default_bounds_of_the_command_line(start_hub, topic):
    hub = start_hub("--retention-events", "3", "--retention-age", "1h30m", "--retention-bytes", "1000")
    retain(hub, f"{topic}.own", {"events": 6})
    for number in range(8):
        hub.post(topic, str(number))
        hub.post(f"{topic}.own", str(number))
        hub.post(f"{topic}.large", "x" * 600)
    wait_until(lambda: read(hub, topic)["events"] == 3, what="retention")
    wait_until(lambda: read(hub, f"{topic}.own")["events"] == 6, what="retention")
    wait_until(lambda: read(hub, f"{topic}.large")["events"] == 1, what="retention")
    # Only its own bounds are shown.
    assert read(hub, topic)["retention"] is None


def test_default_bounds_of_the_environment_and_the_file(start_hub, tmp_path, topic):
    file = tmp_path / "settings.json"
    file.write_text(json.dumps({"retention-events": 5, "retention-bytes": 20}))
    hub = start_hub("--config", str(file), environment={"CLARION_RETENTION_EVENTS": "2"})
    for _ in range(8):
        hub.post(topic, "x")
        hub.post(f"{topic}.large", "x" * 15)
    wait_until(lambda: read(hub, topic)["events"] == 2, what="retention")
    wait_until(lambda: read(hub, f"{topic}.large")["events"] == 1, what="retention")


@pytest.mark.parametrize("option, value", [
    ("--retention-events", "0"), ("--retention-events", "many"), ("--retention-events", "-1"), ("--retention-age", "7"),
    ("--retention-age", "0s"), ("--retention-age", "1m1h"), ("--retention-bytes", "1MB"),
    ("--retention-bytes", "0")])
def test_bad_default_bounds(clarion, tmp_path, option, value):
    for arguments, environment in (
            ((f"{option}={value}",), {}), ((), {"CLARION_" + option[2:].upper().replace("-", "_"): value})):
        finished = clarion("serve", *arguments, "--port", "0", "--data", tmp_path / "data", environment=environment)
        assert finished.returncode == 64
        assert option in finished.stderr
        assert len(finished.stderr.strip().splitlines()) == 1
