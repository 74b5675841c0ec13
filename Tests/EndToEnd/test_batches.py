"""Many events in one request: all of them or none."""

import json
import threading
import time

import pytest
import requests

from hub_process import events_path
from problems import assert_problem


def post(hub, topic, data, **headers):
    fields = {"Content-Type": "application/x-ndjson", **headers}
    return hub.request("POST", events_path(topic), data=data, headers=fields)


def test_every_line_is_the_data_of_an_event(shared_hub, topic):
    values = [{"n": 1, "text": "zwei\nZeilen"}, [1, 2.5], "text", 3, None, True, {"ü": "😀"}]
    body = "\n".join(json.dumps(value, ensure_ascii=False) for value in values).encode()
    with shared_hub.stream(topic) as stream:
        response = post(shared_hub, topic, body, **{"Event-Type": "line"})
        assert response.status_code == 201
        assert "Location" not in response.headers
        receipts = response.json()["events"]
        messages = stream.take(len(values))
    assert [set(receipt) for receipt in receipts] == [{"id", "topic", "time"}] * len(values)
    assert [message.id for message in messages] == [receipt["id"] for receipt in receipts]
    assert [message.type for message in messages] == ["line"] * len(values)
    assert [message.data for message in messages] == body.decode().split("\n")
    history = shared_hub.history(topic)
    assert [event["data"] for event in history] == values
    assert {event["contentType"] for event in history} == {"application/json"}
    one = shared_hub.get(f"{events_path(topic)}/{receipts[0]['id']}")
    assert one.json() == values[0]


def test_curl_as_it_would_be_written(shared_hub, topic, tmp_path):
    import subprocess
    lines = tmp_path / "lines"
    lines.write_bytes(b'{"a": 1}\r\n\r\n{"a": 2}\n')
    answer = subprocess.run(
        ["curl", "-sS", "-H", "Content-Type: application/x-ndjson", "--data-binary", f"@{lines}",
         f"{shared_hub.url}{events_path(topic)}"], capture_output=True, text=True, timeout=20, check=True)
    assert len(json.loads(answer.stdout)["events"]) == 2
    assert [event["data"] for event in shared_hub.history(topic)] == [{"a": 1}, {"a": 2}]


@pytest.mark.parametrize("body, line, pointer", [
    (b"1\n2\n{\n", 3, "/2"), (b"\n\nx", 3, "/0"), (b'{"a":\n1}', 1, "/0"), (b"1\n\xff", 2, "/1"), (b"1 2", 1, "/0")])
def test_a_line_that_is_not_json_keeps_all_out(shared_hub, topic, body, line, pointer):
    problem = assert_problem(post(shared_hub, topic, body), 400, "body-invalid", pointer=pointer)
    assert f"Line {line} " in problem["detail"]
    assert shared_hub.history(topic) == []


@pytest.mark.parametrize("body, kind", [
    (b"", "application/x-ndjson"), (b"\n \r\n", "application/x-ndjson"), (b" [ ] ", "application/cloudevents-batch+json")])
def test_an_empty_batch_stores_nothing(shared_hub, topic, body, kind):
    response = post(shared_hub, topic, body, **{"Content-Type": kind})
    assert (response.status_code, response.json()) == (200, {"events": []})
    assert shared_hub.history(topic) == []


def test_ten_thousand_at_once_and_one_more(shared_hub, topic, figure):
    lines = b"\n".join(b"%d" % number for number in range(10_000))
    response = post(shared_hub, topic, lines)
    assert response.status_code == 201
    figure(f"10,000 lines in one post: {response.elapsed.total_seconds() * 1000:.0f} ms")
    assert len(response.json()["events"]) == 10_000
    assert_problem(post(shared_hub, topic, lines + b"\n10000"), 413, "batch-too-large")
    history = shared_hub.history(topic)
    assert [event["data"] for event in history] == list(range(10_000))
    assert [event["id"] for event in history] == [receipt["id"] for receipt in response.json()["events"]]


def test_the_body_is_bounded_as_any_other(shared_hub, topic):
    assert_problem(post(shared_hub, topic, b'"' + b"x" * (1 << 20) + b'"'), 413, "body-too-large")


def test_nothing_comes_between_the_events_of_a_batch(shared_hub, topic):
    import threading
    import requests

    def go(name):
        for _ in range(20):
            answer = requests.post(
                shared_hub.url + events_path(topic), data="\n".join(f'"{name}"' for _ in range(25)),
                headers={"Content-Type": "application/x-ndjson"})
            assert answer.status_code == 201

    threads = [threading.Thread(target=go, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    names = [event["data"] for event in shared_hub.history(topic)]
    assert len(names) == 4 * 20 * 25
    for start in range(0, len(names), 25):
        assert len(set(names[start:start + 25])) == 1


def test_other_formats_of_cloudevents_are_refused(shared_hub, topic):
    for kind in ("application/cloudevents+xml", "application/cloudevents", "application/cloudevents-batch+avro"):
        response = post(shared_hub, topic, b"[]", **{"Content-Type": kind})
        assert_problem(response, 415, "media-type-unsupported", parameter="Content-Type")


@pytest.mark.measured
def test_a_batch_for_a_hundred_webhooks_holds_no_other_post_up(start_hub, topic, figure):
    """Its work is not its bytes: ten thousand lines are 20 KB, and a million deliveries."""
    hub = start_hub("--allow-egress", "127.0.0.0/8")
    webhooks = [hub.register(f"http://127.0.0.1:9999/{number}", f"{topic}.batch", enabled=False) for number in range(100)]
    before = hub.rss()
    ended, slowest, most = [], 0, before

    def post_batch():
        response = requests.post(
            f"{hub.url}/topics/{topic}.batch/events", data="1\n" * 10_000,
            headers={"Content-Type": "application/x-ndjson"})
        assert response.status_code == 201
        ended.append(time.monotonic())

    began = time.monotonic()
    thread = threading.Thread(target=post_batch)
    thread.start()
    while not ended or time.monotonic() < ended[0] + 8:
        posted = time.monotonic()
        hub.post(f"{topic}.other", "x")
        slowest = max(slowest, time.monotonic() - posted)
        most = max(most, hub.rss())
    thread.join()
    figure(f"the batch took {ended[0] - began:.2f} s, beside it a post {slowest * 1000:.0f} ms at most; "
           f"{(most - before) / 1e6:.0f} MB more")
    # All of it in one transaction takes 3 s.
    assert slowest < 2
    figure.at_most(slowest, 0.25, "the slowest post beside it, in seconds,")
    figure.at_most(most - before, 40e6, "the memory that it takes, in bytes,")
    for webhook in webhooks[::33]:
        assert hub.observer(webhook["id"])["stats"]["pending"] == 10_000
