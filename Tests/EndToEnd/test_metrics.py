"""`GET /metrics`: every number moves by exactly what was done, and none of them grows with what clients ask for."""

import re
import subprocess
import time

import pytest

from credentials import CredentialsFile, ask, grant
from event_stream import EventStream
import one_node_cluster
from hub_process import REPOSITORY, events_path
from metrics import Reading, promtool, wait_for
from problems import assert_problem
from raw_http import exchange
from waiting import wait_until
from webhook_receiver import WebhookReceiver

LOCAL = ("--allow-egress", "127.0.0.0/8")


def documented_metrics():
    """The table of docs/operating.md: type and labels by name."""
    rows = re.findall(r"^\| `((?:clarion|process)_\w+)(?:\{([\w, ]+)\})?` \| (\w+) \|",
                      (REPOSITORY / "docs" / "operating.md").read_text(), re.M)
    return {name: (kind, set(labels.split(", ")) - {""}) for name, labels, kind in rows}


def test_promtool_finds_nothing(shared_hub, topic):
    shared_hub.post(topic, "x")
    checked = promtool("check", "metrics", input=Reading.of(shared_hub).text)
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "")


def test_it_says_what_is_documented(shared_hub):
    reading = Reading.of(shared_hub)
    found = {}
    for line in reading.text.splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            found[name] = (kind, set())
    for name, labels in reading.samples:
        family = re.sub(r"_(bucket|sum|count)$", "", name)
        found[family if family in found else name][1].update(set(dict(labels)) - {"le"})
    # A hub that speaks no TLS has nothing to say of it.
    documented = {name: metric for name, metric in documented_metrics().items() if not name.startswith("clarion_tls_")}
    if not one_node_cluster.IS_ON:
        documented = {name: metric for name, metric in documented.items() if not name.startswith("clarion_cluster_")}
    assert found == documented
    assert reading.value("clarion_build_info", version=shared_hub.version) == 1


def test_posts(hub, topic):
    before = Reading.of(hub)
    path = events_path(topic)
    for number in range(3):
        hub.post(topic, "12345", headers={"Idempotency-Key": f"{number}"})
    assert hub.request("POST", path, data="12345", headers={"Idempotency-Key": "1", "Content-Type": "text/plain"}).status_code == 200
    assert hub.request("POST", path, data="other", headers={"Idempotency-Key": "1"}).status_code == 422
    assert hub.request("POST", path, data="1\n2\n3\n4\n", headers={"Content-Type": "application/x-ndjson"}).status_code == 201
    assert hub.request("PUT", f"/topics/{topic}/value", data="9", headers={"If-None-Match": "*"}).status_code == 412
    assert hub.request("POST", path, data="9", headers={"If-Match": '"x"'}).status_code == 412
    assert hub.request("PUT", f"/topics/{topic}/value", data="9").status_code == 201
    assert hub.request("POST", path + "?typ=x", data="9").status_code == 400
    assert hub.request("POST", events_path("a*"), data="9").status_code == 400
    after = Reading.of(hub)
    assert after.gained(before, "clarion_posts_total", "result") == {
        "committed": 5, "replayed": 1, "conflict": 3, "refused": 2}
    assert after.gained(before, "clarion_refused_total", "code") == {
        "idempotency-conflict": 1, "value-changed": 1, "precondition-failed": 1, "parameter-unknown": 1, "topic-invalid": 1}
    assert after["clarion_post_duration_seconds_count"] == 6
    assert after["clarion_commit_events_sum"] == 8
    assert after["clarion_commit_events_count"] == after["clarion_commit_duration_seconds_count"] == 5
    assert after["clarion_events_bytes_total"] == 3 * 5 + 4 + 1
    assert (after["clarion_log_events"], after["clarion_topics"]) == (8, 1)
    assert after["clarion_log_bytes"] > 4096
    route, value = "/topics/{topic}/events", "/topics/{topic}/value"
    assert after.requests(before) == {
        (route, "POST", "201"): 4, (route, "POST", "200"): 1, (route, "POST", "422"): 1, (route, "POST", "400"): 2, (route, "POST", "412"): 1,
        (value, "PUT", "412"): 1, (value, "PUT", "201"): 1}
    assert after.value("clarion_http_request_duration_seconds_count", route=route) == 9
    assert hub.request("DELETE", f"/topics/{topic}").status_code == 204
    assert (Reading.of(hub)["clarion_log_events"], Reading.of(hub)["clarion_topics"]) == (0, 0)


def test_streams(hub, topic):
    first = hub.post(topic, "1")["id"]
    before = Reading.of(hub)
    with hub.stream(topic) as leaving, EventStream.of(hub.port, topic, query="since=earliest") as late:
        late.take(1)
        hub.post(topic, "2")
        leaving.take(1), late.take(1)
        reading = Reading.of(hub)
        assert (reading["clarion_streams"], reading["clarion_streams_behind"]) == (2, 0)
        assert reading.value("clarion_observers", kind="stream", state="active") == 2
        # One from the log, and two as they were posted.
        assert reading.gained(before, "clarion_deliveries_total", "kind") == {"stream": 3}
    hub.wait_for_observers(0)
    named = hub.stream(topic, query="observer=n")
    other = hub.stream(topic, query="observer=n")
    named.read_to_end()
    assert hub.request("DELETE", "/observers/n").status_code == 204
    other.read_to_end()
    deleted = hub.stream(topic)
    assert hub.request("DELETE", f"/topics/{topic}").status_code == 204
    deleted.read_to_end()
    with EventStream.of(hub.port, topic, last_event_id=first) as gone, \
            EventStream.of(hub.port, topic, last_event_id="0123456789-1") as unknown:
        assert [stream.next().type for stream in (gone, unknown)] == ["gap", "gap"]
    after = wait_for(hub, lambda reading: reading["clarion_streams"] == 0, "no stream")
    assert after["clarion_streams_opened_total"] == 7
    assert after.by("clarion_streams_closed_total", "reason") == {
        "client": 4, "replaced": 1, "unregistered": 1, "topic_deleted": 1}
    assert after.by("clarion_gaps_total", "reason") == {"retention": 1, "unknown-id": 1}
    assert after.by("clarion_observers", "kind") == {}
    assert after["clarion_outbox_bytes"] == 0


def test_a_stream_that_is_behind(start_hub, topic):
    hub = start_hub("--durability", "memory")
    with EventStream.of(hub.port, topic, receive_buffer=4096).wait_for_comment() as slow:
        for _ in range(12):
            hub.post(topic, "x" * 1_000_000)
        reading = wait_for(hub, lambda reading: reading["clarion_streams_behind"] == 1, "a stream that is behind")
        assert reading["clarion_outbox_bytes"] > 500_000
        slow.take(12)
        reading = wait_for(hub, lambda reading: reading["clarion_streams_behind"] == 0, "a stream that has caught up")
        assert reading.value("clarion_deliveries_total", kind="stream") == 12
    wait_for(hub, lambda reading: reading["clarion_streams"] == reading["clarion_outbox_bytes"] == 0, "nothing left")


def test_streams_that_expire(start_hub, tmp_path, topic):
    file = CredentialsFile(tmp_path, keys={"all": grant("**")})
    hub = start_hub("--credentials", str(file.path))
    headers = {"Authorization": f"Bearer {file.keys['all']}"}
    token = {"Authorization": f"Bearer {file.token(expires_in=2)}"}
    EventStream.of(hub.port, topic, headers=token).read_to_end()
    reading = wait_for(hub, lambda reading: reading["clarion_streams"] == 0, "no stream", headers=headers)
    assert reading.by("clarion_streams_closed_total", "reason") == {"expired": 1}


def test_webhooks(start_hub, topic):
    hub = start_hub(*LOCAL, "--webhooks-retry", "50ms,50ms")
    answers = {"good": [204], "flaky": [500, 204], "bad": [500, 500, 500], "gone": [410]}

    def answer(delivery):
        return answers[delivery.path[1:]].pop(0)

    with WebhookReceiver(answer) as receiver:
        for name in answers:
            hub.register(receiver.url(f"/{name}"), f"{topic}.{name}")
        paused = hub.register(receiver.url("/paused"), f"{topic}.*", enabled=False)
        before = Reading.of(hub)
        assert before.value("clarion_observers", kind="webhook", state="active") == 4
        assert before.value("clarion_observers", kind="webhook", state="paused") == 1
        for name in answers:
            hub.post(f"{topic}.{name}", name)

        def settled(reading):
            return sum(reading.by("clarion_webhook_attempts_total", "outcome").values()) == 7 \
                and reading.value("clarion_observers", kind="webhook", state="disabled") == 1 \
                and reading["clarion_webhook_dead"] == 2

        reading = wait_for(hub, settled, "every outcome")
        assert reading.by("clarion_webhook_attempts_total", "outcome") == {
            "delivered": 2, "retried": 3, "dead": 1, "gone": 1}
        assert reading["clarion_webhook_attempt_duration_seconds_count"] == 7
        assert reading["clarion_webhook_delay_seconds_count"] == 2
        assert reading.by("clarion_deliveries_total", "kind") == {"webhook": 2}
        # What waits for the one that is paused.
        assert reading["clarion_webhook_pending"] == 4
        assert reading["clarion_webhook_in_flight"] == 0
        assert hub.request("DELETE", f"/observers/{paused['id']}").status_code == 204
        for observer in hub.observers():
            assert hub.request("DELETE", f"/observers/{observer['id']}").status_code == 204
    reading = wait_for(hub, lambda reading: reading["clarion_webhook_pending"] == 0, "nothing pending")
    assert reading.by("clarion_observers", "kind") == {}


def test_attempts_under_way(start_hub, topic):
    hub = start_hub(*LOCAL)
    hangs = []

    def answer(_):
        wait_until(lambda: hangs, what="the end of the test")
        return 204

    with WebhookReceiver(answer) as receiver:
        hub.register(receiver.url(), topic)
        for _ in range(3):
            hub.post(topic, "x")
        reading = wait_for(hub, lambda reading: reading["clarion_webhook_in_flight"] == 3, "three attempts")
        assert reading["clarion_webhook_pending"] == 3
        hangs.append("over")
        wait_for(
            hub, lambda reading: reading["clarion_webhook_in_flight"] == reading["clarion_webhook_pending"] == 0, "none")


def test_series_do_not_grow_with_what_is_asked_for(hub):
    def ask_for(number):
        hub.get(f"/nowhere/{number}")
        hub.get(f"/topics/t{number}")
        hub.get(f"/topics/t{number}/events", params={f"p{number}": 1})
        hub.get("/healthz", headers={"Host": f"h{number}.example"})
        hub.request(f"M{number}", "/healthz")
        hub.request(f"M{number}", f"/nowhere/{number}")
        hub.get(f"/observers/o{number}")

    ask_for(0)
    # Reading is a request, too.
    Reading.of(hub)
    before = Reading.of(hub)
    for number in range(1, 200):
        ask_for(number)
    after = Reading.of(hub)
    assert after.samples.keys() == before.samples.keys()
    assert after.requests(before) == {
        ("unknown", "GET", "404"): 199, ("/topics/{topic}", "GET", "404"): 199,
        ("/topics/{topic}/events", "GET", "400"): 199, ("/healthz", "GET", "421"): 199,
        ("/healthz", "unknown", "405"): 199, ("unknown", "unknown", "404"): 199, ("/observers/{id}", "GET", "404"): 199}


def test_what_never_reaches_a_route_is_counted(hub):
    before = Reading.of(hub)
    for head in (b"GET  / HTTP/1.1\r\nHost: localhost\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n",
                 b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n",
                 b"GET /%ff HTTP/1.1\r\nHost: localhost\r\n\r\n",
                 b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
                 b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 20_000 + b"\r\n\r\n"):
        exchange(hub.port, head)
    after = Reading.of(hub)
    assert sum(after.requests(before).values()) == 6
    assert {route for route, _, _ in after.requests(before)} == {"unknown"}
    assert after.gained(before, "clarion_refused_total", "code") == {
        "request-malformed": 1, "host-invalid": 1, "body-too-large": 1, "target-invalid": 1, "framing-invalid": 1,
        "headers-too-large": 1}


def test_who_may_read_them(start_hub, tmp_path):
    file = CredentialsFile(tmp_path, keys={"all": grant("**", rights=["manage"]), "some": grant("a.**"),
                                           "reader": grant("**", rights=["subscribe", "publish"])})
    hub = start_hub("--credentials", str(file.path))
    assert_problem(ask(hub, "GET", "/metrics"), 401, "credential-required")
    for name in ("some", "reader"):
        assert_problem(ask(hub, "GET", "/metrics", file.keys[name]), 403, "right-missing")
    assert ask(hub, "GET", "/metrics", file.keys["all"]).status_code == 200
    assert_problem(ask(hub, "POST", "/metrics", file.keys["all"]), 405, "method-not-allowed")


def test_of_the_process(hub):
    reading = Reading.of(hub)
    assert abs(reading["process_resident_memory_bytes"] / hub.rss() - 1) < 0.5
    assert abs(reading["process_open_fds"] - hub.descriptors()) < 10
    assert reading["process_max_fds"] >= 1024
    assert 0 < reading["process_cpu_seconds_total"] < hub.processor_time() + 1
    assert 0 <= time.time() - reading["process_start_time_seconds"] < 120
    assert Reading.of(hub)["process_start_time_seconds"] == reading["process_start_time_seconds"]


# As in the unit of systemd (`ProcSubset=pid`).
def test_of_a_process_that_sees_nothing_of_the_system(start_hub):
    alone = ["unshare", "-m", "sh", "-c", 'mount -t proc -o subset=pid proc /proc && ! [ -e /proc/stat ] && exec "$@"', "sh"]
    if subprocess.run([*alone, "true"], capture_output=True).returncode != 0:
        pytest.skip("/proc cannot be mounted here")
    test_of_the_process(start_hub(prefix=alone))
