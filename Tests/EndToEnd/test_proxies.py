"""A hub behind nginx, Caddy and HAProxy, as docs/behind-a-proxy.md configures them."""

import subprocess
import threading
import time

import pytest
import requests

from certificates import Authority
from credentials import CredentialsFile, grant
from documented_proxies import NAMES, DocumentedProxy
from event_stream import EventStreamParser
from hub_process import events_path
from ports import free_port
from waiting import DEADLINE, wait_until


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return CredentialsFile(tmp_path_factory.mktemp("credentials"), {"admin": grant("**")})


@pytest.fixture(scope="module", params=NAMES)
def behind(request, start_shared_hub, authority, file, tmp_path_factory):
    """A proxy before two hubs."""
    port = free_port()
    options = ("--credentials", str(file.path), "--durability", "process", "--trusted-proxy", "127.0.0.1")
    hub = start_shared_hub(*options, "--public-url", f"https://localhost:{port}")
    second = start_shared_hub(*options, "--public-url", f"https://localhost:{port}/clarion")
    proxy = DocumentedProxy(request.param, authority, tmp_path_factory.mktemp("proxy") / "of", port, hub.port, second.port)
    proxy.key = {"Authorization": f"Bearer {file.keys['admin']}"}
    for one in (hub, second):
        one.start_session = lambda one=one: one.session.headers.update(proxy.key)
        one.start_session()
    proxy.hub, proxy.second = hub, second
    yield proxy
    proxy.stop()


def ask(proxy, method, path, **options):
    """A request through the proxy, by HTTP/1.1."""
    options["headers"] = {**proxy.key, **options.get("headers", {})}
    with requests.Session() as session:
        session.trust_env = False
        return session.request(
            method, proxy.url + path, verify=str(proxy.authority.file), timeout=DEADLINE, allow_redirects=False, **options)


class Curl:
    """A stream that curl reads through the proxy."""

    def __init__(self, proxy, path, *options, version="--http2"):
        self.head = []
        self.events = []
        self._parser = EventStreamParser()
        fields = {"Accept": "text/event-stream", **proxy.key}
        self.process = subprocess.Popen(
            ["curl", "-sSNi", version, "--noproxy", "*", "--cacert", str(proxy.authority.file), *options,
             *(word for name, value in fields.items() for word in ("-H", f"{name}: {value}")), proxy.url + path],
            stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.head.append(line.decode().strip())
            if line == b"\r\n":
                break
        for line in self.process.stdout:
            self.events += [(time.monotonic(), event) for event in self._parser.feed(line)]

    def wait_for_comment(self):
        wait_until(lambda: self._parser.comments, what=f"the stream's beginning after {self.head}")
        return self

    def wait_for(self, count):
        return wait_until(lambda: self.events[count - 1:count], what=f"event {count}")[0]

    def __enter__(self):
        return self.wait_for_comment()

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


@pytest.mark.parametrize("version, status", [("--http2", "HTTP/2 200"), ("--http1.1", "HTTP/1.1 200 OK")])
def test_an_event_arrives_at_once(behind, topic, version, status, figure):
    with Curl(behind, events_path(topic), version=version) as stream:
        assert stream.head[0] == status
        delays = []
        for number in range(20):
            began = time.monotonic()
            behind.hub.post(topic, f"event {number}")
            at, event = stream.wait_for(number + 1)
            assert event.data == f"event {number}"
            delays.append(at - began)
        # Whatever waits for a buffer to be filled, or for company, waits for longer.
        figure(f"{sorted(delays)[10] * 1000:.1f} ms from a post to the event through {behind.name} ({status})")
        assert sorted(delays)[10] < 0.1


def test_a_burst_arrives_whole_and_in_order(behind, topic):
    with Curl(behind, events_path(topic)) as stream:
        lines = "".join(f'"{number} {"x" * 1000}"\n' for number in range(1000))
        posted = ask(behind, "POST", events_path(topic), data=lines, headers={"Content-Type": "application/x-ndjson"})
        assert posted.status_code == 201
        stream.wait_for(1000)
        assert [int(event.data[1:].split(" ")[0]) for _, event in stream.events] == list(range(1000))


def test_bodies_are_bounded_by_the_hub(behind, topic):
    assert ask(behind, "POST", events_path(topic), data=b"x" * (1 << 20)).status_code == 201
    assert_problem(ask(behind, "POST", events_path(topic), data=b"x" * ((1 << 20) + 1)), 413, behind)


def assert_problem(response, status, proxy):
    """The problem is the hub's, whose links are below its public URL, and not a page of the proxy's."""
    assert response.status_code == status, response.text
    assert response.json()["type"].startswith(f"{proxy.url}/errors#")


@pytest.mark.parametrize("version", ["--http2", "--http1.1"])
def test_a_client_that_drops_is_noticed(behind, topic, version):
    with Curl(behind, events_path(topic), version=version):
        behind.hub.wait_for_observers(1, topic=topic)
    # Before the hub writes for the next time: that would be after 15 s.
    behind.hub.wait_for_observers(0, topic=topic, deadline=5)


FORGED = ["-H", "X-Forwarded-For: 198.51.100.1", "-H", "Forwarded: for=198.51.100.1;host=forged.example",
          "-H", "X-Forwarded-Host: forged.example", "-H", "X-Forwarded-Proto: http"]


@pytest.mark.parametrize("forged", [[], FORGED], ids=["honest", "forged"])
def test_a_stream_shows_its_clients_own_address(behind, topic, forged):
    with Curl(behind, events_path(topic), "--interface", "127.5.5.5", *forged):
        [stream] = behind.hub.wait_for_observers(1, topic=topic)
        assert stream["remoteAddress"].split(":")[0] == "127.5.5.5"


def test_a_page_of_the_proxys_origin_is_the_hubs_own(behind, topic):
    for origin, status in [(behind.url, 201), (f"http://localhost:{behind.port}", 403), ("https://localhost", 403),
                           ("https://attacker.example", 403)]:
        forged = {"X-Forwarded-Host": "attacker.example", "Forwarded": "host=attacker.example;proto=https"}
        for fields in ({}, forged):
            answer = ask(behind, "POST", events_path(topic), data=b"x", headers={"Origin": origin, **fields})
            assert answer.status_code == status, (origin, fields)


def test_a_name_that_is_not_the_hubs_is_not_answered_to(behind):
    # Caddy answers by itself for a site that it does not have.
    for fields in ({}, {"X-Forwarded-Host": "localhost", "Forwarded": "host=localhost"}):
        answer = ask(behind, "GET", "/topics", headers={"Host": "attacker.example", **fields})
        assert answer.status_code == 421 or answer.headers["Server"] == "Caddy" and answer.content == b""


def test_under_a_path(behind, topic):
    bare = ask(behind, "GET", "/clarion")
    assert bare.status_code in (301, 302, 308) and bare.headers["Location"].removeprefix(behind.url) == "/clarion/"
    assert "<title>Clarion</title>" in ask(behind, "GET", "/clarion/").text
    with Curl(behind, f"/clarion{events_path(topic)}") as stream:
        posted = ask(behind, "POST", f"/clarion{events_path(topic)}", data=b"hello", headers={"Origin": behind.url})
        assert posted.status_code == 201
        location = posted.headers["Location"]
        assert location.startswith(f"{behind.url}/clarion/topics/")
        assert ask(behind, "GET", location.removeprefix(behind.url)).content == b"hello"
        assert stream.wait_for(1)[1].data == "hello"
    problem = ask(behind, "GET", "/clarion/nothing").json()
    assert problem["type"] == f"{behind.url}/clarion/errors#route-unknown"
    assert ask(behind, "GET", problem["type"].removeprefix(behind.url)).status_code == 200
    # The other hub is still at the root.
    assert ask(behind, "GET", events_path(topic)).json()["events"] == []


def test_names_of_topics_arrive_as_they_were_sent(behind):
    for name in ["a%2Fb", "%C3%A9", "a%20b".replace("%20", "+"), "https:%2F%2Fexample.com%2Fbooks%2F1", "a%25b", "%252F"]:
        for path in ("", "/clarion"):
            posted = ask(behind, "POST", f"{path}/topics/{name}/events", data=b"x")
            assert posted.status_code == 201, (name, posted.text)
            hub = behind.second if path else behind.hub
            assert hub.get(f"/topics/{name}").status_code == 200


def test_a_hub_that_restarts_is_missed_and_found_again(behind, topic):
    behind.hub.stop()
    try:
        assert ask(behind, "GET", "/healthz").status_code in (502, 503)
    finally:
        behind.hub.restart()
        behind.hub.start_session()
    wait_until(lambda: ask(behind, "GET", "/healthz").status_code == 200, what="the hub behind the proxy")
    with Curl(behind, events_path(topic)) as stream:
        behind.hub.post(topic, "back")
        assert stream.wait_for(1)[1].data == "back"
