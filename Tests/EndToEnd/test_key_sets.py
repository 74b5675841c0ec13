"""Keys of those who issue tokens, from a URL: by the rules of webhooks, in the background, and never asked for too often."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from cryptography.hazmat.primitives.asymmetric import ed25519

import tokens
from credentials import CredentialsFile, ask, fresh_address, grant
from problems import assert_problem
from waiting import wait_until

ISSUER = "https://keys.example"
ANYWHERE = ("--allow-egress", "127.0.0.0/8")


class Publisher:
    """Serves a key set, or whatever `answer(handler)` does."""

    def __init__(self, *named):
        self.keys = {name: ed25519.Ed25519PrivateKey.generate() for name in named}
        self.answer = lambda handler: self.send(handler, json.dumps(self.key_set()).encode())
        self.requests = []

    def __enter__(self):
        publisher = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                publisher.requests.append((self.path, dict(self.headers)))
                publisher.answer(self)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}/jwks.json"

    def key_set(self):
        return {"keys": [tokens.jwk(key, kid=name, alg="EdDSA") for name, key in self.keys.items()]}

    @staticmethod
    def send(handler, body, status=200, **headers):
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)

    def token(self, name, kid=None):
        payload = tokens.claims(iss=ISSUER, clarion=grant("**"))
        return tokens.signed("EdDSA", self.keys[name], payload, {"kid": kid or name})


@pytest.fixture
def publisher():
    with Publisher("one", "two") as publisher:
        yield publisher


@pytest.fixture
def start(start_hub, tmp_path, publisher):
    """Starts a hub that knows a key, an issuer with a secret, and one whose keys are at the publisher's."""
    def start(*options):
        start.file = CredentialsFile(tmp_path, {"admin": grant("**")})
        start.file.members["jwt"].append(
            {"issuer": ISSUER, "audience": "clarion", "algorithms": ["EdDSA"], "jwks": publisher.url})
        start.file.write()
        return start_hub("--credentials", str(start.file.path), *options)

    return start


def status_of(hub, token):
    return ask(hub, "GET", "/topics", token).status_code


def assert_others_are_served(hub, file):
    assert status_of(hub, file.keys["admin"]) == 200
    assert status_of(hub, file.token()) == 200


def test_tokens_of_both_keys_are_accepted(start, publisher):
    hub = start(*ANYWHERE)
    for name in publisher.keys:
        assert status_of(hub, publisher.token(name)) == 200
    path, headers = publisher.requests[0]
    assert path == "/jwks.json" and headers["User-Agent"].lower().startswith("clarion/") and "Authorization" not in headers
    assert_others_are_served(hub, start.file)


def test_a_token_that_has_expired_is_told_so_whatever_other_keys_are_away(start_hub, tmp_path, publisher):
    """A client that is told 503 shows the same token again, where 401 has it fetch another."""
    file = CredentialsFile(tmp_path, {})
    # The second judges the tokens of every issuer.
    for issuer, path in [({"issuer": ISSUER}, ""), ({}, "/nobody")]:
        file.members["jwt"].append({**issuer, "audience": "clarion", "algorithms": ["EdDSA"], "jwks": publisher.url + path})
    file.write()
    answers = publisher.answer
    publisher.answer = lambda handler: publisher.send(handler, b"", 500) if "nobody" in handler.path else answers(handler)
    hub = start_hub("--credentials", str(file.path), *ANYWHERE)
    wait_until(lambda: status_of(hub, publisher.token("one")) == 200, what="the first entry's keys")
    past = tokens.claims(iss=ISSUER, clarion=grant("**"), exp=int(time.time()) - 600)
    expired = tokens.signed("EdDSA", publisher.keys["one"], past, {"kid": "one"})
    assert "expired" in assert_problem(ask(hub, "GET", "/topics", expired), 401, "credential-invalid")["detail"]


def test_a_thousand_unknown_keys_ask_once(start, publisher):
    hub = start(*ANYWHERE)
    assert status_of(hub, publisher.token("one")) == 200
    for number in range(100):
        problem = assert_problem(ask(hub, "GET", "/topics", publisher.token("one", f"k{number}")), 401, "credential-invalid")
        assert "unknown" in problem["detail"]
    # At the start; a minute later for an unknown one, whatever comes meanwhile.
    assert len(publisher.requests) == 1


def test_addresses_are_guarded(start, publisher):
    hub = start()
    wait_until(lambda: "cannot be fetched" in hub.log)
    assert "Until it can, no token of its issuer is accepted." in hub.log and publisher.requests == []
    problem = assert_problem(ask(hub, "GET", "/topics", publisher.token("one")), 503, "overloaded")
    assert "could not be fetched yet" in problem["detail"]
    assert_others_are_served(hub, start.file)


@pytest.mark.parametrize("what", ["nonsense", "absent", "redirect", "too large", "endless", "not there"])
def test_a_hub_that_cannot_fetch_them_says_so_and_serves_others(start, publisher, what):
    def endless(handler):
        handler.send_response(200)
        handler.end_headers()
        try:
            while True:
                handler.wfile.write(b" " * 65_536)
        except OSError:
            pass

    publisher.answer = {
        "nonsense": lambda handler: publisher.send(handler, b"<html>"),
        "absent": lambda handler: publisher.send(handler, b"", 404),
        "redirect": lambda handler: publisher.send(handler, b"", 302, Location=f"{publisher.url}?elsewhere"),
        "too large": lambda handler: publisher.send(handler, json.dumps(publisher.key_set()).encode() + b" " * (1 << 20)),
        "endless": endless,
        "not there": None,
    }[what]
    if what == "not there":
        publisher.server.server_close()
    hub = start(*ANYWHERE)
    wait_until(lambda: "cannot be fetched" in hub.log)
    assert_problem(ask(hub, "GET", "/topics", publisher.token("one")), 503, "overloaded")
    assert_others_are_served(hub, start.file)
    assert len(publisher.requests) <= 1


def test_a_publisher_that_hangs_holds_nobody_up(start, publisher):
    release = threading.Event()
    publisher.answer = lambda handler: release.wait(60)
    try:
        hub = start(*ANYWHERE)
        wait_until(lambda: publisher.requests)
        assert_others_are_served(hub, start.file)
        began = time.monotonic()
        hub.stop()
        assert time.monotonic() - began < 3
    finally:
        release.set()


def test_a_document_of_almost_a_mebibyte_is_read_whole(start, publisher):
    text = json.dumps(publisher.key_set())
    publisher.answer = lambda handler: publisher.send(handler, (text + " " * ((1 << 20) - len(text))).encode())
    hub = start(*ANYWHERE)
    assert status_of(hub, publisher.token("two")) == 200


def test_all_who_come_back_before_the_keys_are_there_are_let_in_or_told_to_come_again(start, publisher):
    """Only so many wait for the keys. The others' tokens were refused, as failed logins: they locked their address, also for
    keys."""
    release = threading.Event()
    body = json.dumps(publisher.key_set()).encode()
    publisher.answer = lambda handler: (release.wait(60), publisher.send(handler, body))
    hub = start(*ANYWHERE)
    wait_until(lambda: publisher.requests)
    address, answers = fresh_address(), []
    credentials = [publisher.token("one") for _ in range(100)]
    threads = [threading.Thread(target=lambda token=token: answers.append(ask(hub, "GET", "/topics", token, address=address)))
               for token in credentials]
    try:
        for thread in threads:
            thread.start()
        wait_until(lambda: len(answers) >= 100 - 64)
        assert ask(hub, "GET", "/topics", start.file.keys["admin"], address=address).status_code == 200
    finally:
        release.set()
    for thread in threads:
        thread.join()
    assert {answer.status_code for answer in answers} == {200, 503}
    for answer in answers:
        if answer.status_code == 503:
            assert_problem(answer, 503, "overloaded")
            assert int(answer.headers["Retry-After"]) > 0
    assert all(ask(hub, "GET", "/topics", token, address=address).status_code == 200 for token in credentials)
