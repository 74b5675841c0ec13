"""What a webhook's owner and the hub's operator are told before deliveries are lost: warnings in answers, lines in the log."""

import re

import pytest

from waiting import wait_until
from webhook_receiver import WebhookReceiver

LOOPBACK = ("--allow-egress", "127.0.0.0/8")

BLOCKED = [
    ("http://127.0.0.1:9999/hook", "127.0.0.0/8"), ("http://localhost:9999/", "127.0.0.0/8"),
    ("http://LOCALHOST.:9999", "127.0.0.0/8"), ("http://hub.localhost/", "127.0.0.0/8"), ("http://[::1]/", "::1/128"),
    ("http://0x7f.1/", "127.0.0.0/8"), ("http://2130706433/", "127.0.0.0/8"), ("https://10.1.2.3/", "10.0.0.0/8"),
    ("http://169.254.169.254/latest", "169.254.0.0/16"), ("http://[::ffff:192.168.0.1]/", "192.168.0.0/16"),
    ("http://0.0.0.0:8080/", "0.0.0.0/8"), ("http://[fd00::1]/", "fc00::/7")]


def warning_of(document):
    [warning] = document["warnings"]
    assert set(warning) == {"code", "detail", "pointer"}
    assert (warning["code"], warning["pointer"]) == ("egress-blocked", "/url")
    return warning


def log_lines(hub, text):
    return [line for line in hub.log.splitlines() if text in line]


# Warnings

@pytest.mark.parametrize("url, allow", BLOCKED)
def test_a_url_that_is_never_dialled_is_taken_with_a_warning(shared_hub, topic, url, allow):
    document = shared_hub.register(url, topic)
    assert document["state"] == "active"
    assert f"--allow-egress {allow}" in warning_of(document)["detail"]
    assert warning_of(shared_hub.observer(document["id"])) == warning_of(document)


@pytest.mark.parametrize("url", ["https://example.com/hook", "http://8.8.8.8/", "http://localhost.example.com/", "http://[2606:4700::1]/"])
def test_any_other_has_none(shared_hub, topic, url):
    document = shared_hub.register(url, topic)
    assert "warnings" not in document
    assert "warnings" not in shared_hub.observer(document["id"])


@pytest.mark.parametrize("allow, url, is_warned", [
    ("127.0.0.0/8", "http://127.0.0.1:9/", None), ("127.0.0.0/8", "http://localhost:9999/", False),
    ("::1", "http://localhost:9999/", False), ("127.0.0.0/8", "http://10.0.0.1/", True), ("127.0.0.2/32", "http://127.0.0.1/", True)])
def test_what_is_allowed_is_not_warned_of(start_hub, topic, allow, url, is_warned):
    if is_warned is None:
        url = "http://127.0.0.1:9999/"
    document = start_hub("--allow-egress", allow).register(url, topic)
    assert ("warnings" in document) == bool(is_warned)


def test_a_warning_comes_and_goes_with_the_url(shared_hub, topic):
    path = f"/observers/{topic}"
    put = shared_hub.request("PUT", path, json={"topics": [topic], "url": "http://127.0.0.1:9999"})
    assert put.status_code == 201
    warning_of(put.json())
    warning_of(shared_hub.request("PATCH", path, json={"description": "still"}).json())
    [listed] = shared_hub.observers(topic=topic)
    warning_of(listed)
    assert "warnings" not in shared_hub.request("PATCH", path, json={"url": "https://example.com/"}).json()
    assert "warnings" not in shared_hub.observer(topic)
    warning_of(shared_hub.request("PUT", path, json={"topics": [topic], "url": "http://10.0.0.1"}).json())


def test_a_warning_follows_the_options_of_the_present_hub(start_hub, topic):
    hub = start_hub(*LOOPBACK)
    id = hub.register("http://127.0.0.1:9999", topic)["id"]
    assert "warnings" not in hub.observer(id)
    hub.stop()
    hub.options = []
    hub.start()
    warning_of(hub.observer(id))


def test_behind_a_proxy_names_are_its_business(start_hub, topic):
    hub = start_hub("--egress-proxy", "http://127.0.0.1:9999")
    assert "warnings" not in hub.register("http://localhost:9999/", topic)
    warning_of(hub.register("http://127.0.0.1:9999/", topic))


def test_http_that_is_refused_by_now_is_warned_of(start_hub, topic):
    hub = start_hub()
    id = hub.register("http://example.com/", topic)["id"]
    hub.stop()
    hub.options = ["--webhooks-https-only"]
    hub.start()
    assert "--webhooks-https-only" in warning_of(hub.observer(id))["detail"]


# The log

def test_the_first_failure_is_told_with_event_url_and_reason(hub, topic):
    webhook = hub.register("http://127.0.0.1:9999/hook?token=secret-of-mine", topic)
    event = hub.post(topic, "x")["id"]
    [line] = wait_until(lambda: log_lines(hub, "begun to fail"))
    assert " warning " in line
    for word in (webhook["id"], event, "http://127.0.0.1:9999/hook", "egress-blocked", "--allow-egress 127.0.0.0/8"):
        assert word in line
    assert "secret-of-mine" not in hub.log


def test_an_endpoint_that_recovers_is_told_of_and_one_that_flaps_not_again(start_hub, topic):
    hub = start_hub(*LOOPBACK, "--webhooks-retry", ",".join(["20ms"] * 100))
    with WebhookReceiver() as receiver:
        # Every other attempt fails.
        receiver.answer = lambda _: 500 if len(receiver.deliveries) % 2 else 204
        webhook = hub.register(receiver.url(), topic, maxInFlight=1)
        for number in range(20):
            hub.post(topic, str(number))
        wait_until(lambda: hub.observer(webhook["id"])["stats"]["delivered"] == 20)
    assert len(log_lines(hub, "begun to fail")) == 1
    [line] = log_lines(hub, "succeed again")
    assert webhook["id"] in line and " notice " in line


def test_another_url_is_told_of_anew(start_hub, topic):
    hub = start_hub(*LOOPBACK, "--webhooks-retry", ",".join(["50ms"] * 100))
    with WebhookReceiver(lambda _: 500) as first, WebhookReceiver(lambda _: 500) as second:
        webhook = hub.register(first.url(), topic)
        hub.post(topic, "x")
        wait_until(lambda: len(log_lines(hub, "begun to fail")) == 1)
        assert hub.request("PATCH", f"/observers/{webhook['id']}", json={"url": second.url()}).status_code == 200
        lines = wait_until(lambda: len(log_lines(hub, "begun to fail")) == 2 and log_lines(hub, "begun to fail"))
    assert first.url() in lines[0] and second.url() in lines[1]


def test_a_delivery_that_is_given_up_is_named_by_event_and_url(start_hub, topic):
    hub = start_hub("--webhooks-retry", "20ms", "--log-level", "debug")
    webhook = hub.register("http://127.0.0.1:9999/hook?key=secret-of-mine", topic)
    event = hub.post(topic, "x")["id"]
    [line] = wait_until(lambda: log_lines(hub, "given up"))
    attempts = log_lines(hub, "attempt failed")
    assert attempts
    for line in [line, *attempts]:
        assert webhook["id"] in line and event in line and "http://127.0.0.1:9999/hook" in line
        assert not re.search(r"\bdelivery=", line)
    assert "secret-of-mine" not in hub.log


def test_a_webhook_that_is_disabled_is_named_by_its_url(start_hub, topic):
    hub = start_hub(*LOOPBACK)
    with WebhookReceiver(lambda _: 410) as receiver:
        webhook = hub.register(receiver.url() + "?key=secret-of-mine", topic)
        hub.post(topic, "x")
        [line] = wait_until(lambda: log_lines(hub, "is disabled"))
        assert webhook["id"] in line and receiver.url() in line
    assert "secret-of-mine" not in hub.log
