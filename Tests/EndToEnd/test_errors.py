"""Whatever is sent, the answer is a clear one, and the hub lives on."""

import json
import random
import socket
import threading
import time
import uuid
from urllib.parse import quote

import pytest

from event_stream import EventStream
from hub_process import events_path
from problems import assert_problem
from raw_http import RawConnection, exchange, request
from waiting import wait_until

#: What libmicrohttpd itself may answer to what is not HTTP; its own answers are pages of HTML.
OF_MALFORMED_REQUESTS = {400, 405, 413, 414, 417, 431, 501, 505}


@pytest.fixture(autouse=True)
def still_well(shared_hub):
    """After each test here the hub is the same process and answers."""
    process = shared_hub.process
    yield
    assert process.poll() is None
    assert shared_hub.get("/healthz").status_code == 200


# Routes and methods

@pytest.mark.parametrize("method, path", [
    ("GET", "/nothing"), ("POST", "/nothing"), ("GET", "/topics/a/events/b/c"), ("DELETE", "/topic"), ("PUT", "/nothing"),
    ("GET", "/topics/a/nothing"), ("GET", "/observers/a/b/c"), ("BREW", "/coffee"), ("GET", "/healthz/x")])
def test_unknown_route(shared_hub, method, path):
    assert_problem(shared_hub.request(method, path), 404, "route-unknown")


@pytest.mark.parametrize("method, path, allowed", [
    ("DELETE", "/topics/a/events", {"GET", "HEAD", "POST", "OPTIONS"}),
    ("PUT", "/topics/a/events", {"GET", "HEAD", "POST", "OPTIONS"}),
    ("POST", "/events", {"GET", "HEAD", "OPTIONS"}),
    ("POST", "/healthz", {"GET", "HEAD", "OPTIONS"}),
    ("PATCH", "/observers", {"GET", "HEAD", "POST", "OPTIONS"}),
    ("POST", "/observers/a", {"GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"}),
    ("DELETE", "/topics/a/events/b", {"GET", "HEAD", "OPTIONS"}),
    ("GET", "/topics/a/observers", {"DELETE", "OPTIONS"}),
    ("BREW", "/observers", {"GET", "HEAD", "POST", "OPTIONS"}),
    ("get", "/observers", {"GET", "HEAD", "POST", "OPTIONS"}),
    ("TRACE", "/healthz", {"GET", "HEAD", "OPTIONS"})])
def test_a_method_that_the_path_lacks(shared_hub, method, path, allowed):
    # Raw: `requests` would write "GET" for "get", and methods are case-sensitive.
    response = exchange(shared_hub.port, request(method, path))
    assert_problem(response, 405, "method-not-allowed")
    assert {name.strip() for name in response.headers["allow"].split(",")} == allowed


@pytest.mark.parametrize("method, path, place", [
    ("POST", "/topics/a", "/topics/{topic}/events"), ("POST", "/topics/events", "/topics/{topic}/events"),
    ("POST", "/observers/w", None), ("BREW", "/topics/a", None), ("POST", "/", None)])
def test_a_method_that_a_longer_path_takes_is_shown_there(shared_hub, method, path, place):
    problem = assert_problem(exchange(shared_hub.port, request(method, path)), 405, "method-not-allowed")
    assert problem["detail"].endswith(f"{method} goes to {place}." if place else "."), problem
    assert ("goes to" in problem["detail"]) == (place is not None)


@pytest.mark.parametrize("path", ["/topics/a/events", "/observers", "/healthz", "/observers/x"])
def test_options_tells_what_is_allowed(shared_hub, path):
    response = shared_hub.request("OPTIONS", path)
    assert response.status_code in (200, 204)
    assert response.content == b""
    assert "OPTIONS" in response.headers["Allow"] and "GET" in response.headers["Allow"]


def test_head_is_get_without_its_body(shared_hub, topic):
    receipt = shared_hub.post(topic, "hello", type="greeting")
    for path in ("/healthz", "/observers", f"/topics/{topic}/events", f"/topics/{topic}/events/{receipt['id']}"):
        with RawConnection(shared_hub.port) as connection:
            connection.send(request("HEAD", path) + request("GET", path))
            head = connection.receive(body_follows=False)
            get = connection.receive()
        assert head.status == get.status == 200
        assert head.headers["content-length"] == str(len(get.body)) == get.headers["content-length"]
        differing = {"request-id", "date"}
        assert {k: v for k, v in head.headers.items() if k not in differing} == \
            {k: v for k, v in get.headers.items() if k not in differing}


def test_head_of_an_unknown_route_has_no_body(shared_hub):
    with RawConnection(shared_hub.port) as connection:
        connection.send(request("HEAD", "/nothing") + request("GET", "/healthz"))
        assert connection.receive(body_follows=False).status == 404
        assert connection.receive().status == 200


def test_head_of_a_stream_opens_none(shared_hub, topic):
    with RawConnection(shared_hub.port) as connection:
        connection.send(request("HEAD", f"/topics/{topic}/events", {"Accept": "text/event-stream"}))
        response = connection.receive(body_follows=False)
        assert response.status == 200
        assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
        assert response.headers["clarion-observer-id"] and response.headers["clarion-last-event-id"]
        wait_until(lambda: not shared_hub.observers(topic=topic), what="no observer of a HEAD")


# What is asked for and how

@pytest.mark.parametrize("accept", [
    "image/png", "text/html", "text/event-streams", "application/xml, text/plain", "text/*", "text/*, text/event-stream;q=0"])
def test_events_in_a_form_that_there_is_not(shared_hub, topic, accept):
    assert_problem(shared_hub.get(f"/topics/{topic}/events", headers={"Accept": accept}), 406, "not-acceptable")
    assert_problem(shared_hub.get("/events", params={"topic": topic}, headers={"Accept": accept}), 406, "not-acceptable")


@pytest.mark.parametrize("type", ["text/xml", "multipart/form-data; boundary=x", "application/jsonx", "text/plain"])
def test_a_registration_in_a_form_that_is_not_json(shared_hub, topic, type):
    response = shared_hub.request(
        "POST", "/observers", data='{"topics": ["a"], "url": "https://example.com/"}', headers={"Content-Type": type})
    assert_problem(response, 415, "media-type-unsupported")


@pytest.mark.parametrize("coding", ["gzip", "br, gzip", "deflate"])
def test_a_body_with_a_coding_is_kept_by_nobody(shared_hub, topic, coding):
    hook = {"topics": [topic], "url": "https://example.com/"}
    for method, path, body in [
            ("POST", events_path(topic), b"{}"), ("PUT", f"/topics/{topic}/value", b"{}"), ("PUT", f"/topics/{topic}", b"{}"),
            ("POST", "/observers", json.dumps(hook).encode())]:
        response = shared_hub.request(method, path, data=body, headers={"Content-Encoding": coding, "Content-Type": "application/json"})
        assert_problem(response, 415, "media-type-unsupported", parameter="Content-Encoding")
        assert response.headers["Accept-Encoding"] == "identity"
    assert shared_hub.post(topic, b"1", headers={"Content-Encoding": "identity"})
    assert len(shared_hub.history(topic)) == 1 and not shared_hub.observers(topic=topic)


@pytest.mark.parametrize("body", [b"", b"{", b"not json", b'{"topics": ["a"]', b"\xff\xfe", b'{"a": 1}}', b'"' + b"[" * 5000])
def test_a_registration_that_is_not_json(shared_hub, body):
    response = shared_hub.request("POST", "/observers", data=body, headers={"Content-Type": "application/json"})
    assert_problem(response, 400, "body-invalid")


@pytest.mark.parametrize("body", [b"[]", b"7", b'"text"', b"null", b"true"])
def test_a_registration_that_is_no_object(shared_hub, body):
    response = shared_hub.request("POST", "/observers", data=body, headers={"Content-Type": "application/json"})
    assert_problem(response, 400, "body-invalid")


@pytest.mark.parametrize("path, kind, size", [
    ("/observers", "application/json", 256 << 10), ("/topics/nested/events", "application/cloudevents+json", 500_000)])
def test_json_nested_without_end_does_no_harm(shared_hub, path, kind, size):
    for body in (b"[" * size, b'{"a":' * (size // 5), b"[" * (size // 2) + b"]" * (size // 2)):
        response = shared_hub.request("POST", path, data=body, headers={"Content-Type": kind})
        assert_problem(response, 400, "body-invalid")


def test_a_registration_that_is_too_large(shared_hub):
    body = b'{"topics": ["' + b"a" * (1 << 20) + b'"]}'
    response = shared_hub.request("POST", "/observers", data=body, headers={"Content-Type": "application/json"})
    assert_problem(response, 413, "body-too-large")


def test_history_after_an_id_that_was_never_given_out(shared_hub, topic):
    last = shared_hub.post(topic)["id"]
    epoch = last.split("-")[0]
    response = shared_hub.get(f"/topics/{topic}/events?after={epoch}-99999999")
    problem = assert_problem(response, 400, "parameter-invalid", parameter="after")
    assert "since" in problem["detail"]
    assert shared_hub.get(f"/topics/{topic}/events?after={last}").json() == {"events": [], "next": None}
    assert len(shared_hub.get(f"/topics/{topic}/events?after={epoch}-0").json()["events"]) == 1


@pytest.mark.parametrize("query, parameter", [
    ("limit=0", "limit"), ("limit=-1", "limit"), ("limit=many", "limit"), ("limit=100000", "limit"), ("limit=", "limit"),
    ("limit=99999999999999999999", "limit"), ("after=nothing", "after"), ("after=", "after"),
    ("after=0000-1", "after")])
def test_history_with_a_bad_parameter(shared_hub, topic, query, parameter):
    response = shared_hub.get(f"/topics/{topic}/events?{query}")
    assert_problem(response, 400, "parameter-invalid", parameter=parameter)


@pytest.mark.parametrize("accept", ["text/event-stream", "application/json"])
def test_events_of_no_topic_or_of_too_many(shared_hub, accept):
    headers = {"Accept": accept}
    assert_problem(shared_hub.get("/events", headers=headers), 400, "parameter-invalid", parameter="topic")
    names = [("topic", f"t{number}") for number in range(101)]
    assert_problem(
        shared_hub.get("/events", params=names, headers=headers), 400, "parameter-invalid", parameter="topic")


def test_a_hundred_topics_fit_one_request(shared_hub, topic):
    target = "/events?" + "&".join(f"topic={topic}.{number}" for number in range(100))
    with EventStream(shared_hub.port, target) as stream:
        stream.wait_for_comment()
        shared_hub.post(f"{topic}.99", "last")
        assert stream.next().data == "last"


@pytest.mark.parametrize("id", ["nothing", "0", "a-b", "zzzz-1", "%F0%9F%92%A9", "1-99999999999999999999999", "x" * 500])
def test_an_event_that_there_is_not(shared_hub, topic, id):
    shared_hub.post(topic)
    assert_problem(shared_hub.get(f"/topics/{topic}/events/{id}"), 404, "event-unknown")


def test_an_event_of_another_topic(shared_hub, topic):
    receipt = shared_hub.post(topic)
    assert_problem(shared_hub.get(f"/topics/{topic}.other/events/{receipt['id']}"), 404, "event-unknown")


# Pages of other origins

@pytest.mark.parametrize("method, path", [
    ("POST", "/topics/a/events"), ("POST", "/observers"), ("PUT", "/observers/a"), ("PATCH", "/observers/a"),
    ("DELETE", "/observers/a"), ("DELETE", "/topics/a/observers")])
@pytest.mark.parametrize("origin", ["https://example.com", "null", "http://localhost", "http://127.0.0.1:1"])
def test_a_page_of_another_origin_changes_nothing(shared_hub, method, path, origin):
    response = shared_hub.request(method, path, data=b"{}", headers={"Origin": origin})
    assert_problem(response, 403, "origin-refused")
    assert "Access-Control-Allow-Origin" not in response.headers


FOREIGN_PAGES = [
    {"Origin": "https://example.com"}, {"Origin": "null"}, {"Origin": "http://127.0.0.1:1"},
    # An image, or a fetch without CORS, has no Origin.
    {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}]


@pytest.mark.parametrize("headers", FOREIGN_PAGES)
def test_a_page_of_another_origin_ends_no_stream_by_taking_its_name(shared_hub, topic, headers):
    with shared_hub.stream(topic, query=f"observer={topic}") as stream:
        for path in (f"/topics/{topic}/events", f"/topics/{topic}x/events", "/events"):
            query = {"observer": topic} | ({"topic": topic} if path == "/events" else {})
            response = shared_hub.get(path, params=query, headers={"Accept": "text/event-stream", **headers})
            assert_problem(response, 403, "origin-refused")
        shared_hub.post(topic, "still here")
        assert stream.next().data == "still here"
    # A stream without a name takes nothing from anybody.
    with shared_hub.stream(topic, headers=headers):
        pass


@pytest.mark.parametrize("headers", [{}, {"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "none"}, {"Origin": "own"}])
def test_a_page_of_the_hubs_own_origin_takes_its_own_name_again(shared_hub, topic, headers):
    headers = {name: shared_hub.url if value == "own" else value for name, value in headers.items()}
    with shared_hub.stream(topic, query=f"observer={topic}") as first:
        with shared_hub.stream(topic, query=f"observer={topic}", headers=headers) as second:
            assert first.read_to_end() == []
            assert second.observer_id == topic


@pytest.mark.parametrize("site", ["cross-site", "same-site", "nonsense"])
def test_a_browser_that_names_no_origin_changes_nothing_across_sites(shared_hub, topic, site):
    response = shared_hub.request("POST", f"/topics/{topic}/events", data=b"x", headers={"Sec-Fetch-Site": site})
    assert_problem(response, 403, "origin-refused", parameter="Sec-Fetch-Site")


def test_a_page_of_the_hubs_own_origin_may_post(shared_hub, topic):
    shared_hub.post(topic, "x", headers={"Origin": shared_hub.url})
    assert len(shared_hub.history(topic)) == 1


def test_no_other_origin_may_read(shared_hub, topic):
    for accept in ("application/json", "text/event-stream"):
        with RawConnection(shared_hub.port) as connection:
            connection.send(request(
                "GET", f"/topics/{topic}/events", {"Accept": accept, "Origin": "https://example.com"}))
            head = connection.socket.recv(4096).lower()
            assert b"access-control-allow-origin" not in head


# Names

@pytest.mark.parametrize("segment", [
    "%00", "a%00b", "a%20b", "%09", "a%0Ab", "a%0D%0AX-Injected:%201", "%7F", "%C2%85", "%E2%80%A8", "%C2%A0", ".", "..", "%2E", "%2e%2E",
    "orders.*", "orders.**", "*", "a*b", "x" * 256, "%C3%A9" * 128])
def test_a_name_that_no_topic_can_have(shared_hub, segment):
    response = exchange(shared_hub.port, request("POST", f"/topics/{segment}/events", body=b"x"))
    assert_problem(response, 400, "topic-invalid")
    assert "x-injected" not in response.headers


@pytest.mark.parametrize("segment", ["orders.**.created", "**.a", "a*b", "a.b*", "***", "a.***", "a%20*"])
def test_a_pattern_that_is_none(shared_hub, segment):
    for accept in ("text/event-stream", "application/json"):
        response = exchange(shared_hub.port, request("GET", f"/topics/{segment}/events", {"Accept": accept}))
        assert_problem(response, 400, "pattern-invalid")


def test_an_empty_topic_is_no_topic(shared_hub):
    response = exchange(shared_hub.port, request("POST", "/topics//events", body=b"x"))
    assert response.status in (400, 404)


@pytest.mark.parametrize("target", [
    "/topics/%/events", "/topics/%2/events", "/topics/%zz/events", "/topics/a%2/events", "/topics/%FF/events",
    "/topics/%C3%28/events", "/topics/%ED%A0%80/events", "/topics/%C0%AF/events", "/%"])
def test_escapes_that_decode_to_no_text(shared_hub, target):
    response = exchange(shared_hub.port, request("POST", target, body=b"x"))
    assert_problem(response, 400, "target-invalid")


@pytest.mark.parametrize("method, target, parameter", [
    ("POST", "/topics/a/events?type=%zz", "type"), ("POST", "/topics/a/events?a=b&type=%FF", "type"),
    ("GET", "/events?topic=%FF", "topic"), ("GET", "/topics/a/events?limit=%", "limit")])
def test_a_parameter_that_decodes_to_no_text(shared_hub, method, target, parameter):
    response = exchange(shared_hub.port, request(method, target, body=b"x" if method == "POST" else b""))
    assert_problem(response, 400, "target-invalid", parameter=parameter)


@pytest.mark.parametrize("name, segment", [
    ("a/b", "a%2Fb"), ("https://example.com/books/1", "https%3A%2F%2Fexample.com%2Fbooks%2F1"), ("a%2Fb", "a%252Fb"),
    ("a+b", "a+b"), ("a&b=c?d#e", "a%26b%3Dc%3Fd%23e"), ("grüße.日本", "gr%C3%BC%C3%9Fe.%E6%97%A5%E6%9C%AC"),
    ("...", "..."), (".a", ".a"), ("a..b", "a..b"), ("\\", "%5C"), ('"<>', "%22%3C%3E")])
def test_an_escaped_name_stays_one_segment_and_is_decoded_once(shared_hub, name, segment):
    response = exchange(shared_hub.port, request("POST", f"/topics/{segment}/events", body=b"x"))
    assert response.status == 201
    assert response.json()["topic"] == name
    event = exchange(shared_hub.port, request("GET", response.headers["location"]))
    assert (event.status, event.body) == (200, b"x")
    [found] = [event for event in shared_hub.history(name) if event["id"] == response.json()["id"]]
    assert found["topic"] == name


def test_a_name_of_255_bytes_is_not_too_long(shared_hub):
    for name in ("x" * 255, "é" * 127 + "x"):
        assert shared_hub.post(name)["topic"] == name


@pytest.mark.parametrize("type", ["a%0Aid: 1", "a%0Db", "%00", "a%00", "x" * 129])
def test_a_type_that_no_event_can_have(shared_hub, topic, type):
    response = exchange(
        shared_hub.port, request("POST", f"/topics/{topic}/events?type={type.replace(' ', '%20')}", body=b"x"))
    assert_problem(response, 400, "event-type-invalid", parameter="type")
    assert shared_hub.history(topic) == []


def test_a_type_in_the_header_that_is_too_long(shared_hub, topic):
    response = shared_hub.request("POST", f"/topics/{topic}/events", data=b"x", headers={"Event-Type": "x" * 129})
    assert_problem(response, 400, "event-type-invalid", parameter="Event-Type")


def post_raw(hub, topic, *fields, body=b"x"):
    """Posts with fields that are given in bytes."""
    head = b"POST /topics/" + topic.encode() + b"/events HTTP/1.1\r\nHost: localhost\r\n" + b"".join(
        field + b"\r\n" for field in (*fields, b"Content-Length: %d" % len(body)))
    return exchange(hub.port, head + b"\r\n" + body)


CLOUD_EVENT = (b"ce-specversion: 1.0", b"ce-id: 1", b"ce-source: /s", b"ce-type: t")


@pytest.mark.parametrize("fields, code, parameter", [
    ((b"Event-Type: caf\xe9",), "event-type-invalid", "Event-Type"),
    ((b"Content-Type: text/caf\xe9",), "parameter-invalid", "Content-Type"),
    ((b"Idempotency-Key: caf\xe9",), "idempotency-key-invalid", "Idempotency-Key"),
    ((*CLOUD_EVENT, b"ce-subject: caf\xe9"), "cloudevent-invalid", "ce-subject"),
    ((*CLOUD_EVENT, b'ce-subject: "caf\xe9"'), "cloudevent-invalid", "ce-subject")])
def test_a_field_that_is_not_utf_8_is_not_stored_as_something_else(shared_hub, topic, fields, code, parameter):
    assert_problem(post_raw(shared_hub, topic, *fields), 400, code, parameter=parameter)
    assert shared_hub.history(topic) == []


def test_utf_8_in_fields_is_kept(shared_hub, topic):
    fields = ("Event-Type: café".encode(), "Content-Type: text/café".encode())
    assert post_raw(shared_hub, topic, *fields).status == 201
    [event] = shared_hub.history(topic)
    assert (event["type"], event["contentType"]) == ("café", "text/café")


@pytest.mark.parametrize("type", ["text/" + "x" * 251, "text/" + "é" * 126, "text/plain;\ta=b", "text/\x7f"])
def test_a_content_type_that_could_not_be_given_back(shared_hub, topic, type):
    for fields in ((), CLOUD_EVENT):
        response = post_raw(shared_hub, topic, *fields, b"Content-Type: " + type.encode())
        assert_problem(response, 400, "parameter-invalid", parameter="Content-Type")
    assert shared_hub.history(topic) == []


@pytest.mark.parametrize("body, reason", [
    (b"[" * 40 + b"]" * 40, "32 levels"), (b'{"retention": 1e400}', "64-bit"), (b'{"a": "\\ud800"}', "surrogate"),
    (b'{"a": 1, "a": 2}', "two members"), (b"{", "not valid JSON")])
def test_why_a_body_is_not_taken_as_json(shared_hub, topic, body, reason):
    problem = assert_problem(shared_hub.request("PUT", f"/topics/{topic}", data=body), 400, "body-invalid")
    assert reason in problem["detail"]


@pytest.mark.parametrize("body, reason", [
    (b"[" * 65 + b"]" * 65, "64 levels"), (b"1e400", "64-bit"), (b'"\\udc00"', "surrogate"), (b"{", "not valid JSON")])
def test_why_a_line_is_not_taken_as_json(shared_hub, topic, body, reason):
    response = shared_hub.request(
        "POST", f"/topics/{topic}/events", data=b"1\n" + body, headers={"Content-Type": "application/x-ndjson"})
    problem = assert_problem(response, 400, "body-invalid", pointer="/1")
    assert reason in problem["detail"] and "Line 2 " in problem["detail"]


def test_a_stream_under_a_name_that_is_none(shared_hub, topic):
    response = shared_hub.get(f"/topics/{topic}/events?observer=a!", headers={"Accept": "text/event-stream"})
    assert_problem(response, 400, "observer-id-invalid", parameter="observer")
    assert_problem(shared_hub.get("/observers/a!"), 400, "observer-id-invalid", parameter="id")


# Beyond HTTP

def garbage():
    source = random.Random(20)
    yield b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + source.randbytes(500)
    yield b"\0" * 4096
    yield b"\r\n\r\n\r\n\r\n" + b"\n" * 1000
    yield b"GET\r\n\r\n"
    yield b"GET /\r\n\r\n"
    yield b"GET / HTTP/9.9\r\n\r\n"
    yield b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    yield b"GET / HTTP/1.1\r\nNo colon here\r\n\r\n"
    yield b"GET / HTTP/1.1\r\nHost: localhost\r\n folded: b\r\n\r\n"
    yield b"GET / HTTP/1.1\r\n: no name\r\nHost: localhost\r\n\r\n"
    yield b"GET / HTTP/1.1\nHost: localhost\n\n"
    yield b"GET / HTTP/1.1\rHost: localhost\r\r"
    yield b"G\x00T / HTTP/1.1\r\nHost: localhost\r\n\r\n"
    yield b"GET /\x00/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    yield b"GET /a b c HTTP/1.1\r\nHost: localhost\r\n\r\n"
    yield b"GET http:// HTTP/1.1\r\nHost: localhost\r\n\r\n"
    yield b"GET nothing HTTP/1.1\r\nHost: localhost\r\n\r\n"
    yield b"CONNECT example.com:443 HTTP/1.1\r\nHost: localhost\r\n\r\n"
    yield b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n"
    yield b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + bytes(range(128, 256)) + b"\r\n\r\n"
    for length in (b"-1", b"abc", b"1e3", b"0x10", b"99999999999999999999999", b"+5", b"5 5", b""):
        yield b"POST /topics/garbage/events HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + length + b"\r\n\r\nhello"
    for chunks in (b"zz\r\nhello\r\n0\r\n\r\n", b"-5\r\nhello\r\n0\r\n\r\n", b"ffffffffffffffffff\r\nhello", b"5\r\nhello-0\r\n",
                   b"5;" + b"x" * 20000 + b"\r\nhello\r\n0\r\n\r\n"):
        yield b"POST /topics/garbage/events HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks
    yield b"POST /topics/garbage/events HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\nhello"
    for _ in range(60):
        yield source.randbytes(source.randrange(1, 3000)) + b"\r\n\r\n"
    whole = request("POST", "/topics/garbage/events?type=x", {"Event-Type": "y", "Content-Type": "a/b"}, b"hello")
    for _ in range(200):
        broken = bytearray(whole)
        for _ in range(source.randrange(1, 4)):
            broken[source.randrange(len(broken))] = source.randrange(256)
        yield bytes(broken)


def test_garbage_does_no_harm(shared_hub):
    connections = []
    for data in garbage():
        connection = RawConnection(shared_hub.port)
        connections.append((data, connection))
        connection.send(data)
    assert shared_hub.get("/healthz").status_code == 200
    answered = 0
    for data, connection in connections:
        try:
            # What is missing never comes.
            connection.finish_sending()
            connection.socket.settimeout(0.2)
            while response := connection.receive():
                assert response.status < 500 or response.status in OF_MALFORMED_REQUESTS, (data, response)
                answered += 1
        except OSError:
            # Cut off, or the hub waits for the rest of what looks like the beginning of a request.
            pass
        connection.close()
        assert shared_hub.process.poll() is None, f"it ended at {data!r}"
    assert answered > 100


@pytest.mark.parametrize("headers", [
    {"Content-Length": "5", "Transfer-Encoding": "chunked"}, {"Transfer-Encoding": "gzip, chunked"},
    {"Transfer-Encoding": "xchunked"},
    # The sign for kelvins, a `k` in Unicode's lower case.
    {"Transfer-Encoding": "chun\u212aed".encode().decode("latin-1")}])
def test_a_body_whose_end_is_ambiguous_is_refused_and_the_connection_closed(shared_hub, topic, headers):
    smuggled = request("POST", f"/topics/{topic}/events", body=b"smuggled")
    with RawConnection(shared_hub.port) as connection:
        connection.send(request("POST", f"/topics/{topic}/events", headers, b"0\r\n\r\n" + smuggled))
        response = connection.receive()
        assert response is None or response.status == 400
        assert connection.is_closed()
    assert shared_hub.history(topic) == []


def test_two_lengths_that_differ_are_refused(shared_hub, topic):
    data = (f"POST /topics/{topic}/events HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\n").encode()
    with RawConnection(shared_hub.port) as connection:
        connection.send(data + b"hello")
        response = connection.receive()
        assert response is None or response.status == 400
        assert connection.is_closed()
    assert shared_hub.history(topic) == []


@pytest.mark.parametrize("data", [
    b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET /healthz?" + b"a=b&" * 30_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 100_000 + b"\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + b"X: a\r\n" * 20_000 + b"\r\n",
    b"A" * 100_000 + b" /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"], ids=["path", "query", "field", "many fields", "method"])
def test_a_head_that_is_too_large_is_refused(shared_hub, data):
    with RawConnection(shared_hub.port) as connection:
        connection.send(data)
        response = connection.receive()
    assert response is None or response.status in OF_MALFORMED_REQUESTS, response


#: A connection has 8 KiB for the head of the request and that of the answer. Where a head leaves less than even a
#: refusal needs, libmicrohttpd closes. No more than that may go unanswered, and nothing of it may be carried out.
UNANSWERED = 256


def answers_by_size(port, method, target, headers=None, body=b""):
    """The status of the answer to a head of each size around the bound; None where there was none."""
    answers = {}
    for filling in (*range(200, 6500, 97), *range(6500, 8600, 16)):
        data = request(method, target, {**(headers or {}), "X": "a" * filling}, body)
        with RawConnection(port) as connection:
            connection.send(data)
            piece = connection.socket.recv(4096)
            answers[len(data) - len(body)] = int(piece.split(b" ")[1]) if piece else None
    return answers


def assert_answered(answers, success):
    assert set(answers.values()) <= {success, 431, None}
    unanswered = [size for size, status in answers.items() if status is None]
    assert not unanswered or max(unanswered) - min(unanswered) <= UNANSWERED
    taken = [size for size, status in answers.items() if status == success]
    assert max(taken) > 6500, "most of the memory is the client's"
    # Once too large, always too large.
    assert all(status != success for size, status in answers.items() if size > max(taken))


@pytest.mark.parametrize("path, status", [("/healthz", 200), ("/nothing", 404), ("/observers", 200), ("/topics/a/events", 200)])
def test_a_head_of_any_size_is_answered(shared_hub, path, status):
    assert_answered(answers_by_size(shared_hub.port, "GET", path), status)


def test_a_post_with_a_head_of_any_size_is_answered_or_not_stored(shared_hub, topic):
    answers = answers_by_size(shared_hub.port, "POST", f"/topics/{topic}/events", body=b"x")
    assert_answered(answers, 201)
    assert len(shared_hub.history(topic)) == list(answers.values()).count(201)


def test_a_stream_opens_whatever_the_size_of_its_request(shared_hub, topic):
    answers = answers_by_size(shared_hub.port, "GET", f"/topics/{topic}/events", {"Accept": "text/event-stream"})
    assert_answered(answers, 200)


#: As long as an event's own can be, each.
LONGEST = {"Event-Type": "\U0001f600" * 128, "Content-Type": "text/" + "x" * 250, "Request-Id": "x" * 128}


def answers_beside_a_cookie(port, method, target, headers, body=b""):
    """The status of the answer beside a cookie of each size around the bound; None where there was none."""
    answers = {}
    for filling in range(2000, 7600, 8):
        # Encoded by hand: `request` would write what is beyond Latin-1 as question marks.
        fields = {"Host": "localhost", "Cookie": "a=" + "b" * filling, **headers}
        if body:
            fields["Content-Length"] = str(len(body))
        head = f"{method} {target} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        with RawConnection(port) as connection:
            connection.send(head.encode() + b"\r\n" + body)
            piece = connection.socket.recv(4096)
            answers[filling] = int(piece.split(b" ")[1]) if piece else None
    return answers


def assert_answered_beside_a_cookie(answers, success):
    assert set(answers.values()) <= {success, 431, None}
    assert success in answers.values() and 431 in answers.values()
    # Of a request that fits, none goes unanswered; of one that does not, a refusal may not fit either.
    unanswered = [size for size, status in answers.items() if status is None]
    refused = [size for size, status in answers.items() if status == 431]
    assert not unanswered or min(refused) < min(unanswered)


def test_the_longest_event_is_read_or_refused_whatever_the_cookies(shared_hub, topic):
    receipt = post_raw(shared_hub, topic, *(f"{name}: {value}".encode() for name, value in LONGEST.items())).json()
    for target in (f"/topics/{topic}/value", f"/topics/{topic}/events/{receipt['id']}"):
        answers = answers_beside_a_cookie(shared_hub.port, "GET", target, {"Request-Id": LONGEST["Request-Id"]})
        assert_answered_beside_a_cookie(answers, 200)


def test_the_longest_post_is_answered_or_not_stored_whatever_the_cookies(shared_hub):
    name = "\U0001f600" * 63 + uuid.uuid4().hex[:3]
    answers = answers_beside_a_cookie(
        shared_hub.port, "PUT", f"/topics/{quote(name)}/value", {"Request-Id": LONGEST["Request-Id"]}, b"x")
    assert_answered_beside_a_cookie(answers, 201)
    assert len(shared_hub.history(name)) == list(answers.values()).count(201)


def test_a_page_with_a_long_link_is_answered_or_refused(shared_hub, topic):
    shared_hub.post(topic, "1")
    shared_hub.post(topic, "2")
    answers = {}
    for length in range(1000, 6500, 25):
        target = f"/topics/{topic}/events?limit=1&_y=&_x={'a' * length}"
        with RawConnection(shared_hub.port) as connection:
            connection.send(request("GET", target))
            answers[length] = connection.receive()
    assert {answer.status for answer in answers.values()} == {200, 431}
    for length, answer in answers.items():
        assert answer.status == 431 or f"_x={'a' * length}&after=" in answer.headers["link"]
    assert answers[2000].status == 200


@pytest.mark.parametrize("kind", ["fields", "parameters", "cookies"])
def test_many_small_things_are_answered(shared_hub, kind):
    unanswered = []
    for count in (*range(1, 90, 11), *range(90, 130), 300, 1000):
        target = "/healthz" + ("?" + "_=b&" * count if kind == "parameters" else "")
        fields = {"fields": "X: a\r\n" * count, "cookies": "Cookie: " + "a=b; " * count + "\r\n"}.get(kind, "")
        response = exchange(shared_hub.port, f"GET {target} HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n".encode(), timeout=5)
        if response is None:
            unanswered.append(count)
        else:
            assert response.status in ((200,) if count < 90 else (200, 400, 414, 431)), (count, response)
    # libmicrohttpd keeps a record of some 70 bytes for each.
    assert not unanswered or max(unanswered) - min(unanswered) <= UNANSWERED // 64


@pytest.mark.measured
def test_connections_that_dawdle_hold_up_nobody(shared_hub, topic, figure):
    head = request("POST", f"/topics/{topic}/events", {"Content-Length": "10"})
    dawdlers = [RawConnection(shared_hub.port) for _ in range(300)]
    try:
        longest = 0
        for position in range(12):
            for number, dawdler in enumerate(dawdlers):
                # A byte now and then, each connection at another place of the same request.
                dawdler.send(head[position + number % 20:][:1] if position else head[:number % 20 + 1])
            began = time.monotonic()
            shared_hub.post(f"{topic}.prompt", "x")
            longest = max(longest, time.monotonic() - began)
        figure(f"{longest * 1000:.1f} ms at most for a post beside 300 unfinished requests")
        figure.at_most(longest, 2, "the longest post, in seconds,")
    finally:
        for dawdler in dawdlers:
            dawdler.close()
    assert shared_hub.history(topic) == []


def test_a_post_that_breaks_off_is_not_stored(shared_hub, topic):
    for sent in (0, 1, 50, 99):
        with RawConnection(shared_hub.port) as connection:
            connection.send(request("POST", f"/topics/{topic}/events", {"Content-Length": "100"}, b"x" * sent))
    with RawConnection(shared_hub.port) as connection:
        connection.send(request("POST", f"/topics/{topic}/events", {"Transfer-Encoding": "chunked"}, b"5\r\nhello\r\n"))
    shared_hub.post(topic, "whole")
    assert [event["data"] for event in shared_hub.history(topic)] == ["whole"]


def test_pipelined_requests_are_answered_in_order(shared_hub, topic):
    with RawConnection(shared_hub.port) as connection:
        data = b"".join(
            request("POST", f"/topics/{topic}/events", body=str(number).encode()) + request("GET", "/nothing")
            for number in range(50))
        connection.send(data + request("GET", f"/topics/{topic}/events"))
        ids = []
        for _ in range(50):
            posted = connection.receive()
            assert posted.status == 201
            ids.append(posted.json()["id"])
            assert_problem(connection.receive(), 404, "route-unknown")
        events = connection.receive().json()["events"]
    assert [event["id"] for event in events] == ids
    assert [event["data"] for event in events] == [str(number) for number in range(50)]


def test_a_request_after_a_stream_on_the_same_connection_is_not_answered(shared_hub, topic):
    with RawConnection(shared_hub.port) as connection:
        stream = request("GET", f"/topics/{topic}/events", {"Accept": "text/event-stream"})
        connection.send(stream + request("POST", f"/topics/{topic}/events", body=b"x"))
        shared_hub.wait_for_observers(1, topic=topic)
    shared_hub.wait_for_observers(0, topic=topic)
    assert shared_hub.history(topic) == []


def test_a_request_one_byte_at_a_time(shared_hub, topic):
    with RawConnection(shared_hub.port) as connection:
        for byte in request("POST", f"/topics/{topic}/events", {"Event-Type": "slow"}, b"hello"):
            connection.send(bytes([byte]))
        assert connection.receive().status == 201
    assert [event["data"] for event in shared_hub.history(topic)] == ["hello"]


def test_http_1_0(shared_hub, topic):
    with RawConnection(shared_hub.port) as connection:
        connection.send(request("POST", f"/topics/{topic}/events", body=b"old", version="HTTP/1.0"))
        assert connection.receive().status == 201
        assert connection.is_closed()


def test_clients_that_leave_before_the_answer(shared_hub, topic):
    def hurry(number):
        for _ in range(50):
            connection = RawConnection(shared_hub.port)
            connection.send(request("POST", f"/topics/{topic}/events", body=b"x" * number))
            connection.close()

    threads = [threading.Thread(target=hurry, args=(size,)) for size in (1, 100, 10_000, 100_000)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # What they sent whole may be stored, also after they left; it is whole.
    shared_hub.post(topic, "end")
    for event in shared_hub.history(topic):
        assert event["data"] in ("end", *("x" * size for size in (1, 100, 10_000, 100_000)))


def test_more_connections_than_are_used_to(shared_hub):
    connections = [socket.create_connection(("127.0.0.1", shared_hub.port), timeout=10) for _ in range(500)]
    try:
        assert shared_hub.get("/healthz").status_code == 200
    finally:
        for connection in connections:
            connection.close()
