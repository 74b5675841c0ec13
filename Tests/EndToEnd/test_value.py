"""A topic as a value: its newest event, compared and set."""

import json
import threading
from urllib.parse import quote

import pytest
import requests

from hub_process import events_path
from problems import assert_problem
from raw_http import RawConnection, exchange, request


def value_path(topic):
    return f"/topics/{quote(topic, safe='')}/value"


def put(hub, topic, data=b"x", **headers):
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    return hub.request("PUT", value_path(topic), data=data, headers=fields)


def test_the_newest_event_is_the_value(shared_hub, topic):
    path = value_path(topic)
    assert_problem(shared_hub.get(path), 404, "value-absent")
    shared_hub.post(topic, "first")
    second = shared_hub.post(topic, '{"n": 2}', type="set", headers={"Content-Type": "application/json"})
    shared_hub.post(topic + ".other", "not this")
    value = shared_hub.get(path)
    assert value.status_code == 200
    assert value.text == '{"n": 2}'
    assert value.headers["Content-Type"] == "application/json"
    assert value.headers["Event-Type"] == "set"
    assert value.headers["ETag"] == f'"{second["id"]}"'
    assert "no-cache" in value.headers["Cache-Control"]
    for tags in (value.headers["ETag"], f'"a", W/{value.headers["ETag"]}', "*"):
        same = shared_hub.get(path, headers={"If-None-Match": tags})
        assert (same.status_code, same.content, same.headers["ETag"]) == (304, b"", value.headers["ETag"])
    third = shared_hub.post(topic, "third")
    changed = shared_hub.get(path, headers={"If-None-Match": value.headers["ETag"]})
    assert (changed.status_code, changed.text, changed.headers["ETag"]) == (200, "third", f'"{third["id"]}"')


@pytest.mark.parametrize("field", ["If-None-Match", "if-none-match"])
def test_tags_in_several_fields_are_one_list(shared_hub, topic, field):
    receipt = shared_hub.post(topic, "x")
    for path in (value_path(topic), f"{events_path(topic)}/{receipt['id']}"):
        data = request("GET", path, {"If-None-Match": '"other"'}).replace(
            b"\r\n\r\n", f'\r\n{field}: "{receipt["id"]}"\r\n\r\n'.encode())
        assert exchange(shared_hub.port, data).status == 304


def test_a_type_with_control_characters_is_escaped_in_the_header(shared_hub, topic):
    response = shared_hub.request("POST", events_path(topic) + "?type=a%1B%5B31m%7F%09%C3%BC%25", data=b"x")
    assert response.status_code == 201
    with RawConnection(shared_hub.port) as connection:
        connection.send(request("GET", value_path(topic)))
        assert connection.receive().headers["event-type"].encode("latin-1") == "a%1B[31m%7F%09ü%25".encode()
    assert shared_hub.history(topic)[0]["type"] == "a\x1b[31m\x7f\tü%"


def test_its_head(shared_hub, topic):
    with RawConnection(shared_hub.port) as connection:
        connection.send(request("HEAD", value_path(topic)))
        assert connection.receive(body_follows=False).status == 404
        receipt = shared_hub.post(topic, "four")
        connection.send(request("HEAD", value_path(topic)))
        head = connection.receive(body_follows=False)
        assert (head.status, head.headers["content-length"]) == (200, "4")
        assert head.headers["etag"] == f'"{receipt["id"]}"'
        # Nothing was left in between.
        connection.send(request("GET", value_path(topic)))
        assert connection.receive().body == b"four"


def test_putting_is_posting(shared_hub, topic):
    with shared_hub.stream(topic) as stream:
        response = put(shared_hub, topic, b'{"a":1}', Content_Type="application/json", Event_Type="set")
        message = stream.next()
    receipt = response.json()
    assert response.status_code == 201
    assert set(receipt) == {"id", "topic", "time"}
    assert response.headers["ETag"] == f'"{receipt["id"]}"'
    assert response.headers["Location"] == f"{events_path(topic)}/{receipt['id']}"
    assert (message.id, message.type, message.data) == (receipt["id"], "set", '{"a":1}')
    assert shared_hub.get(response.headers["Location"]).json() == {"a": 1}
    assert shared_hub.get(value_path(topic)).headers["ETag"] == response.headers["ETag"]


def test_what_curl_puts(shared_hub, topic):
    assert put(shared_hub, topic, b"on", Content_Type="application/x-www-form-urlencoded").status_code == 201
    value = shared_hub.get(value_path(topic))
    assert (value.text, value.headers["Content-Type"]) == ("on", "text/plain; charset=utf-8")


def test_comparing_and_setting(shared_hub, topic):
    first = put(shared_hub, topic, b"1", If_None_Match="*")
    assert first.status_code == 201
    problem = assert_problem(put(shared_hub, topic, b"2", If_None_Match="*"), 412, "value-changed", parameter="If-None-Match")
    assert "has a value" in problem["detail"]
    second = put(shared_hub, topic, b"2", If_Match=first.headers["ETag"])
    assert second.status_code == 201
    assert_problem(
        put(shared_hub, topic, b"3", If_Match=first.headers["ETag"]), 412, "value-changed", parameter="If-Match")
    third = put(shared_hub, topic, b"3", If_Match=f'{first.headers["ETag"]}, {second.headers["ETag"]} ,,"x",')
    assert third.status_code == 201
    assert put(shared_hub, topic, b"4", If_Match="*").status_code == 201
    newest = shared_hub.get(value_path(topic)).headers["ETag"]
    # A strong comparison (RFC 9110 section 13.1.1): no weak tag is that of what is there.
    for tags in ('"x"', '""', f'"{third.json()["id"]}0"', f"W/{newest}", "", ","):
        assert_problem(put(shared_hub, topic, b"5", If_Match=tags), 412, "value-changed")
    assert shared_hub.get(value_path(topic)).text == "4"
    assert [event["data"] for event in shared_hub.history(topic)] == ["1", "2", "3", "4"]


def test_where_there_is_nothing_to_compare_with(shared_hub, topic):
    for tags in ("*", '"x"', '"000000000000-0"'):
        assert_problem(put(shared_hub, topic, If_Match=tags), 412, "value-changed", parameter="If-Match")
    assert shared_hub.history(topic) == []


@pytest.mark.parametrize("headers, parameter", [
    ({"If_Match": "unquoted"}, "If-Match"), ({"If_Match": '"a", b'}, "If-Match"), ({"If_Match": '"'}, "If-Match"),
    ({"If_None_Match": "a"}, "If-None-Match"), ({"If_None_Match": "*", "If_Match": "x"}, "If-Match")])
def test_conditions_that_are_none(shared_hub, topic, headers, parameter):
    assert_problem(put(shared_hub, topic, **headers), 400, "parameter-invalid", parameter=parameter)
    assert shared_hub.history(topic) == []


def test_setting_what_is_not_the_value_already(shared_hub, topic):
    first = put(shared_hub, topic, b"1", If_None_Match='"x"')
    assert first.status_code == 201
    tag = first.headers["ETag"]
    # A weak comparison (RFC 9110 section 13.1.2).
    for tags in (tag, f"W/{tag}", f'"x", {tag}'):
        assert_problem(put(shared_hub, topic, b"2", If_None_Match=tags), 412, "value-changed", parameter="If-None-Match")
    assert put(shared_hub, topic, b"2", If_None_Match='"a,*,b"').status_code == 201
    # If-Match comes first (RFC 9110 section 13.2.2).
    both = {"If_Match": tag, "If_None_Match": "*"}
    assert_problem(put(shared_hub, topic, b"3", **both), 412, "value-changed", parameter="If-Match")
    both["If_Match"] = shared_hub.get(value_path(topic)).headers["ETag"]
    assert_problem(put(shared_hub, topic, b"3", **both), 412, "value-changed", parameter="If-None-Match")
    assert put(shared_hub, topic, b"3", **{**both, "If_None_Match": tag}).status_code == 201


@pytest.mark.parametrize("kind", ["application/x-ndjson", "application/cloudevents-batch+json"])
def test_a_value_is_one_event(shared_hub, topic, kind):
    assert_problem(put(shared_hub, topic, b"[]", Content_Type=kind), 415, "media-type-unsupported", parameter="Content-Type")


def test_a_pattern_has_no_value(shared_hub):
    for method in ("GET", "PUT", "HEAD"):
        response = shared_hub.request(method, "/topics/orders.*/value")
        assert response.status_code == 400
        if method != "HEAD":
            assert_problem(response, 400, "topic-invalid", parameter="topic")


def test_other_methods(shared_hub, topic):
    response = shared_hub.request("POST", value_path(topic))
    assert_problem(response, 405, "method-not-allowed")
    assert response.headers["Allow"] == "GET, HEAD, OPTIONS, PUT"


def test_a_repeated_put_is_answered_again_also_when_the_value_has_changed(shared_hub, topic):
    first = put(shared_hub, topic, b"1", If_None_Match="*", Idempotency_Key="k")
    assert put(shared_hub, topic, b"2", If_Match=first.headers["ETag"]).status_code == 201
    again = put(shared_hub, topic, b"1", If_None_Match="*", Idempotency_Key="k")
    assert (again.status_code, again.headers["Idempotent-Replayed"]) == (200, "true")
    assert (again.content, again.headers["ETag"]) == (first.content, first.headers["ETag"])
    assert_problem(put(shared_hub, topic, b"3", Idempotency_Key="k"), 422, "idempotency-conflict")
    assert shared_hub.get(value_path(topic)).text == "2"


def test_a_refused_put_leaves_its_key_free(shared_hub, topic):
    assert_problem(put(shared_hub, topic, b"1", If_Match='"x"', Idempotency_Key="k"), 412, "value-changed")
    assert put(shared_hub, topic, b"2", Idempotency_Key="k").status_code == 201


def test_a_cloudevent_as_a_value(shared_hub, topic):
    event = {"specversion": "1.0", "id": "1", "source": "/s", "type": "t", "data": {"a": 1}}
    response = put(shared_hub, topic, json.dumps(event).encode(), Content_Type="application/cloudevents+json")
    assert response.status_code == 201
    value = shared_hub.get(value_path(topic))
    assert (value.json(), value.headers["Event-Type"]) == ({"a": 1}, "t")
    whole = shared_hub.get(value_path(topic), headers={"Accept": "application/cloudevents+json"})
    assert whole.json() == {**event, "clarionid": response.json()["id"], "clariontopic": topic}
    # Its tag is another one, and names the same value.
    assert whole.headers["ETag"] != value.headers["ETag"]
    assert put(shared_hub, topic, b"2", If_Match=whole.headers["ETag"]).status_code == 201


def test_a_counter_that_many_increment_loses_nothing(shared_hub, topic, figure):
    clients, total = 16, 500
    path = shared_hub.url + value_path(topic)
    assert requests.put(path, data=b"0", headers={"If-None-Match": "*"}).status_code == 201
    left = threading.Semaphore(total)
    refused = []
    failures = []

    def increment(session):
        while True:
            value = session.get(path, timeout=30)
            answer = session.put(
                path, data=str(int(value.text) + 1).encode(), headers={"If-Match": value.headers["ETag"]}, timeout=30)
            if answer.status_code == 201:
                return
            assert answer.status_code == 412, answer.text
            refused.append(1)

    def go():
        try:
            with requests.Session() as session:
                while left.acquire(blocking=False):
                    increment(session)
        except Exception as failure:
            failures.append(failure)

    threads = [threading.Thread(target=go) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert requests.get(path).text == str(total)
    # Each number was written once, in order.
    assert [event["data"] for event in shared_hub.history(topic)] == [str(number) for number in range(total + 1)]
    figure(f"{total} increments by {clients} clients, {len(refused)} refused")
    # Otherwise nobody came in anybody's way, and it has shown nothing.
    assert refused
