"""The consent of endpoints (CloudEvents, HTTP 1.1 Web Hooks for Event Delivery, section 4)."""

import socket
import threading

import pytest

from problems import assert_problem
from webhook_receiver import WebhookReceiver

ORIGIN = "hub.example.com"
OPTIONS = ("--allow-egress", "127.0.0.0/8", "--webhooks-origin", ORIGIN)


@pytest.fixture(scope="module")
def shared_hub(start_shared_hub):
    return start_shared_hub(*OPTIONS)


def consenting(origin=ORIGIN, rate=None, status=200):
    """What an endpoint answers that consents."""
    headers = {"WebHook-Allowed-Origin": origin} if origin is not None else {}
    if rate is not None:
        headers["WebHook-Allowed-Rate"] = rate
    return lambda delivery: (status, headers) if delivery.method == "OPTIONS" else 204


def register(hub, url, topic, **members):
    return hub.request("POST", "/observers", json={"topics": [topic], "url": url, "handshake": True, **members})


@pytest.mark.parametrize("origin", [ORIGIN, "*"])
@pytest.mark.parametrize("status", [200, 204])
def test_an_endpoint_that_consents_is_delivered_to(shared_hub, receiver, topic, origin, status):
    receiver.answer = consenting(origin, status=status)
    response = register(shared_hub, receiver.url("/hook?a=b"), topic, headers={"Authorization": "Bearer token"})
    assert response.status_code == 201, response.text
    assert response.json()["handshake"] is True and response.json()["allowedRate"] is None
    [question] = receiver.deliveries
    assert (question.method, question.path, question.body) == ("OPTIONS", "/hook?a=b", b"")
    assert question.headers["webhook-request-origin"] == ORIGIN
    assert question.headers["authorization"] == "Bearer token"
    assert question.headers["user-agent"].startswith("clarion/")
    assert not any(name.startswith(("content-", "webhook-id", "webhook-signature")) for name in question.headers)
    shared_hub.post(topic, "x")
    assert [delivery.method for delivery in receiver.wait_for(2)] == ["OPTIONS", "POST"]


@pytest.mark.parametrize("answer, reason", [
    (consenting(None), "not-allowed"), (consenting("other.example.com"), "not-allowed"),
    (consenting("HUB.example.com"), "not-allowed"), (consenting(ORIGIN + "."), "not-allowed"),
    (consenting("*.example.com"), "not-allowed"), (consenting(""), "not-allowed"),
    (consenting(f"{ORIGIN}, other.example.com"), "not-allowed"),
    (consenting(status=404), "status"), (consenting(status=405), "status"), (consenting(status=500), "status"),
    (lambda delivery: (302, {"Location": "/elsewhere", "WebHook-Allowed-Origin": "*"}), "status"),
    (lambda delivery: (200, {"WebHook-Allowed-Origin": "*"}, b"x" * 100_000), "response-too-large")])
def test_one_that_does_not_is_not_registered(shared_hub, receiver, topic, answer, reason):
    receiver.answer = answer
    problem = assert_problem(register(shared_hub, receiver.url(), topic), 422, "handshake-failed", pointer="/url")
    assert f"({reason})" in problem["detail"]
    assert len(receiver.deliveries) == 1
    assert shared_hub.observers(topic=topic) == []


@pytest.mark.parametrize("rate", ["0", "-1", "fast", "1.5", "9" * 30])
def test_a_rate_that_is_no_positive_number_bounds_nothing(shared_hub, receiver, topic, rate):
    receiver.answer = consenting(rate=rate)
    response = register(shared_hub, receiver.url(), topic)
    assert response.status_code == 201 and response.json()["allowedRate"] is None


def test_one_that_cannot_be_reached_is_not_registered(shared_hub, topic):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    for url, reason in [(f"http://127.0.0.1:{port}/", "connection-refused"), ("http://nowhere.invalid/", "dns-error"),
                        ("http://10.1.2.3/", "egress-blocked"), ("http://[::1]/", "egress-blocked"),
                        (f"http://localtest.invalid:{port}/", "dns-error")]:
        problem = assert_problem(register(shared_hub, url, topic), 422, "handshake-failed")
        assert f"({reason})" in problem["detail"]


def test_nobody_is_asked_unless_it_is_wanted(shared_hub, receiver, topic):
    webhook = shared_hub.register(receiver.url(), topic)
    assert webhook["handshake"] is False and "allowedRate" not in webhook
    assert receiver.deliveries == []


def test_another_url_is_asked_and_nothing_else(shared_hub, receiver, topic):
    receiver.answer = consenting()
    webhook = register(shared_hub, receiver.url("/first"), topic).json()
    path = f"/observers/{webhook['id']}"
    assert shared_hub.request("PATCH", path, json={"description": "x"}).status_code == 200
    assert shared_hub.request("POST", f"{path}/secret/rotate").status_code == 200
    assert len(receiver.deliveries) == 1
    assert shared_hub.request("PATCH", path, json={"url": receiver.url("/second")}).status_code == 200
    assert [question.path for question in receiver.deliveries] == ["/first", "/second"]

    receiver.answer = consenting(None)
    response = shared_hub.request("PATCH", path, json={"url": receiver.url("/third")})
    assert_problem(response, 422, "handshake-failed")
    put = {"topics": [topic], "url": receiver.url("/third"), "handshake": True}
    assert_problem(shared_hub.request("PUT", path, json=put), 422, "handshake-failed")
    assert shared_hub.observer(webhook["id"])["url"] == receiver.url("/second")
    # Who no longer wants to ask need not.
    assert shared_hub.request("PUT", path, json={**put, "handshake": False}).status_code == 200


def test_asking_can_be_turned_on_later(shared_hub, receiver, topic):
    webhook = shared_hub.register(receiver.url(), topic)
    path = f"/observers/{webhook['id']}"
    receiver.answer = consenting(None)
    assert_problem(shared_hub.request("PATCH", path, json={"handshake": True}), 422, "handshake-failed")
    receiver.answer = consenting(rate="600")
    response = shared_hub.request("PATCH", path, json={"handshake": True})
    assert response.status_code == 200 and response.json()["allowedRate"] == 600


def test_the_rate_is_obeyed_also_after_a_restart(start_hub, receiver, topic):
    hub = start_hub(*OPTIONS)
    receiver.answer = consenting(rate="600")
    webhook = register(hub, receiver.url(), topic, ratePerSecond=1000)
    assert webhook.json()["allowedRate"] == 600
    hub.restart()
    assert hub.observer(webhook.json()["id"])["allowedRate"] == 600
    for number in range(12):
        hub.post(topic, str(number))
    arrivals = [delivery.time for delivery in receiver.wait_for(13)[1:]]
    # Ten a second: eleven intervals, of which one may be begun early.
    assert arrivals[-1] - arrivals[0] > 0.9
    assert [delivery.method for delivery in receiver.deliveries].count("OPTIONS") == 1


def test_the_origin_is_this_machines_name_by_default(start_hub, receiver, topic):
    hub = start_hub("--allow-egress", "127.0.0.0/8")
    receiver.answer = consenting("*")
    assert register(hub, receiver.url(), topic).status_code == 201
    assert receiver.deliveries[0].headers["webhook-request-origin"] == socket.gethostname()


def test_asking_holds_nobody_up(shared_hub, receiver, topic):
    """A question that is not answered must not keep others from registering."""
    release = threading.Event()
    with WebhookReceiver(lambda delivery: release.wait(30) and 204) as slow:
        asking = threading.Thread(target=register, args=(shared_hub, slow.url(), topic))
        asking.start()
        slow.wait_for(1)
        shared_hub.register(receiver.url(), topic)
        assert asking.is_alive(), "the other has not been answered meanwhile"
        release.set()
        asking.join()


def test_only_a_few_at_a_time_ask_one_endpoint(shared_hub, topic):
    release = threading.Event()
    with WebhookReceiver(lambda delivery: release.wait(10) and 204) as slow:
        asking = [threading.Thread(target=register, args=(shared_hub, slow.url(), topic)) for _ in range(4)]
        for thread in asking:
            thread.start()
        slow.wait_for(4)
        response = register(shared_hub, slow.url(), topic)
        assert_problem(response, 429, "endpoint-busy")
        assert int(response.headers["Retry-After"]) > 0
        release.set()
        for thread in asking:
            thread.join()
        assert len(slow.deliveries) == 4


@pytest.mark.parametrize("origin", ["", "a b", "http://hub.example.com", "a\nb", "x" * 254])
def test_what_is_no_origin_is_refused(clarion, origin):
    run = clarion("serve", environment={"CLARION_WEBHOOKS_ORIGIN": origin})
    assert run.returncode == 64 and "--webhooks-origin" in run.stderr
