"""Webhooks from outside: what arrives at the endpoint, when it does not, and what must never be dialled."""

import re
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime, timezone
from email.utils import formatdate
from urllib.parse import unquote

import pytest
from standardwebhooks import Webhook
from standardwebhooks.webhooks import WebhookVerificationError

from waiting import DEADLINE, wait_until
from webhook_receiver import WebhookReceiver

LOOPBACK = ("--allow-egress", "127.0.0.0/8")
#: Short waits, and enough of them that nothing becomes a dead letter while a test looks elsewhere.
RETRIES = ("--webhooks-retry", ",".join(["50ms", "100ms", "200ms"] + ["300ms"] * 60))


@pytest.fixture
def hub(start_hub):
    """A hub that may deliver to this machine, and tries again soon."""
    return start_hub(*LOOPBACK, *RETRIES)


@pytest.fixture(scope="module")
def shared_hub(start_shared_hub):
    return start_shared_hub(*LOOPBACK, *RETRIES)


def verify(secret, delivery):
    """Has the reference implementation of Standard Webhooks check a delivery."""
    Webhook(secret).verify(delivery.body, delivery.headers)


def stats(hub, webhook):
    return hub.observer(webhook["id"])["stats"]


# What arrives

def test_a_delivery_is_signed_per_standard_webhooks(shared_hub, receiver, topic):
    webhook = shared_hub.register(receiver.url("/hook?a=b"), topic)
    receipt = shared_hub.post(topic, '{"n": 1}', type="created", headers={"Content-Type": "application/json"})
    [delivery] = receiver.wait_for(1)
    verify(webhook["secret"], delivery)
    assert Webhook(webhook["secret"]).verify(delivery.body, delivery.headers) == {"n": 1}
    assert (delivery.method, delivery.path, delivery.body) == ("POST", "/hook?a=b", b'{"n": 1}')
    headers = delivery.headers
    assert headers["webhook-id"] == receipt["id"]
    assert re.fullmatch("[0-9]+", headers["webhook-timestamp"])
    assert abs(int(headers["webhook-timestamp"]) - time.time()) < 60
    assert re.fullmatch("v1,[A-Za-z0-9+/]{43}=", headers["webhook-signature"])
    assert headers["content-type"] == "application/json"
    assert headers["clarion-topic"] == topic
    assert headers["event-type"] == "created"
    assert headers["clarion-attempt"] == "1"
    assert headers["user-agent"] == f"clarion/{shared_hub.version}"
    assert "expect" not in headers and "transfer-encoding" not in headers
    wait_until(lambda: stats(shared_hub, webhook)["delivered"] == 1)
    seen = stats(shared_hub, webhook)
    assert (seen["failed"], seen["pending"], seen["deadLetters"], seen["lastStatus"]) == (0, 0, 0, 204)
    assert seen["lastAttemptAt"].endswith("Z")


def test_the_verifier_would_notice(shared_hub, receiver, topic):
    webhook = shared_hub.register(receiver.url(), topic)
    other = shared_hub.register("https://example.com/", topic + ".other")
    shared_hub.post(topic, '{"n": 1}')
    [delivery] = receiver.wait_for(1)
    verify(webhook["secret"], delivery)
    with pytest.raises(WebhookVerificationError):
        verify(other["secret"], delivery)
    with pytest.raises(WebhookVerificationError):
        Webhook(webhook["secret"]).verify(delivery.body.replace(b"1", b"2"), delivery.headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(webhook["secret"]).verify(delivery.body, {**delivery.headers, "webhook-id": "other"})


def test_an_event_without_a_type_is_delivered_without_one(shared_hub, receiver, topic):
    shared_hub.register(receiver.url(), topic)
    shared_hub.post(topic, "x", headers={"Content-Type": "text/x-plain"})
    [delivery] = receiver.wait_for(1)
    assert "event-type" not in delivery.headers
    assert delivery.headers["content-type"] == "text/x-plain"


@pytest.mark.parametrize("data", [
    b"", b"hello", "Grüße 👋".encode(), b"a\r\nb\n\rc", bytes(range(256)), b"x" * (1 << 20), b"\0"],
    ids=["empty", "text", "UTF-8", "line ends", "binary", "1 MiB", "NUL"])
def test_the_body_is_the_data_as_posted(shared_hub, receiver, topic, data):
    webhook = shared_hub.register(receiver.url(), topic)
    shared_hub.post(topic, data, headers={"Content-Type": "application/octet-stream"})
    [delivery] = receiver.wait_for(1)
    assert delivery.body == data
    # The signature is over bytes; the reference implementation takes text.
    if b"\xff" not in data:
        signed = Webhook(webhook["secret"]).sign(
            delivery.headers["webhook-id"], _moment(delivery.headers["webhook-timestamp"]), data.decode())
        assert delivery.headers["webhook-signature"] == signed


def _moment(seconds):
    return datetime.fromtimestamp(int(seconds), timezone.utc)


def test_a_secret_and_headers_of_the_clients_own(shared_hub, receiver, topic):
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    shared_hub.register(
        receiver.url(), topic, secret=secret, headers={"X-Team": "blue", "Authorization": "Bearer token"})
    shared_hub.post(topic, '"x"')
    [delivery] = receiver.wait_for(1)
    verify(secret, delivery)
    assert delivery.headers["x-team"] == "blue"
    assert delivery.headers["authorization"] == "Bearer token"


def test_the_trace_of_the_post_goes_on(shared_hub, receiver, topic):
    shared_hub.register(receiver.url(), topic)
    trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    shared_hub.post(topic, "x", headers={"traceparent": trace})
    shared_hub.post(topic, "y", headers={"traceparent": "rubbish"})
    shared_hub.post(topic, "z")
    deliveries = {delivery.body: delivery.headers for delivery in receiver.wait_for(3)}
    # The same trace, in which the attempt is a step of its own.
    version, trace_id, parent_id, flags = deliveries[b"x"]["traceparent"].split("-")
    assert (version, trace_id, flags) == ("00", trace[3:35], "01")
    assert re.fullmatch("[0-9a-f]{16}", parent_id) and parent_id not in (trace[36:52], "0" * 16)
    assert "traceparent" not in deliveries[b"y"] and "traceparent" not in deliveries[b"z"]


def test_topics_and_types(shared_hub, receiver, topic):
    shared_hub.register(receiver.url("/pattern"), f"{topic}.*")
    shared_hub.register(receiver.url("/deep"), f"{topic}.**")
    shared_hub.register(receiver.url("/types"), topic, f"{topic}.**", types=["created"])
    shared_hub.register(receiver.url("/twice"), f"{topic}.a", f"{topic}.*", f"{topic}.a")
    for name, type in ((topic, None), (f"{topic}.a", None), (f"{topic}.a.b", "created"), (f"{topic}x", "created"), (topic, "created")):
        shared_hub.post(name, f"{name} {type}".replace(topic, "t"), type=type)
    shared_hub.post(f"{topic}.end", "end", type="created")

    def heard(path):
        return sorted(delivery.body.decode() for delivery in receiver.to(path))

    expected = {
        "/pattern": ["end", "t.a None"],
        "/deep": ["end", "t.a None", "t.a.b created"],
        "/types": ["end", "t created", "t.a.b created"],
        "/twice": ["end", "t.a None"],
    }
    wait_until(lambda: len(receiver.deliveries) >= sum(map(len, expected.values())))
    assert {path: heard(path) for path in expected} == expected


def test_what_was_posted_before_a_registration_is_not_delivered(shared_hub, receiver, topic):
    shared_hub.post(topic, "before")
    shared_hub.register(receiver.url(), topic)
    shared_hub.post(topic, "after")
    assert [delivery.body for delivery in receiver.wait_for(1)] == [b"after"]


def test_many_events_arrive_once_each_while_nothing_fails(shared_hub, receiver, topic):
    webhook = shared_hub.register(receiver.url(), topic)
    ids = [shared_hub.post(topic, str(number))["id"] for number in range(200)]
    wait_until(lambda: stats(shared_hub, webhook)["delivered"] == 200)
    assert sorted(delivery.id for delivery in receiver.deliveries) == sorted(ids)


# Trying again

def test_a_receiver_that_was_down_gets_it_later(shared_hub, topic):
    receiver = WebhookReceiver().start()
    webhook = shared_hub.register(receiver.url(), topic)
    shared_hub.post(topic, '"first"')
    receiver.wait_for(1)
    receiver.stop()
    receipt = shared_hub.post(topic, '"while down"')
    # At least one attempt found nobody.
    wait_until(lambda: stats(shared_hub, webhook)["failed"] >= 1)
    with receiver.start():
        delivery = receiver.wait_for(2)[1]
        assert delivery.id == receipt["id"]
        assert delivery.body == b'"while down"'
        assert delivery.attempt >= 2
        verify(webhook["secret"], delivery)
        wait_until(lambda: stats(shared_hub, webhook)["pending"] == 0)
        assert stats(shared_hub, webhook)["delivered"] == 2


@pytest.mark.parametrize("answer", [
    400, 404, 409, 429, 500, 503, (301, {"Location": "/elsewhere"}), (302, {"Location": "http://127.0.0.1:1/"}),
    (307, {"Location": "/elsewhere"}), 304, (200, {}, b"x" * 70_000)], ids=lambda answer: str(answer)[:40])
def test_every_other_answer_is_a_failure_that_is_tried_again(shared_hub, receiver, topic, answer):
    receiver.answer = lambda delivery: answer if delivery.attempt < 3 else 200
    webhook = shared_hub.register(receiver.url(), topic)
    receipt = shared_hub.post(topic, '"x"')
    deliveries = receiver.wait_for(3)
    assert [delivery.attempt for delivery in deliveries] == [1, 2, 3]
    assert {delivery.id for delivery in deliveries} == {receipt["id"]}
    assert {delivery.path for delivery in deliveries} == {"/"}, "redirects are not followed"
    for delivery in deliveries:
        verify(webhook["secret"], delivery)
    wait_until(lambda: stats(shared_hub, webhook)["delivered"] == 1)
    seen = stats(shared_hub, webhook)
    assert (seen["pending"], seen["deadLetters"], seen["lastStatus"]) == (0, 0, 200)


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
def test_every_2xx_is_delivered(shared_hub, receiver, topic, status):
    receiver.answer = lambda delivery: (status, {}, b"" if status == 204 else b"thanks")
    webhook = shared_hub.register(receiver.url(), topic)
    shared_hub.post(topic)
    wait_until(lambda: stats(shared_hub, webhook)["delivered"] == 1)
    assert stats(shared_hub, webhook)["lastStatus"] == status
    assert len(receiver.deliveries) == 1


def test_connections_that_break_are_tried_again(shared_hub, receiver, topic):
    def answer(delivery):
        if delivery.attempt < 3:
            # The handler's thread ends with the connection, in the middle of the answer.
            raise ConnectionResetError
        return 200

    receiver.answer = answer
    webhook = shared_hub.register(receiver.url(), topic)
    shared_hub.post(topic)
    assert [delivery.attempt for delivery in receiver.wait_for(3)] == [1, 2, 3]
    wait_until(lambda: stats(shared_hub, webhook)["delivered"] == 1)


def test_the_timestamp_is_the_attempts_own(shared_hub, receiver, topic):
    receiver.answer = lambda delivery: 500 if time.time() < int(delivery.headers["webhook-timestamp"]) + 2 and \
        delivery.attempt < 12 else 200
    webhook = shared_hub.register(receiver.url(), topic)
    shared_hub.post(topic, '"x"')
    wait_until(lambda: stats(shared_hub, webhook)["delivered"] == 1)
    stamps = [int(delivery.headers["webhook-timestamp"]) for delivery in receiver.deliveries]
    assert stamps == sorted(stamps) and stamps[-1] > stamps[0]
    assert len({delivery.headers["webhook-signature"] for delivery in receiver.deliveries}) > 1
    for delivery in receiver.deliveries:
        verify(webhook["secret"], delivery)


@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_is_waited_for(shared_hub, receiver, topic, status):
    receiver.answer = lambda delivery: (status, {"Retry-After": "2"}) if delivery.attempt == 1 else 204
    shared_hub.register(receiver.url(), topic)
    shared_hub.post(topic)
    first, second = receiver.wait_for(2)
    # Without it the second attempt would come after 50 ms.
    assert second.time - first.time >= 1.9


def test_retry_after_as_a_date(shared_hub, receiver, topic):
    moments = []

    def answer(delivery):
        if delivery.attempt > 1:
            return 204
        moments.append(int(time.time()) + 3)
        return 503, {"Retry-After": formatdate(moments[0], usegmt=True)}

    receiver.answer = answer
    shared_hub.register(receiver.url(), topic)
    shared_hub.post(topic)
    second = receiver.wait_for(2)[1]
    assert int(second.headers["webhook-timestamp"]) >= moments[0] - 1


def test_after_the_last_attempt_a_dead_letter(start_hub, receiver, topic):
    hub = start_hub(*LOOPBACK, "--webhooks-retry", "20ms,20ms")
    receiver.answer = lambda delivery: 500 if delivery.body == b"bad" else 200
    webhook = hub.register(receiver.url(), topic)
    hub.post(topic, "bad")
    wait_until(lambda: stats(hub, webhook)["deadLetters"] == 1)
    # The first attempt and one for each wait.
    assert [delivery.attempt for delivery in receiver.deliveries] == [1, 2, 3]
    hub.post(topic, "good")
    wait_until(lambda: stats(hub, webhook)["delivered"] == 1)
    assert len(receiver.deliveries) == 4
    assert hub.observer(webhook["id"])["state"] == "active"
    hub.restart()
    assert stats(hub, webhook)["deadLetters"] == 1


def test_410_disables(hub, receiver, topic):
    with WebhookReceiver() as witness:
        receiver.answer = lambda delivery: 410
        webhook = hub.register(receiver.url(), topic)
        hub.register(witness.url(), topic)
        hub.post(topic, "first")
        wait_until(lambda: hub.observer(webhook["id"])["state"] == "disabled")
        observer = hub.observer(webhook["id"])
        assert observer["reason"] == "gone"
        wait_until(lambda: stats(hub, webhook)["deadLetters"] == 1)
        for number in range(5):
            hub.post(topic, str(number))
        witness.wait_for(6)
        assert len(receiver.deliveries) == 1
        assert stats(hub, webhook)["pending"] == 0
        hub.restart()
        assert hub.observer(webhook["id"])["state"] == "disabled"
        hub.post(topic, "after the restart")
        witness.wait_for(7)
        assert len(receiver.deliveries) == 1


def test_410_ends_what_was_waiting(hub, receiver, topic):
    down = threading.Event()
    receiver.answer = lambda delivery: 410 if down.is_set() else 500
    webhook = hub.register(receiver.url(), topic)
    for number in range(10):
        hub.post(topic, str(number))
    receiver.wait_for(10)
    down.set()
    wait_until(lambda: stats(hub, webhook)["deadLetters"] == 10)
    assert stats(hub, webhook)["pending"] == 0


# Apart from each other

@pytest.mark.measured
def test_an_endpoint_that_hangs_delays_nobody_else(shared_hub, receiver, topic, figure):
    release = threading.Event()
    receiver.answer = lambda delivery: (release.wait(30), 204)[1]
    with WebhookReceiver() as other:
        shared_hub.register(receiver.url(), topic)
        shared_hub.register(other.url(), topic)
        try:
            longest = 0
            for number in range(40):
                began = time.monotonic()
                shared_hub.post(topic, str(number))
                other.wait_for(number + 1)
                longest = max(longest, time.monotonic() - began)
            figure(f"{longest * 1000:.0f} ms at most from post to delivery beside an endpoint that hangs")
            figure.at_most(longest, 2, "the longest way to the other endpoint, in seconds,")
            # Its slots are its own, and no more.
            assert len(receiver.deliveries) == 16
        finally:
            release.set()
    receiver.wait_for(40)


def test_no_more_in_flight_than_asked_for(shared_hub, receiver, topic):
    lock, now, most = threading.Lock(), [0], [0]

    def answer(delivery):
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        # Long enough for others to arrive, if they were let.
        threading.Event().wait(0.02)
        with lock:
            now[0] -= 1
        return 204

    receiver.answer = answer
    shared_hub.register(receiver.url(), topic, maxInFlight=3)
    for number in range(30):
        shared_hub.post(topic, str(number))
    receiver.wait_for(30)
    assert 1 <= most[0] <= 3


def test_ordered_delivery_waits_for_the_head(shared_hub, receiver, topic):
    failing = {b"0", b"3"}
    receiver.answer = lambda delivery: 500 if delivery.body in failing and delivery.attempt < 3 else 204
    shared_hub.register(receiver.url(), topic, ordered=True)
    for number in range(6):
        shared_hub.post(topic, str(number))
    receiver.wait_for(10)
    assert [int(delivery.body) for delivery in receiver.deliveries] == [0, 0, 0, 1, 2, 3, 3, 3, 4, 5]


def test_no_faster_than_asked_for(shared_hub, receiver, topic):
    shared_hub.register(receiver.url("/slow"), topic, ratePerSecond=10)
    shared_hub.register(receiver.url("/quick"), topic)
    began = time.monotonic()
    for number in range(20):
        shared_hub.post(topic, str(number))
    receiver.wait_for(20, "/quick")
    slow = receiver.wait_for(20, "/slow")
    # A first burst of a second's worth may go out at once; the rest takes its time.
    assert slow[-1].time - began >= 0.9


def test_the_rate_holds_however_often_the_registration_is_touched(shared_hub, receiver, topic):
    webhook = shared_hub.register(receiver.url(), topic, ratePerSecond=10, maxInFlight=100)
    ids = [shared_hub.post(topic, str(number))["id"] for number in range(30)]
    began = time.monotonic()
    path = f"/observers/{webhook['id']}"
    while time.monotonic() - began < 1:
        assert shared_hub.request("PATCH", path, json={}).status_code == 200
        assert shared_hub.request("POST", f"{path}/deliveries/{ids[-1]}/redeliver").status_code == 202
    # Ten in a second, and a few that may run ahead.
    arrived = [delivery for delivery in receiver.deliveries if delivery.time - began <= 1]
    assert len(arrived) <= 20


def test_connections_are_kept(shared_hub, receiver, topic):
    shared_hub.register(receiver.url(), topic)
    for number in range(30):
        shared_hub.post(topic, str(number))
        receiver.wait_for(number + 1)
    assert receiver.accepted <= 3


# Unregistering and changing

def test_after_unregistering_nothing_more_arrives(shared_hub, receiver, topic):
    webhook = shared_hub.register(receiver.url("/gone"), topic)
    shared_hub.register(receiver.url("/kept"), topic)
    shared_hub.post(topic, "one")
    receiver.wait_for(1, "/gone")
    receiver.wait_for(1, "/kept")
    assert shared_hub.request("DELETE", f"/observers/{webhook['id']}").status_code == 204
    for number in range(20):
        shared_hub.post(topic, str(number))
    receiver.wait_for(21, "/kept")
    assert len(receiver.to("/gone")) == 1


def test_after_unregistering_what_waited_is_not_tried_again(shared_hub, receiver, topic):
    receiver.answer = lambda delivery: 500
    webhook = shared_hub.register(receiver.url("/gone"), topic)
    shared_hub.register(receiver.url("/kept"), topic)
    shared_hub.post(topic, "x")
    receiver.wait_for(1, "/gone")
    receiver.wait_for(1, "/kept")
    assert shared_hub.request("DELETE", f"/observers/{webhook['id']}").status_code == 204
    tried = len(receiver.to("/gone"))
    # The other one has the same schedule: by then several attempts would have been due.
    receiver.wait_for(len(receiver.to("/kept")) + 5, "/kept")
    # One may have been under way.
    assert len(receiver.to("/gone")) <= tried + 1
    assert shared_hub.request("DELETE", f"/topics/{topic}/observers").json() == {"unregistered": 1}


def test_after_unregistering_a_topic_nothing_more_arrives(shared_hub, receiver, topic):
    shared_hub.register(receiver.url("/gone"), topic)
    shared_hub.register(receiver.url("/kept"), f"{topic}.**", topic + "x")
    assert shared_hub.request("DELETE", f"/topics/{topic}/observers").json() == {"unregistered": 1}
    shared_hub.post(topic, "unheard")
    shared_hub.post(f"{topic}.a", "heard")
    receiver.wait_for(1, "/kept")
    assert receiver.to("/gone") == []


def test_a_replaced_webhook_goes_to_its_new_address_only(shared_hub, receiver, topic):
    id = f"{topic}-replaced"
    first = shared_hub.request("PUT", f"/observers/{id}", json={"topics": [topic], "url": receiver.url("/old")}).json()
    shared_hub.post(topic, '"1"')
    receiver.wait_for(1, "/old")
    assert shared_hub.request(
        "PUT", f"/observers/{id}", json={"topics": [topic], "url": receiver.url("/new")}).status_code == 200
    for number in range(10):
        shared_hub.post(topic, f'"{number}"')
    deliveries = receiver.wait_for(10, "/new")
    assert len(receiver.to("/old")) == 1
    assert len(deliveries) == 10
    verify(first["secret"], deliveries[0])


@contextmanager
def under_test(hub, receiver, path):
    """While a test of the endpoint is under way, which holds the webhook as it was at its start."""
    over = threading.Event()
    receiver.answer = lambda delivery: over.wait(30) and 204 if delivery.headers["event-type"] == "clarion.test" else 204
    with ThreadPoolExecutor(1) as pool:
        test = pool.submit(hub.request, "POST", f"/observers/{path.strip('/')}/test")
        receiver.wait_for(1, path)
        yield
        assert not test.done()
        over.set()


@pytest.mark.parametrize("ordered", [False, True])
def test_what_a_changed_webhook_did_not_want_before_arrives_too(shared_hub, receiver, topic, ordered):
    """The one before must not go on to hear: it would offer the later event of each batch alone."""
    path = f"/{topic}-changed"
    shared_hub.request("PUT", f"/observers{path}", json={
        "topics": [topic], "types": ["late"], "url": receiver.url(path), "ordered": ordered})
    with under_test(shared_hub, receiver, path):
        change = shared_hub.request("PATCH", f"/observers{path}", json={"types": ["early", "late"]})
        assert change.status_code == 200
        for number in range(5):
            shared_hub.request("POST", f"/topics/{topic}/events", headers={
                "Content-Type": "application/cloudevents-batch+json"}, json=[
                {"specversion": "1.0", "id": f"{number}{type}", "source": "/s", "type": type} for type in ("early", "late")])
        arrived = receiver.wait_for(11, path)[1:]
    types = [delivery.headers["event-type"] for delivery in arrived]
    assert sorted(types) == ["early"] * 5 + ["late"] * 5
    if ordered:
        assert types == ["early", "late"] * 5


def test_whoever_takes_the_name_of_a_webhook_hears_nothing_of_its_topics(shared_hub, receiver, topic):
    path = f"/{topic}-taken"
    shared_hub.request("PUT", f"/observers{path}", json={"topics": [f"{topic}.secret"], "url": receiver.url(path)})
    with under_test(shared_hub, receiver, path):
        assert shared_hub.request("DELETE", f"/observers{path}").status_code == 204
        shared_hub.request("PUT", f"/observers{path}", json={"topics": [f"{topic}.own"], "url": receiver.url("/new")})
        shared_hub.post(f"{topic}.secret", "secret")
        shared_hub.post(f"{topic}.own", "own")
        assert [delivery.body for delivery in receiver.wait_for(1, "/new")] == [b"own"]
    assert len(receiver.to(path)) == 1


def test_what_waits_follows_a_changed_address(shared_hub, receiver, topic):
    receiver.answer = lambda delivery: 500 if delivery.path == "/broken" else 204
    webhook = shared_hub.register(receiver.url("/broken"), topic)
    receipt = shared_hub.post(topic, '"x"')
    receiver.wait_for(2, "/broken")
    response = shared_hub.request("PATCH", f"/observers/{webhook['id']}", json={"url": receiver.url("/repaired")})
    assert response.status_code == 200
    [delivery] = receiver.wait_for(1, "/repaired")
    assert delivery.id == receipt["id"]
    verify(webhook["secret"], delivery)


def test_a_paused_webhook_hears_nothing(shared_hub, receiver, topic):
    webhook = shared_hub.register(receiver.url("/paused"), topic, enabled=False)
    shared_hub.register(receiver.url("/kept"), topic)
    shared_hub.post(topic, "x")
    receiver.wait_for(1, "/kept")
    assert receiver.to("/paused") == []
    assert shared_hub.observer(webhook["id"])["state"] == "paused"
    response = shared_hub.request("PATCH", f"/observers/{webhook['id']}", json={"enabled": True})
    assert response.json()["state"] == "active"
    shared_hub.post(topic, "y")
    wait_until(lambda: b"y" in [delivery.body for delivery in receiver.to("/paused")])


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_what_was_read_can_be_written_back(shared_hub, receiver, topic, method):
    """Credentials are not shown, so what stands in their place must not become one."""
    webhook = shared_hub.register(receiver.url(), topic, headers={"Authorization": "Bearer token", "X-Team": "blue"})
    path = f"/observers/{webhook['id']}"
    read = shared_hub.get(path).json()
    members = {name: read[name] for name in (
        "topics", "url", "types", "format", "headers", "description", "start", "ordered", "maxInFlight", "ratePerSecond",
        "enabled")}
    assert shared_hub.request(method, path, json={**members, "description": "changed"}).status_code == 200
    shared_hub.post(topic, '"x"')
    [delivery] = receiver.wait_for(1)
    assert delivery.headers["authorization"] == "Bearer token"
    assert delivery.headers["x-team"] == "blue"
    verify(webhook["secret"], delivery)


def test_a_disabled_webhook_is_enabled_on_purpose_only(hub, receiver, topic):
    receiver.answer = lambda delivery: 410
    webhook = hub.register(receiver.url(), topic)
    path = f"/observers/{webhook['id']}"
    hub.post(topic, "first")
    wait_until(lambda: hub.observer(webhook["id"])["state"] == "disabled")
    receiver.answer = lambda delivery: 204
    for change in ({"description": "x"}, {"url": webhook["url"], "description": "y"}, {"url": webhook["url"], "enabled": False}):
        assert hub.request("PATCH", path, json=change).json()["reason"] == "gone"
    assert hub.request("PATCH", path, json={"enabled": True}).json()["state"] == "active"
    hub.post(topic, "second")
    assert [delivery.body for delivery in receiver.wait_for(2)] == [b"first", b"second"]


def test_410_disables_whatever_its_body(hub, receiver, topic):
    receiver.answer = lambda delivery: (410, {}, b"x" * 100_000)
    webhook = hub.register(receiver.url(), topic)
    hub.post(topic, "x")
    wait_until(lambda: hub.observer(webhook["id"])["state"] == "disabled")
    assert hub.observer(webhook["id"])["reason"] == "gone"


def test_a_type_can_be_decoded_from_its_header(shared_hub, receiver, topic):
    shared_hub.register(receiver.url(), topic)
    for type in ("50%25", "a\tb%09"):
        shared_hub.request("POST", f"/topics/{topic}/events", params={"type": type}, data="x")
    heard = {unquote(delivery.headers["event-type"]) for delivery in receiver.wait_for(2)}
    assert heard == {"50%25", "a\tb%09"}


# What must not be dialled

class Trap:
    """Listens on every address of this machine and counts who connects."""

    def __init__(self):
        self.sockets = [socket.create_server(("0.0.0.0", 0))]
        self.port = self.sockets[0].getsockname()[1]
        if socket.has_ipv6:
            try:
                self.sockets.append(socket.create_server(("::1", self.port), family=socket.AF_INET6))
            except OSError:
                pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for one in self.sockets:
            one.close()

    @property
    def was_dialled(self):
        # A connection waits in the queue, whether accepted or not.
        for one in self.sockets:
            one.setblocking(False)
            try:
                one.accept()[0].close()
                return True
            except BlockingIOError:
                pass
        return False


LOOPBACKS = [
    "localhost", "127.0.0.1", "[::1]", "0x7f.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "017700000001",
    "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "0.0.0.0", "0", "[::]", "localhost.",
    "LOCALHOST", "127.0.0.1.", "%31%32%37.0.0.1", "127。0。0。1", "①②⑦.0.0.1"]


@pytest.fixture(scope="module")
def guarded_hub(start_shared_hub):
    """A hub as it is by default, but for its patience."""
    return start_shared_hub("--webhooks-retry", "20ms,20ms")


@pytest.mark.parametrize("host", LOOPBACKS)
def test_this_machine_is_not_dialled_by_default(guarded_hub, topic, host):
    with Trap() as trap:
        response = guarded_hub.request(
            "POST", "/observers", json={"topics": [topic], "url": f"http://{host}:{trap.port}/"})
        # What is no address at all may be refused at once; whatever is taken must fail when it is dialled.
        assert response.status_code in (201, 400), response.text
        if response.status_code == 201:
            webhook = response.json()
            guarded_hub.post(topic, "x")
            wait_until(lambda: stats(guarded_hub, webhook)["deadLetters"] == 1)
            assert stats(guarded_hub, webhook)["delivered"] == 0
        assert not trap.was_dialled


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]", "0x7f.1"])
def test_the_plain_forms_can_be_registered(guarded_hub, topic, host):
    # The guard decides on the address about to be dialled, not on what a URL looks like.
    assert guarded_hub.register(f"http://{host}:8099/", topic)["state"] == "active"


def test_the_trap_works(hub, topic):
    with Trap() as trap:
        hub.register(f"http://localhost:{trap.port}/", topic)
        hub.post(topic, "x")
        wait_until(lambda: trap.was_dialled)


def test_only_the_range_that_was_opened(start_hub, topic):
    hub = start_hub("--allow-egress", "127.0.0.2/32", "--webhooks-retry", "20ms")
    with Trap() as trap:
        closed = hub.register(f"http://127.0.0.1:{trap.port}/", topic)
        hub.post(topic, "x")
        wait_until(lambda: stats(hub, closed)["deadLetters"] == 1)
        assert not trap.was_dialled
        hub.register(f"http://127.0.0.2:{trap.port}/", topic)
        hub.post(topic, "x")
        wait_until(lambda: trap.was_dialled)


def test_several_ranges(start_hub, topic):
    for options in (("--allow-egress", "10.0.0.0/8", "--allow-egress", "127.0.0.0/8"),
                    ("--allow-egress", "10.0.0.0/8,127.0.0.0/8")):
        hub = start_hub(*options)
        with WebhookReceiver() as receiver:
            hub.register(receiver.url(), topic)
            hub.post(topic, "x")
            receiver.wait_for(1)


def test_the_environment_opens_ranges_too(start_hub, receiver, topic):
    hub = start_hub(environment={"CLARION_ALLOW_EGRESS": "10.0.0.0/8, 127.0.0.0/8"})
    hub.register(receiver.url(), topic)
    hub.post(topic, "x")
    receiver.wait_for(1)


def test_a_redirect_is_no_way_around(start_hub, topic):
    hub = start_hub("--allow-egress", "127.0.0.1/32", "--webhooks-retry", "20ms")
    with Trap() as trap, WebhookReceiver(lambda _: (307, {"Location": f"http://127.0.0.2:{trap.port}/"})) as receiver:
        webhook = hub.register(receiver.url(), topic)
        hub.post(topic, "x")
        wait_until(lambda: stats(hub, webhook)["deadLetters"] == 1)
        assert not trap.was_dialled


def test_the_environments_proxies_are_ignored(start_hub, receiver, topic):
    with Trap() as trap:
        proxy = f"http://127.0.0.1:{trap.port}"
        hub = start_hub(*LOOPBACK, environment={
            name: proxy for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY")})
        hub.register(receiver.url(), topic)
        hub.post(topic, "x")
        receiver.wait_for(1)
        assert not trap.was_dialled


def test_https_only(start_hub, topic):
    hub = start_hub("--webhooks-https-only")
    response = hub.request("POST", "/observers", json={"topics": [topic], "url": "http://example.com/"})
    assert response.status_code == 400
    assert response.json()["pointer"] == "/url"
    hub.register("https://example.com/", topic)


def test_https_only_and_a_webhook_from_before(start_hub, receiver, topic):
    hub = start_hub(*LOOPBACK, *RETRIES)
    webhook = hub.register(receiver.url("/a"), topic)
    path = f"/observers/{webhook['id']}"
    hub.options.append("--webhooks-https-only")
    hub.restart()
    event = hub.post(topic, "x")
    wait_until(lambda: stats(hub, webhook)["failed"] > 0)
    attempt = hub.get(f"{path}/deliveries/{event['id']}").json()["attemptLog"][0]
    assert attempt["failure"] == "egress-blocked" and "--webhooks-https-only" in attempt["message"]
    assert receiver.deliveries == []
    # It can be changed and paused, but not be given another such URL.
    for changes in ({"enabled": False}, {"description": "x"}, {"url": webhook["url"]}):
        response = hub.request("PATCH", path, json=changes)
        assert response.status_code == 200, response.text
    response = hub.request("PATCH", path, json={"url": receiver.url("/b")})
    assert response.status_code == 400 and response.json()["pointer"] == "/url"
    assert hub.request("PATCH", path, json={"url": "https://example.com/"}).status_code == 200


# Surviving

def test_a_log_in_memory_delivers_too(start_hub, receiver, topic):
    hub = start_hub(*LOOPBACK, *RETRIES, "--durability", "memory")
    receiver.answer = lambda delivery: 500 if delivery.attempt == 1 else 204
    webhook = hub.register(receiver.url(), topic)
    hub.post(topic, '"x"')
    verify(webhook["secret"], receiver.wait_for(2)[1])
    wait_until(lambda: stats(hub, webhook)["delivered"] == 1)


def test_kill_9_then_restart_delivers_what_was_pending(hub, topic):
    receiver = WebhookReceiver().start()
    webhook = hub.register(receiver.url(), topic)
    receiver.stop()
    ids = [hub.post(topic, f'"{number}"')["id"] for number in range(20)]
    hub.kill()
    with receiver.start():
        hub.restart()
        deliveries = receiver.wait_for(20)
        assert {delivery.id for delivery in deliveries} == set(ids)
        for delivery in deliveries:
            verify(webhook["secret"], delivery)
        wait_until(lambda: stats(hub, webhook)["pending"] == 0)


def test_kill_9_while_delivering_loses_nothing(hub, receiver, topic, figure):
    hub.register(receiver.url(), topic)
    ids = set()
    for life in range(5):
        for number in range(60):
            ids.add(hub.post(topic, f"{life} {number}")["id"])
        hub.kill()
        hub.restart()
    wait_until(lambda: {delivery.id for delivery in receiver.deliveries} >= ids, deadline=30)
    figure(f"{len(ids)} events, {len(receiver.deliveries)} deliveries across five kills")


def test_a_stop_waits_for_attempts_under_way(hub, receiver, topic):
    arrived, release = threading.Event(), threading.Event()

    def answer(delivery):
        arrived.set()
        release.wait(30)
        return 204

    receiver.answer = answer
    webhook = hub.register(receiver.url(), topic)
    hub.post(topic, "x")
    assert arrived.wait(DEADLINE)
    began = time.monotonic()
    hub.is_down = True
    hub.process.terminate()
    # The stop has begun once nothing is accepted any more.
    wait_until(lambda: _is_refused(hub.port))
    release.set()
    hub.wait_for_exit(began)
    hub.start()
    wait_until(lambda: stats(hub, webhook)["delivered"] == 1)
    assert len(receiver.deliveries) == 1, "the attempt that was under way counted"


def test_a_stop_waits_for_who_tries_an_endpoint_out(hub, receiver, topic):
    arrived, release = threading.Event(), threading.Event()

    def answer(delivery):
        arrived.set()
        release.wait(30)
        return 202

    receiver.answer = answer
    webhook = hub.register(receiver.url(), topic)
    answers = []
    path = f"/observers/{webhook['id']}/test"
    trying = threading.Thread(target=lambda: answers.append(hub.request("POST", path)))
    trying.start()
    assert arrived.wait(DEADLINE)
    began = time.monotonic()
    hub.is_down = True
    hub.process.terminate()
    wait_until(lambda: _is_refused(hub.port))
    # Longer than a request is waited for that tries nothing out.
    assert not release.wait(3.5)
    release.set()
    trying.join()
    hub.wait_for_exit(began)
    assert answers[0].status_code == 200 and answers[0].json()["status"] == 202


def _is_refused(port):
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=0.2):
            return False
    except OSError:
        return True


def test_an_attempt_that_hangs_does_not_hold_up_the_stop(hub, receiver, topic, figure):
    arrived, release = threading.Event(), threading.Event()

    def answer(delivery):
        arrived.set()
        release.wait(60)
        return 204

    receiver.answer = answer
    hub.register(receiver.url(), topic)
    receipt = hub.post(topic, "x")
    assert arrived.wait(DEADLINE)
    seconds = hub.stop()
    figure(f"{seconds:.1f} s from SIGTERM to exit 0 with an attempt that hangs")
    release.set()
    receiver.answer = lambda delivery: 204
    hub.start()
    again = receiver.wait_for(2)[-1]
    assert again.id == receipt["id"]
