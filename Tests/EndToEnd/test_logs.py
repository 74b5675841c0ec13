"""What the log says of requests and deliveries, and what it never says."""

import json
import re

import pytest

from credentials import CredentialsFile, ask, grant
from event_stream import EventStream
from hub_process import events_path
from metrics import Reading
from raw_http import exchange
from test_key_sets import Publisher
from waiting import wait_until
from webhook_receiver import WebhookReceiver


def lines(hub, message):
    """The log's JSON lines of a message; every line of the log must be an object."""
    written = [json.loads(line) for line in hub.log_path.read_text().splitlines()]
    for line in written:
        assert {"time", "level", "message"} <= set(line)
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["time"])
    return [line for line in written if line["message"] == message]


def requests_of(hub, count):
    found = wait_until(lambda: len(lines(hub, "request")) >= count and lines(hub, "request"), what=f"{count} lines")
    assert len(found) == count
    return found


def test_a_line_for_each_request(start_hub, tmp_path, topic):
    file = CredentialsFile(tmp_path, keys={"ci": grant("**"), "reader": grant("**", rights=["subscribe"])})
    hub = start_hub("--credentials", str(file.path), "--log-format", "json", "--log-level", "debug")
    assert ask(hub, "POST", events_path(topic), file.keys["ci"], data=b"x", headers={"Request-Id": "mine"}).status_code == 201
    assert ask(hub, "GET", "/healthz").status_code == 200
    assert ask(hub, "GET", f"{events_path(topic)}?x=1", file.keys["ci"]).status_code == 400
    assert ask(hub, "GET", f"/topics/{topic}").status_code == 401
    assert ask(hub, "POST", events_path(topic), file.keys["reader"], data=b"x").status_code == 403
    assert ask(hub, "BREW", "/nowhere").status_code == 404
    found = requests_of(hub, 6)
    assert [{key: line.get(key) for key in ("method", "route", "status", "credential", "code")} for line in found] == [
        {"method": "POST", "route": "/topics/{topic}/events", "status": 201, "credential": "ci", "code": None},
        {"method": "GET", "route": "/healthz", "status": 200, "credential": None, "code": None},
        {"method": "GET", "route": "/topics/{topic}/events", "status": 400, "credential": "ci", "code": "parameter-unknown"},
        {"method": "GET", "route": "/topics/{topic}", "status": 401, "credential": "anonymous", "code": "credential-required"},
        {"method": "POST", "route": "/topics/{topic}/events", "status": 403, "credential": "reader", "code": "right-missing"},
        {"method": "unknown", "route": "unknown", "status": 404, "credential": None, "code": "route-unknown"}]
    assert found[0]["request"] == "mine"
    assert {line["level"] for line in found} == {"debug"}
    assert all(0 < line["duration"] < 10 for line in found)


def test_what_is_said_of_a_stream_at_debug_is_its_request(start_hub, topic):
    hub = start_hub("--log-format", "json", "--log-level", "debug")
    with hub.stream(topic) as stream:
        hub.post(topic, "x")
        stream.next()
    wait_until(lambda: Reading.of(hub)["clarion_streams"] == 0, what="the stream's end")
    assert lines(hub, "request") and not lines(hub, "libmicrohttpd")


def test_who_is_refused_again_and_again_does_not_bury_other_lines(start_hub, topic):
    hub = start_hub("--log-format", "json", "--max-streams", "0", "--max-observers", "0")
    for _ in range(50):
        assert hub.get(events_path(topic), headers={"Accept": "text/event-stream"}).status_code == 503
    # Of another route.
    webhook = {"url": "https://example.com/", "topics": [topic]}
    assert hub.request("POST", "/observers", json=webhook).status_code == 507
    found = wait_until(lambda: lines(hub, "request")[-1:] and lines(hub, "request")[-1]["status"] == 507 and lines(hub, "request"))
    assert [line["status"] for line in found] == [503] * 10 + [507]


def test_at_info_only_what_failed(start_hub, topic):
    hub = start_hub("--log-format", "json", "--max-streams", "0")
    hub.post(topic, "x")
    hub.get("/nowhere")
    # What a stranger says as often as he likes is nobody's alarm.
    assert exchange(hub.port, b"GET / HTTP/3.0\r\nHost: x\r\n\r\n").status == 505
    assert hub.request("POST", events_path(topic), data=b"x", headers={"Clarion-Hop": "9"}).status_code == 508
    assert hub.get(events_path(topic), headers={"Accept": "text/event-stream"}).status_code == 503
    line, = requests_of(hub, 1)
    assert (line["level"], line["status"], line["code"]) == ("info", 503, "overloaded")


def test_a_line_for_each_attempt(start_hub, topic):
    hub = start_hub("--allow-egress", "127.0.0.0/8", "--webhooks-retry", "20ms", "--log-format", "json", "--log-level", "debug")
    answers = [500, 204, 500, 500]
    with WebhookReceiver(lambda _: answers.pop(0)) as receiver:
        webhook = hub.register(receiver.url("/hook?a=secret&b&=&c=x=y"), topic)
        first = hub.post(topic, "1")["id"]
        wait_until(lambda: lines(hub, "a delivery was accepted"), what="the first delivery's line")
        second = hub.post(topic, "2")["id"]
        wait_until(lambda: lines(hub, "a delivery was given up"), what="the second delivery's line")
    found = [line for line in lines(hub, "a delivery was accepted") + lines(hub, "a delivery attempt failed")
             + lines(hub, "a delivery was given up")]
    assert sorted((line["event"], line["attempt"], line["outcome"]) for line in found) == sorted([
        (first, 1, "retried"), (first, 2, "delivered"), (second, 1, "retried"), (second, 2, "dead")])
    for line in found:
        assert line["observer"] == webhook["id"]
        assert line["url"] == receiver.url("/hook?a=***&***&=***&c=***")
        assert 0 <= line["duration"] < 10


@pytest.mark.parametrize("format", ["text", "json"])
def test_what_the_log_never_says(start_hub, tmp_path, topic, format):
    file = CredentialsFile(tmp_path, keys={"ci": grant("**")})
    hub = start_hub("--credentials", str(file.path), "--allow-egress", "127.0.0.0/8", "--webhooks-retry", "20ms",
                    "--log-format", format, "--log-level", "trace")
    key, token, wrong = file.keys["ci"], file.token(), "clk_" + "W" * 32
    signed = token.rsplit(".", 1)[1]
    body, secret, header, query = "posted-and-secret", "whsec_" + "QUJD" * 10, "Bearer header-and-secret", "query-and-secret"

    def answer(delivery):
        return (410 if delivery.path.startswith("/gone") else 204 if delivery.attempt > 1 else 500), {}, b"answered-and-fine"

    with WebhookReceiver(answer) as receiver:
        for name in ("flaky", "gone"):
            webhook = {"topics": [topic], "url": receiver.url(f"/{name}?key={query}"), "secret": secret,
                       "headers": {"Authorization": header}}
            made = ask(hub, "POST", "/observers", key, data=json.dumps(webhook), headers={"Content-Type": "application/json"})
            assert made.status_code == 201, made.content
            tried = ask(hub, "POST", f"/observers/{made.json()['id']}/test", key)
            assert tried.status_code == 200
        assert ask(hub, "POST", events_path(topic), key, data=body.encode()).status_code == 201
        assert ask(hub, "GET", f"{events_path(topic)}?access_token={token}").status_code == 200
        assert ask(hub, "GET", f"{events_path(topic)}?access_token={wrong}").status_code == 401
        assert ask(hub, "GET", "/topics", None, headers={"Cookie": f"clarion_token={token}"}).status_code == 200
        assert ask(hub, "GET", "/topics", token[:-4] + "AAAA").status_code == 401
        assert ask(hub, "PUT", "/observers/x", key, data=b'{"secret": "' + secret.encode() + b'"}').status_code >= 400
        with EventStream.of(hub.port, topic, query=f"access_token={token}&last=1") as stream:
            assert stream.next().data == body
        wait_until(lambda: "a delivery was accepted" in hub.log_path.read_text()
                   and "a webhook is disabled" in hub.log_path.read_text(), what="both deliveries' lines")
    hub.stop()
    log = hub.log_path.read_text()
    assert "ci" in log and "request" in log
    for secret_text in (key, token, signed, wrong, body, secret, secret[6:], "header-and-secret", query):
        assert secret_text not in log


@pytest.mark.parametrize("format", ["text", "json"])
def test_the_log_never_says_what_the_query_of_a_key_sets_url_holds(start_hub, clarion, tmp_path, format):
    """Of one that can be fetched, one of an endpoint that does not answer, and one of a port that is refused."""
    file = CredentialsFile(tmp_path, keys={"ci": grant("**")})
    with Publisher("one") as publisher, Publisher() as silent:
        silent.server.server_close()
        for url in (publisher.url, silent.url):
            file.members["jwt"].append({"issuer": url, "audience": "clarion", "algorithms": ["EdDSA"],
                                        "jwks": f"{url}?api_key=query-and-secret&other-secret"})
        file.write()
        hub = start_hub("--credentials", str(file.path), "--allow-egress", "127.0.0.0/8", "--log-format", format,
                        "--log-level", "trace")
        wait_until(lambda: "cannot be fetched" in hub.log and "has 1 keys" in hub.log, what="the lines")
        assert [path for path, _ in publisher.requests] == ["/jwks.json?api_key=query-and-secret&other-secret"]
    hub.stop()
    assert hub.log.count("/jwks.json?") == 2 and "secret" not in hub.log
    file.members["jwt"][0]["jwks"] = "http://127.0.0.1:9/jwks.json?api_key=query-and-secret&other-secret"
    file.write()
    refused = clarion("serve", "--port", "0", "--credentials", str(file.path), "--log-format", format)
    assert refused.returncode == 64 and "/jwks.json?" in refused.stderr and "secret" not in refused.stderr
