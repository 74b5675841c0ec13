"""From where a hub may be used: the names it answers to, and the origins whose web pages may read and change."""

import re

import pytest

from credentials import CredentialsFile, ask, grant
from event_stream import EventStream
from hub_process import events_path
from openapi_document import routes
from problems import assert_problem
from raw_http import RawConnection, exchange, request

APP = "https://app.example"
OTHER = "https://other.example"
PREFLIGHT = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type, ce-id"}


def asked_as(hub, host, target="/healthz", method="GET"):
    return exchange(hub.port, request(method, target, {"Host": host}))


@pytest.mark.parametrize("host", [
    "localhost", "LocalHost:1", "127.0.0.1", "127.0.0.1:80", "127.255.0.9:65535", "[::1]", "[::1]:8080",
])
def test_a_local_hub_answers_to_names_that_nobody_else_can_have(shared_hub, host):
    assert asked_as(shared_hub, host).status == 200


@pytest.mark.parametrize("host", [
    "attacker.example", "attacker.example:8080", "localhost.attacker.example", "127.0.0.1.attacker.example",
    "localhost.", "10.0.0.1", "128.0.0.1", "0.0.0.0", "127.0.0", "127.0.0.256", "127.1", "127.0.0.1.", "2130706433",
    "[::]", "[::2]", "[::ffff:127.0.0.1]", "xlocalhost", "local%68ost",
])
@pytest.mark.parametrize("method, target", [("GET", "/healthz"), ("POST", "/topics/a/events"), ("OPTIONS", "/topics"),
                                            ("GET", "/"), ("DELETE", "/nothing"), ("HEAD", "/topics/a/events")])
def test_a_local_hub_answers_to_no_other_name(shared_hub, host, method, target):
    with RawConnection(shared_hub.port) as connection:
        connection.send(request(method, target, {"Host": host}))
        response = connection.receive(body_follows=method != "HEAD")
    if method == "HEAD":
        assert response.status == 421
    else:
        assert_problem(response, 421, "host-unknown", parameter="Host")


def test_the_host_that_a_target_names_counts(shared_hub):
    """RFC 9112 section 3.2.2"""
    for target, host, status in [
            ("http://attacker.example/healthz", "localhost", 421), ("http://localhost/healthz", "attacker.example", 200),
            ("http://127.0.0.1:1/healthz", "localhost", 200), ("HTTP://Attacker.Example:80/", "127.0.0.1", 421)]:
        with RawConnection(shared_hub.port) as connection:
            connection.send(request("GET", target, {"Host": host}))
            assert connection.receive().status == status, target


def test_names_can_be_added(start_hub):
    hub = start_hub("--allow-host", "hub.example", "--allow-host", "10.0.0.7", environment={})
    for host in ["hub.example", "HUB.Example:443", "10.0.0.7:80", "localhost"]:
        assert asked_as(hub, host).status == 200
    for host in ["hub.example.", "a.hub.example", "10.0.0.70"]:
        assert asked_as(hub, host).status == 421


def test_elsewhere_names_are_checked_once_there_are_some(start_hub):
    everywhere = ("--host", "0.0.0.0", "--open")
    assert asked_as(start_hub(*everywhere), "whatever.example").status == 200
    hub = start_hub(*everywhere, "--allow-host", "hub.example")
    assert asked_as(hub, "hub.example").status == 200
    assert asked_as(hub, "whatever.example").status == 421


def test_a_client_of_http_1_0_needs_no_host(shared_hub):
    assert exchange(shared_hub.port, b"GET /healthz HTTP/1.0\r\n\r\n").status == 200


@pytest.mark.parametrize("options", [
    ["--allow-host", "hub.example:80"], ["--allow-host", "http://hub.example"], ["--allow-host", "a/b"],
    ["--allow-origin", "app.example"], ["--allow-origin", "https://app.example/"], ["--allow-origin", "null"],
    ["--allow-origin", "ftp://app.example"], ["--allow-origin", "https://u@app.example"],
])
def test_names_and_origins_that_cannot_be_read_are_refused_at_the_start(start_hub, options):
    with pytest.raises(Exception, match=options[0][2:]):
        start_hub(*options)


# Web pages of other origins

ROUTES = routes()


def test_there_are_routes():
    assert ("post", "/topics/{topic}/events") in ROUTES and len(ROUTES) > 20


@pytest.fixture(scope="module")
def sharing_hub(start_shared_hub):
    return start_shared_hub("--allow-origin", APP, "--allow-origin", "HTTP://localhost:80")


@pytest.mark.parametrize("method, path", ROUTES)
def test_every_route_answers_a_preflight(sharing_hub, method, path):
    path = re.sub(r"\{[^}]*\}", "a", path)
    headers = {"Origin": APP, **PREFLIGHT, "Access-Control-Request-Method": method.upper()}
    response = sharing_hub.request("OPTIONS", path, headers=headers)
    assert response.status_code == 204 and response.content == b""
    assert method.upper() in response.headers["Access-Control-Allow-Methods"].split(", ")
    assert response.headers["Access-Control-Allow-Headers"] == "content-type, ce-id"
    assert response.headers["Access-Control-Max-Age"] == "600"
    assert_shared(response)
    # Others are not told anything.
    other = sharing_hub.request("OPTIONS", path, headers=headers | {"Origin": OTHER})
    assert_not_shared(other)


def assert_shared(response, origin=APP):
    assert response.headers["Access-Control-Allow-Origin"] == origin
    assert response.headers["Access-Control-Allow-Credentials"] == "true"
    assert "Origin" in response.headers["Vary"]


def assert_not_shared(response):
    assert [name for name in response.headers if name.lower().startswith("access-control-")] == []
    assert "Origin" in response.headers["Vary"]


def test_an_allowed_page_reads_and_changes(sharing_hub, topic):
    headers = {"Origin": APP, "Sec-Fetch-Site": "cross-site"}
    posted = sharing_hub.request("POST", events_path(topic), data=b"hello", headers=headers)
    assert posted.status_code == 201
    assert_shared(posted)
    exposed = posted.headers["Access-Control-Expose-Headers"].split(", ")
    simple = {"Cache-Control", "Content-Length", "Content-Type", "Date", "Connection"}
    kept = sharing_hub.request("GET", f"/topics/{topic}/value", headers=headers)
    stream = sharing_hub.request("GET", events_path(topic), headers=headers | {"Accept": "text/event-stream"}, stream=True)
    try:
        for response in (posted, kept, stream):
            assert_shared(response)
            ours = {name for name in response.headers if not name.startswith("Access-Control-")} - simple
            # What keeps browsers and proxies in order is for them, not for pages.
            assert ours - set(exposed) <= {"Transfer-Encoding", "X-Accel-Buffering", "X-Content-Type-Options",
                                           "Content-Security-Policy"}
    finally:
        stream.close()


def test_errors_can_be_read_by_an_allowed_page(sharing_hub):
    for response, status in [
        (sharing_hub.request("GET", "/nothing/here", headers={"Origin": APP}), 404),
        (sharing_hub.request("PUT", "/topics", headers={"Origin": APP}), 405),
        (sharing_hub.request("POST", "/topics/a/events", data=b"x" * (1 << 20) + b"x", headers={"Origin": APP}), 413),
        (sharing_hub.request("GET", "/topics?nonsense", headers={"Origin": APP}), 400),
    ]:
        assert response.status_code == status
        assert_shared(response)


def test_another_page_neither_reads_nor_changes(sharing_hub, topic):
    for origin in [OTHER, "null", APP + ".evil.example", APP + ":444", "http://app.example", APP.upper(), APP + "/"]:
        assert_not_shared(sharing_hub.request("GET", events_path(topic), headers={"Origin": origin}))
        refused = sharing_hub.request("POST", events_path(topic), data=b"no", headers={"Origin": origin})
        assert_problem(refused, 403, "origin-refused", parameter="Origin")
        assert_not_shared(refused)
    assert sharing_hub.history(topic) == []


def test_an_origin_is_allowed_as_browsers_write_it(sharing_hub):
    assert_shared(sharing_hub.request("GET", "/topics", headers={"Origin": "http://localhost"}), "http://localhost")


def test_two_origins_are_none(sharing_hub, topic):
    head = f"POST {events_path(topic)} HTTP/1.1\r\nHost: localhost\r\nOrigin: {APP}\r\nOrigin: {OTHER}\r\n"
    response = exchange(sharing_hub.port, f"{head}Content-Length: 1\r\n\r\nx".encode())
    assert_problem(response, 403, "origin-refused")
    assert "Access-Control-Allow-Origin" not in response.headers


def test_any_origin_is_let_in_without_cookies(start_hub, topic):
    hub = start_hub("--allow-origin", "*", "--allow-origin", APP)
    response = hub.request("POST", events_path(topic), data=b"x", headers={"Origin": OTHER, "Sec-Fetch-Site": "cross-site"})
    assert response.status_code == 201
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in response.headers
    assert_shared(hub.request("GET", "/topics", headers={"Origin": APP}))


@pytest.mark.parametrize("page, parameter", [
    ({"Origin": OTHER}, "Origin"), ({"Origin": OTHER, "Sec-Fetch-Site": "cross-site"}, "Origin"),
    ({"Sec-Fetch-Site": "cross-site"}, "Sec-Fetch-Site"), ({"Sec-Fetch-Site": "same-site"}, "Sec-Fetch-Site"),
])
def test_a_page_from_anywhere_ends_no_stream_by_a_visitors_cookie(start_hub, tmp_path, page, parameter):
    """It cannot read the stream that takes the name, but opens it. With a credential of its own it may do both."""
    file = CredentialsFile(tmp_path, {"visitor": grant("a.**")})
    hub = start_hub("--credentials", str(file.path), "--allow-origin", "*")
    cookie = {"Cookie": f"clarion_token={file.keys['visitor']}"}
    with EventStream.of(hub.port, "a.x", query="observer=dash", headers=cookie).wait_for_comment() as stream:
        asked = {"Accept": "text/event-stream", **cookie, **page}
        refused = ask(hub, "GET", "/topics/a.x/events?observer=dash", headers=asked)
        assert_problem(refused, 403, "origin-refused", parameter=parameter)
        assert ask(hub, "POST", "/topics/a.x/events", file.keys["visitor"], data=b"still here").status_code == 201
        assert stream.next().data == "still here"
        own = {"Authorization": f"Bearer {file.keys['visitor']}", **page}
        with EventStream.of(hub.port, "a.x", query="observer=dash", headers=own).wait_for_comment():
            assert stream.read_to_end() == []


def test_what_is_let_in_from_anywhere_is_kept_apart_by_caches(start_hub):
    hub = start_hub("--allow-origin", "*")
    assert "Origin" in hub.request("GET", "/topics").headers["Vary"]
    assert "Origin" in hub.request("GET", "/topics", headers={"Origin": OTHER}).headers["Vary"]


def test_without_allowed_origins_nothing_is_shared(shared_hub):
    response = shared_hub.request("GET", "/topics", headers={"Origin": APP})
    assert "Access-Control-Allow-Origin" not in response.headers and "Vary" not in response.headers
