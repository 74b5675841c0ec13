"""Posts that are repeated: the same key is the same post."""

import json
import threading

import pytest

from hub_process import events_path
from problems import assert_problem
from raw_http import RawConnection
from waiting import wait_until


def post(hub, topic, data=b"x", key=None, **headers):
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    if key is not None:
        fields["Idempotency-Key"] = key
    return hub.request("POST", events_path(topic), data=data, headers=fields)


def assert_replay(response, first):
    assert response.status_code == 200
    assert response.headers["Idempotent-Replayed"] == "true"
    assert response.content == first.content
    assert response.headers.get("Location") == first.headers.get("Location")


def test_a_repeated_post_is_answered_again_and_not_stored_again(shared_hub, topic):
    with shared_hub.stream(topic) as stream:
        first = post(shared_hub, topic, key="k 1")
        assert first.status_code == 201
        assert "Idempotent-Replayed" not in first.headers
        for _ in range(3):
            assert_replay(post(shared_hub, topic, key="k 1"), first)
        end = shared_hub.post(topic, "end")
        assert [message.id for message in stream.take(2)] == [first.json()["id"], end["id"]]
    assert len(shared_hub.history(topic)) == 2


def test_the_key_may_stand_in_the_query(shared_hub, topic):
    path = events_path(topic)
    first = shared_hub.request("POST", path, params={"key": "ä?".encode().hex()}, data=b"x")
    assert_replay(post(shared_hub, topic, key="ä?".encode().hex()), first)
    # The header wins.
    other = shared_hub.request(
        "POST", path, params={"key": "ä?".encode().hex()}, data=b"x", headers={"Idempotency-Key": "another"})
    assert other.status_code == 201


def test_a_key_is_its_topics_own(shared_hub, topic):
    first = post(shared_hub, topic, key="k")
    second = post(shared_hub, topic + ".b", b"y", key="k")
    assert (first.status_code, second.status_code) == (201, 201)


@pytest.mark.parametrize("change", [
    {"data": b"y"}, {"data": b""}, {"Event_Type": "t"}, {"Content_Type": "text/html"},
    {"ce_id": "1", "ce_source": "s", "ce_type": "t", "ce_specversion": "1.0"},
    {"Content_Type": "application/x-ndjson", "data": b"1"}])
def test_a_key_with_another_post_is_a_conflict(shared_hub, topic, change):
    assert post(shared_hub, topic, key="k").status_code == 201
    assert_problem(
        post(shared_hub, topic, **{"key": "k", **change}), 422, "idempotency-conflict", parameter="Idempotency-Key")
    if list(change) == ["data"]:
        response = shared_hub.request("POST", events_path(topic), params={"key": "k"}, data=change["data"])
        assert_problem(response, 422, "idempotency-conflict", parameter="key")
    assert len(shared_hub.history(topic)) == 1


def test_another_trace_is_not_another_post(shared_hub, topic):
    first = post(shared_hub, topic, key="k", traceparent="00-" + "1" * 32 + "-" + "2" * 16 + "-01")
    assert_replay(post(shared_hub, topic, key="k", traceparent="00-" + "3" * 32 + "-" + "4" * 16 + "-01"), first)


@pytest.mark.parametrize("key", ["", "x" * 256, "a\tb", "ä", "\x7f"])
def test_a_key_that_is_none(shared_hub, topic, key):
    response = shared_hub.request("POST", events_path(topic), data=b"x", params={"key": key})
    assert_problem(response, 400, "idempotency-key-invalid", parameter="key")
    if key:
        response = post(shared_hub, topic, key=key.encode())
        assert_problem(response, 400, "idempotency-key-invalid", parameter="Idempotency-Key")
    assert shared_hub.history(topic) == []


@pytest.mark.parametrize("field, code", [("Idempotency-Key", "idempotency-key-invalid"), ("Event-Type", "event-type-invalid")])
def test_two_of_what_there_is_one_of_are_refused(shared_hub, topic, field, code):
    with RawConnection(shared_hub.port) as connection:
        lines = f"{field}: a\r\n{field}: b\r\n"
        head = f"POST {events_path(topic)} HTTP/1.1\r\nHost: localhost\r\n{lines}Content-Length: 1\r\n\r\nx"
        connection.send(head.encode())
        assert_problem(connection.receive(), 400, code, parameter=field)
    assert shared_hub.history(topic) == []


def test_the_longest_key(shared_hub, topic):
    assert post(shared_hub, topic, key="~" * 255).status_code == 201


def test_a_key_is_remembered_by_the_log_not_the_process(start_hub, topic):
    hub = start_hub()
    first = post(hub, topic, key="k")
    hub.kill()
    hub.start(hub.port)
    assert_replay(post(hub, topic, key="k"), first)


def test_a_key_of_many_at_once_is_one_event(shared_hub, topic):
    answers = []

    def go():
        import requests
        answers.append(requests.post(shared_hub.url + events_path(topic), data=b"x", headers={"Idempotency-Key": "k"}))

    threads = [threading.Thread(target=go) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answer.status_code for answer in answers) == [200] * 15 + [201]
    assert len({answer.content for answer in answers}) == 1
    assert len(shared_hub.history(topic)) == 1


def test_a_key_of_a_batch_is_that_of_all_of_it(shared_hub, topic):
    lines = b"1\n2\n3\n"
    first = post(shared_hub, topic, lines, key="k", Content_Type="application/x-ndjson")
    assert first.status_code == 201
    assert_replay(post(shared_hub, topic, lines, key="k", Content_Type="application/x-ndjson"), first)
    for other in (b"1\n2\n", b"1\n2\n3\n4\n", b"1\n2\n4\n"):
        response = post(shared_hub, topic, other, key="k", Content_Type="application/x-ndjson")
        assert_problem(response, 422, "idempotency-conflict")
    assert [event["data"] for event in shared_hub.history(topic)] == [1, 2, 3]


def test_the_source_and_id_of_a_cloudevent_are_its_key(shared_hub, topic):
    def event(**changes):
        return json.dumps({"specversion": "1.0", "id": "1", "source": "/s", "type": "t", "data": 1, **changes})

    kind = "application/cloudevents+json"
    first = post(shared_hub, topic, event(), Content_Type=kind)
    assert first.status_code == 201
    assert_replay(post(shared_hub, topic, event(), Content_Type=kind), first)
    # The same event in another mode.
    assert_replay(post(
        shared_hub, topic, b"1", ce_specversion="1.0", ce_id="%31", ce_source="/s", ce_type="t"), first)
    for change in ({"data": 2}, {"type": "u"}, {"subject": "a"}, {"ext": "b"}):
        assert_problem(post(shared_hub, topic, event(**change), Content_Type=kind), 422, "idempotency-conflict", pointer="")
    response = post(shared_hub, topic, b"2", ce_specversion="1.0", ce_id="1", ce_source="/s", ce_type="t")
    assert_problem(response, 422, "idempotency-conflict", parameter="ce-id")
    for change in ({"id": "2"}, {"source": "/t"}):
        assert post(shared_hub, topic, event(**change), Content_Type=kind).status_code == 201
    # A key of the client's own stands instead of it.
    second = post(shared_hub, topic, event(), key="mine", Content_Type=kind)
    assert second.status_code == 201
    assert_replay(post(shared_hub, topic, event(), key="mine", Content_Type=kind), second)
    assert_problem(post(shared_hub, topic, event(subject="a"), key="mine", Content_Type=kind), 422, "idempotency-conflict")


def test_a_batch_of_which_some_are_repeated(shared_hub, topic):
    def batch(*ids):
        return json.dumps([{"specversion": "1.0", "id": id, "source": "/s", "type": "t"} for id in ids])

    kind = "application/cloudevents-batch+json"
    first = post(shared_hub, topic, batch("1", "2"), Content_Type=kind)
    assert first.status_code == 201
    second = post(shared_hub, topic, batch("2", "3", "3"), Content_Type=kind)
    assert second.status_code == 201
    assert "Idempotent-Replayed" not in second.headers
    receipts = second.json()["events"]
    assert receipts[0] == first.json()["events"][1]
    assert receipts[1] == receipts[2]
    assert_replay(post(shared_hub, topic, batch("2", "3", "3"), Content_Type=kind), second)
    assert len(shared_hub.history(topic)) == 3
    # One that differs keeps all out, and is named.
    changed = batch("4", "2").replace('"id": "2"', '"id": "2", "subject": "a"')
    assert_problem(post(shared_hub, topic, changed, Content_Type=kind), 422, "idempotency-conflict", pointer="/1")
    response = post(shared_hub, topic, changed, key="k", Content_Type=kind)
    assert response.status_code == 201
    assert_problem(
        post(shared_hub, topic, batch("5"), key="k", Content_Type=kind), 422, "idempotency-conflict",
        parameter="Idempotency-Key")


def test_keys_of_a_deleted_topic_leave_their_places_to_others(start_hub, topic):
    hub = start_hub("--max-idempotency-keys", "10")
    for number in range(10):
        assert post(hub, topic, key=f"k{number}").status_code == 201
    assert post(hub, "other", key="k").status_code == 507
    assert hub.request("DELETE", f"/topics/{topic}").status_code == 204
    wait_until(lambda: post(hub, "other", key="k").status_code == 201)
    # The topic's new ones are none of those.
    for number in range(9):
        assert post(hub, topic, key=f"k{number}").status_code == 201
    assert post(hub, topic, key="k0").status_code == 200
    assert post(hub, topic, key="k9").status_code == 507
    hub.kill()
    hub.restart()
    assert post(hub, topic, key="k0").status_code == 200
    assert post(hub, topic, key="k9").status_code == 507
