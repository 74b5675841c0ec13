"""A hub that is known by another URL than the one it listens at: `--public-url`."""

import re
import uuid
from urllib.parse import quote

import pytest

from hub_process import events_path
from problems import assert_problem
from raw_http import exchange, request
from test_errors import LONGEST, answers_beside_a_cookie, assert_answered_beside_a_cookie
from test_serving import refusal
from waiting import wait_until

PUBLIC = "https://hub.example/clarion"


@pytest.fixture(scope="module")
def hub(start_shared_hub):
    return start_shared_hub("--public-url", "HTTPS://hub.example:443/clarion/", "--durability", "process")


def test_locations_and_links_are_below_it(hub, topic):
    posted = hub.request("POST", events_path(topic), data=b"1")
    assert posted.headers["Location"] == f"{PUBLIC}/topics/{topic}/events/{posted.json()['id']}"
    put = hub.request("PUT", f"/topics/{topic}/value", data=b"2")
    assert put.headers["Location"] == f"{PUBLIC}/topics/{topic}/events/{put.json()['id']}"
    page = hub.get(f"{events_path(topic)}?limit=1&access_token=secret")
    assert page.headers["Link"] == f'<{PUBLIC}/topics/{topic}/events?limit=1&after={posted.json()["id"]}>; rel="next"'
    page = hub.get(f"/events?topic={topic}&limit=1&_x=")
    assert page.headers["Link"].startswith(f"<{PUBLIC}/events?topic={topic}&limit=1&_x=&after=")
    registered = hub.request("POST", "/observers", json={"topics": [topic], "url": "https://example.com/"})
    assert registered.headers["Location"] == f"{PUBLIC}/observers/{registered.json()['id']}"
    hub.request("DELETE", f"/observers/{registered.json()['id']}")


def test_a_credential_in_the_query_is_not_repeated_in_a_link(shared_hub, topic):
    for _ in range(2):
        shared_hub.post(topic, "x")
    link = shared_hub.get(f"{events_path(topic)}?limit=1&access_token=secret").headers["Link"]
    assert re.fullmatch(r'<\?limit=1&after=[^&>]+>; rel="next"', link)


@pytest.mark.parametrize("message, code", [
    (request("GET", "/nothing"), "route-unknown"),
    (request("GET", "/topics?x=1"), "parameter-unknown"),
    (request("POST", "/topics/a*/events", body=b"x"), "topic-invalid"),
    (request("GET", "/topics/a/events/unknown"), "event-unknown"),
    (request("PUT", "/topics"), "method-not-allowed"),
    (request("POST", "/topics/a/events", {"Content-Length": str(1 << 21), "Expect": "100-continue"}), "body-too-large"),
    (request("GET", "/", {"Host": "attacker.example"}), "host-unknown"),
    (b"GET / HTTP/1.1\r\nHost: localhost\r\nA : b\r\n\r\n", "request-malformed"),
    (b"GET / HTTP/1.1\r\nHost: a b\r\n\r\n", "host-invalid"),
    (b"GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n", "target-invalid"),
    (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 20_000 + b"\r\n\r\n", "headers-too-large"),
    (b"GET / HTTP/3.1\r\nHost: localhost\r\n\r\n", "version-unsupported"),
])
def test_the_type_of_every_problem_leads_below_it(hub, message, code):
    problem = exchange(hub.port, message).json()
    assert (problem["code"], problem["type"]) == (code, f"{PUBLIC}/errors#{code}")


def test_its_origin_and_its_name_are_the_hubs_own(hub, topic):
    # As a proxy sends it that does not tell what it was asked.
    own = {"Origin": "https://hub.example", "Sec-Fetch-Site": "same-origin"}
    assert hub.request("POST", events_path(topic), data=b"x", headers=own).status_code == 201
    for origin in ["http://hub.example", "https://hub.example:8443", "https://hub.example/clarion", "https://other.example"]:
        refused = hub.request("POST", events_path(topic), data=b"x", headers={"Origin": origin})
        assert_problem_below(refused, 403, "origin-refused")
    # A page of another application of that host is of the same origin; one of another name on this machine is not.
    assert exchange(hub.port, request("GET", "/healthz", {"Host": "Hub.example"})).status == 200
    assert exchange(hub.port, request("GET", "/healthz", {"Host": "hub.example:8443"})).status == 200
    for host in ["hub.example.", "other.example", "10.0.0.1"]:
        assert exchange(hub.port, request("GET", "/healthz", {"Host": host})).status == 421
    assert exchange(hub.port, request("GET", "/healthz", {"Host": "localhost"})).status == 200


def assert_problem_below(response, status, code):
    assert (response.status_code, response.json()["type"]) == (status, f"{PUBLIC}/errors#{code}")


def test_it_closes_no_name_out_where_all_were_answered_to(start_hub):
    hub = start_hub("--host", "0.0.0.0", "--open", "--public-url", PUBLIC)
    assert exchange(hub.port, request("GET", "/healthz", {"Host": "10.0.0.5:8080"})).status == 200


def test_a_post_that_is_stored_is_answered_however_long_the_url(start_hub):
    hub = start_hub("--public-url", "https://hub.example/" + "a" * 490, "--durability", "process")
    name = "\U0001f600" * 63 + uuid.uuid4().hex[:3]
    answers = answers_beside_a_cookie(
        hub.port, "PUT", f"/topics/{quote(name)}/value", {"Request-Id": LONGEST["Request-Id"]}, b"x")
    assert_answered_beside_a_cookie(answers, 201)
    assert len(hub.history(name)) == list(answers.values()).count(201)


@pytest.mark.parametrize("url", ["hub.example", "https://hub.example?x", "https://u@hub.example", "https://hub.example/../x", ""])
def test_what_is_no_such_url_is_refused_at_the_start(clarion, url):
    assert refusal(clarion("serve", "--port", "0", "--public-url", url), "public-url") == 64


def test_it_comes_from_the_environment_too(start_hub):
    hub = start_hub(environment={"CLARION_PUBLIC_URL": PUBLIC})
    assert hub.get("/nothing").json()["type"] == f"{PUBLIC}/errors#route-unknown"


def test_the_start_tells_where_the_console_is_then(hub):
    wait_until(lambda: f"  console  {PUBLIC}/\n" in hub.announcement, what="the announcement")


def test_without_it_nothing_is_absolute(shared_hub, topic):
    posted = shared_hub.request("POST", events_path(topic), data=b"1")
    assert posted.headers["Location"] == f"/topics/{topic}/events/{posted.json()['id']}"
    assert_problem(shared_hub.get("/nothing"), 404, "route-unknown")
