"""Two tenants on one hub do whatever comes to mind, and neither sees anything of the other's."""

import http.client
import json
import os
import random
import select
import signal
import socket
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from credentials import CredentialsFile, ask, grant
from event_stream import StreamRefused
from waiting import wait_until
from webhook_receiver import WebhookReceiver

SECONDS = 60 if os.environ.get("CLARION_LOAD") == "full" else 3
#: What each has in all its data, and in the names of its topics and observers.
MARKS = {"a": ("alphasecret", "alphaname"), "b": ("betasecret", "betaname")}


class Tenant:
    """Posts, listens, lists, registers and probes by chance; whatever it is told is looked through."""

    def __init__(self, name, hub, key, receiver, seed):
        self.name, self.other = name, "ab".replace(name, "")
        self.hub, self.key, self.receiver = hub, key, receiver
        self.random = random.Random(f"{seed} {name}")
        self.ids = []
        self.requests = self.leaks = 0
        self.statuses = {}
        self.failure = None

    def topic(self, name):
        return f"{name}.{MARKS[name][1]}{self.random.randrange(5)}"

    def pattern(self):
        mine, theirs = self.topic(self.name), self.topic(self.other)
        return self.random.choice([
            mine, mine, f"{self.name}.**", f"{self.name}.*", theirs, f"{self.other}.**", f"{self.other}.*", "**", "*", "*.*", "*.**",
            f"*.{MARKS[self.other][1]}1", self.name, self.other, "clarion.observers", "clarion.**"])

    def own_observer(self):
        return self.random.choice([*self.ids[-5:], f"{MARKS[self.name][1]}-{self.random.randrange(5)}"])

    def observer(self):
        theirs = f"{MARKS[self.other][1]}-{self.random.randrange(5)}"
        return self.random.choice([self.own_observer(), self.own_observer(), theirs, "nobody"])

    def webhook(self):
        patterns = [self.pattern() for _ in range(self.random.choice([1, 1, 2]))]
        return json.dumps({"url": self.receiver.url(f"/{self.name}"), "topics": patterns}).encode()

    def request(self):
        """A method, a target, a body."""
        topic, pattern, id = self.pattern(), self.pattern(), self.observer()
        data = f"{MARKS[self.name][0]} {self.random.randrange(1000)}".encode()
        limit = f"?limit={self.random.choice([1, 5, 1000])}"
        return self.random.choice([
            ("POST", f"/topics/{topic}/events", data), ("POST", f"/topics/{self.topic(self.name)}/events", data),
            ("GET", f"/topics/{pattern}/events{limit}&since=earliest", None), ("GET", f"/topics/{topic}/events?last=100", None),
            ("GET", f"/events?topic={pattern}&topic={self.topic(self.name)}&since=earliest", None),
            ("GET", f"/topics/{topic}/value", None), ("PUT", f"/topics/{topic}/value", data),
            ("GET", f"/topics/{topic}/events/{self.event_id()}", None),
            ("GET", f"/topics{limit}", None), ("GET", f"/topics{limit}&prefix={self.other}", None), ("GET", f"/topics/{topic}", None),
            ("PUT", f"/topics/{topic}", b'{"retention": {"events": 1000}}'), ("DELETE", f"/topics/{self.topic(self.other)}", None),
            ("GET", f"/observers{limit}", None), ("GET", f"/observers{limit}&topic={pattern}", None),
            ("GET", f"/observers{limit}&kind=webhook", None),
            ("POST", "/observers", self.webhook()), ("PUT", f"/observers/{self.own_observer()}", self.webhook()), ("GET", f"/observers/{id}", None),
            ("PATCH", f"/observers/{id}", json.dumps({"topics": [pattern]}).encode()), ("DELETE", f"/observers/{id}", None),
            ("GET", f"/observers/{id}/deliveries", None), ("POST", f"/observers/{id}/replay", b'{"since": "earliest"}'),
            ("POST", f"/observers/{id}/recover", b'{"since": "1h"}'), ("POST", f"/observers/{id}/secret/rotate", b"{}"),
            ("POST", f"/observers/{id}/test", b""), ("DELETE", f"/topics/{pattern}/observers", None),
            ("GET", f"/observers/{id}/deliveries/{self.event_id()}", None),
            ("POST", f"/observers/{id}/deliveries/{self.event_id()}/redeliver", None),
        ])

    def event_id(self):
        """One of somebody's: the epoch is no secret, and positions are numbers."""
        return f"{self.hub.epoch}-{self.random.randrange(1, 200)}"

    def step(self):
        method, target, body = self.request()
        response = ask(self.hub, method, target.replace("*", "%2A"), self.key, data=body)
        self.requests += 1
        self.statuses[response.status_code] = self.statuses.get(response.status_code, 0) + 1
        assert response.status_code < 500, (method, target, response.content)
        told = response.content.decode(errors="replace") + str(response.headers)
        secret, name = MARKS[self.other]
        assert secret not in told, (method, target, told)
        # A refusal may say what it was asked for, and no more.
        asked = target + (body or b"").decode()
        assert name not in told or name in asked and response.status_code >= 400, (method, target, told)
        assert f'"topic":"{self.other}.' not in told or response.status_code >= 400, (method, target, told)
        if method == "POST" and target == "/observers" and response.status_code == 201:
            self.ids.append(response.json()["id"])

    def run(self, until):
        try:
            while time.monotonic() < until:
                self.step()
        except BaseException as failure:
            self.failure = failure


@pytest.mark.measured
def test_tenants_that_probe_see_nothing_of_each_other(start_hub, tmp_path, figure):
    file = CredentialsFile(tmp_path, {name: grant(f"{name}.**") for name in "ab"} | {"admin": grant("**")})
    hub = start_hub("--credentials", str(file.path), "--durability", "process", "--allow-egress", "127.0.0.0/8")
    hub.epoch = ask(hub, "POST", "/topics/x/events", file.keys["admin"], data=b"x").json()["id"].rsplit("-", 1)[0]
    with WebhookReceiver() as receiver:
        tenants = [Tenant(name, hub, file.keys[name], receiver, seed) for name in "ab" for seed in range(2)]
        until = time.monotonic() + SECONDS
        threads = [threading.Thread(target=tenant.run, args=(until,)) for tenant in tenants]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for tenant in tenants:
            if tenant.failure:
                raise tenant.failure
        wait_until(lambda: receiver.to("/a") and receiver.to("/b"))
        # What is delivered goes to whose it is.
        for name, other in ("ab", "ba"):
            for delivery in receiver.to(f"/{name}"):
                assert MARKS[other][0].encode() not in delivery.body and MARKS[other][1] not in str(delivery.headers)
    statuses = {status: sum(tenant.statuses.get(status, 0) for tenant in tenants)
                for status in sorted({status for tenant in tenants for status in tenant.statuses})}
    figure(f"{sum(tenant.requests for tenant in tenants)} requests, {statuses}, {len(receiver.deliveries)} deliveries")
    # It was no wall of refusals.
    assert statuses[200] > 100 and statuses[201] > 50 and statuses[403] > 100 and statuses[404] > 20


def test_a_tenant_stops_no_stream_of_anothers_name(start_hub, tmp_path):
    """A name that one has had unregistered is free for all others, and out of use for that one."""
    file = CredentialsFile(tmp_path, {name: grant(f"{name}.**") for name in "ab"})
    hub = start_hub("--credentials", str(file.path))

    def open_stream(name):
        return hub.stream(f"{name}.t", query="observer=tab", headers={"Authorization": f"Bearer {file.keys[name]}"})

    with open_stream("a"):
        assert ask(hub, "DELETE", "/observers/tab", file.keys["a"]).status_code == 204
    with pytest.raises(StreamRefused) as refused:
        open_stream("a")
    assert refused.value.status == 204
    with open_stream("b"):
        # Of another tenant's stream nothing is told, not even of which kind it is.
        for method, path, body in (("PATCH", "", b"{}"), ("POST", "/secret/rotate", b"{}"), ("GET", "", None), ("DELETE", "", None)):
            answer = ask(hub, method, f"/observers/tab{path}", file.keys["a"], data=body)
            assert answer.status_code == 404, (method, path, answer.content)
        assert ask(hub, "GET", "/observers/tab", file.keys["b"]).status_code == 200


def test_who_searches_through_the_names_of_others_holds_up_nobody_who_need_not(start_hub, executable, tmp_path):
    """A right that begins with a wildcard has all topics looked through, a part of them at a time and by one after the other."""
    credentials = CredentialsFile(tmp_path, {"root": grant("**"), "b": grant("b.**"), "searcher": grant("*.none")})
    hub = start_hub("--credentials", str(credentials.path))
    lines = "".join(f'{{"specversion":"1.0","id":"{n}","source":"/s","type":"t","clariontopic":"a.{n}","data":{n}}}\n'
                    for n in range(6_000))
    subprocess.run([executable, "import", "-", "--hub", hub.url], input=lines, text=True, check=True, timeout=60,
                   capture_output=True, env={**os.environ, "CLARION_TOKEN": credentials.keys["root"]})
    assert ask(hub, "PUT", "/topics/b.x", credentials.keys["root"], data=b'{"retention": {"events": 1}}').status_code == 200
    request = f"GET /topics HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {credentials.keys['searcher']}\r\n\r\n"
    searchers = [socket.create_connection(("127.0.0.1", hub.port)) for _ in range(150)]
    for searcher in searchers:
        searcher.sendall(request.encode())
    # Each searches in seven parts. Who waits for a part of each of them before every answer has seven by then.
    listings = 0
    while len(select.select(searchers, [], [], 0)[0]) < len(searchers) / 2:
        name = ("root", "b")[listings % 2]
        listed = ask(hub, "GET", "/topics?limit=3", credentials.keys[name]).json()
        assert [topic["name"] for topic in listed["topics"]] == (["b.x"] if name == "b" else ["a.0", "a.1", "a.10"])
        listings += 1
    assert listings > 14, "who need not search waited for those who do"
    for searcher in searchers:
        answer = http.client.HTTPResponse(searcher)
        answer.begin()
        assert json.loads(answer.read())["topics"] == []
        searcher.close()


def test_what_a_key_has_begun_to_delete_ends_with_the_key(start_hub, tmp_path):
    credentials = CredentialsFile(tmp_path, {"root": grant("**"), "a": grant("a.**")})
    hub = start_hub("--credentials", str(credentials.path))
    connection = http.client.HTTPConnection("127.0.0.1", hub.port)

    def asked(method, path, body=None, key="root"):
        connection.request(method, path, body, {"Authorization": f"Bearer {credentials.keys[key]}"})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read() or b"null")

    def left():
        text = ask(hub, "GET", "/metrics", credentials.keys["root"]).content.decode()
        return sum(float(line.split()[-1]) for line in text.splitlines() if line.startswith('clarion_observers{kind="webhook"'))

    def delete_until_the_key_is_gone():
        for number in range(1_000):
            assert asked("PUT", f"/observers/w{number}", json.dumps({"topics": ["a.x"], "url": "https://example.com/"}))[0] == 201
        with ThreadPoolExecutor() as pool:
            deletion = pool.submit(ask, hub, "DELETE", "/topics/a.x/observers", credentials.keys["a"])
            wait_until(lambda: left() < 1_000)
            credentials.remove_key("a")
            credentials.write()
            hub.process.send_signal(signal.SIGHUP)
            wait_until(lambda: asked("GET", "/topics/a.x", key="a")[0] == 401)
            return left(), deletion.result().status_code

    for _ in range(5):
        then, status = delete_until_the_key_is_gone()
        if status == 401:
            break
        assert then == 0, "it went on without a key"
        # It was over before the key was.
        credentials.add_key("a", grant("a.**"))
        credentials.write()
        hub.process.send_signal(signal.SIGHUP)
        wait_until(lambda: asked("GET", "/topics", key="a")[0] == 200)
    assert left() >= then - 1 > 0
