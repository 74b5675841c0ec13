"""Who may do what: every route with every kind of credential, and what is told to who may not."""

import json
import signal
import time

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from credentials import CredentialsFile, ask, fresh_address, grant
from event_stream import EventStream
from hub_process import events_path
from openapi_document import operations
from problems import assert_problem
from test_names import Asked, InBackground
from waiting import wait_until

ROUTES = [(method, path, operation["x-clarion-need"]) for method, path, operation in operations() if path != "/"]
# Which right lets a request through, for each kind of need.
SUFFICES = {"publish": "publish", "subscribe": "subscribe", "manage": "manage", "see": "subscribe",
            "subscribeSomewhere": "subscribe", "manageSomewhere": "manage", "manageEverything": "manage"}


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return CredentialsFile(tmp_path_factory.mktemp("credentials"), {
        "admin": grant("**"), "tenant": grant("a.**"),
        "publish": grant("a.**", rights=["publish"]), "subscribe": grant("a.**", rights=["subscribe"]),
        "manage": grant("a.**", rights=["manage"]), "nothing": {},
        "manageEverything": grant("**", rights=["manage"]),
        "expired": grant("**") | {"expires": "2020-01-01T00:00:00Z"},
    })


@pytest.fixture(scope="module")
def hub(start_shared_hub, file):
    return start_shared_hub("--credentials", str(file.path), "--durability", "process")


def test_every_need_is_that_of_a_route():
    assert len(ROUTES) > 25
    assert {need for _, _, need in ROUTES} == set(SUFFICES) | {"nothing"}


def target_of(path, topic="a.x"):
    target = path.replace("{topic}", topic).replace("{id}", "nobody").replace("{event}", "e-1")
    return target + (f"?topic={topic}" if path == "/events" else "")


def tokens(file):
    """Credentials that count for nothing, each with what must be said of it."""
    now = int(time.time())
    rsa_key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    everything = grant("**")
    return {
        "wrong key": ("clk_00000000000000000000000000000000", "unknown"),
        "expired key": (file.keys["expired"], "unknown"),
        "empty": ("", ""),
        "garbage": ("a.b.c", "malformed"),
        "expired": (file.token(everything, expires_in=-61), "expired"),
        "without expiry": (file.token(everything, exp=None), "xp"),
        "not yet valid": (file.token(everything, nbf=now + 120), "not yet valid"),
        "wrong audience": (file.token(everything, aud="another"), "audience"),
        "wrong issuer": (file.token(everything, iss="https://other.example"), "issuer"),
        "none": (file.token(everything, key="", algorithm="none"), "algorithm"),
        "another secret": (file.token(everything, key=b"x" * 48), "signature"),
        "another algorithm": (file.token(everything, algorithm="HS512"), "algorithm"),
        "RS256": (file.token(everything, key=rsa_key, algorithm="RS256"), "algorithm"),
    }


@pytest.mark.parametrize("method, path, need", ROUTES)
def test_the_matrix(hub, file, method, path, need):
    method, target = method.upper(), target_of(path)
    if need == "nothing":
        for credential in [None, "clk_wrong", file.token(expires_in=-100)]:
            assert ask(hub, method, target, credential).status_code < 400
        return
    right = SUFFICES[need]
    isForAll = need == "manageEverything"
    # Nothing shown.
    response = ask(hub, method, target)
    assert_problem(response, 401, "credential-required")
    assert response.headers["WWW-Authenticate"] == 'Bearer realm="clarion"'
    # What counts for nothing.
    for name, (credential, word) in tokens(file).items():
        response = ask(hub, method, target, credential)
        problem = assert_problem(response, 401, "credential-invalid")
        assert word in problem["detail"], (name, problem)
        assert credential == "" or credential not in problem["detail"]
        assert 'error="invalid_token"' in response.headers["WWW-Authenticate"]
    # What is good, but not for this.
    others = [file.keys["nothing"], file.token({}), file.token(None, clarion=None)]
    others += [file.keys[other] for other in ("publish", "subscribe", "manage")
               if isForAll or other != right and not (need == "see" and other == "manage")]
    if not need.endswith("Somewhere") or path == "/events":
        others += [file.token(grant("b.**")), file.token(grant("a")), file.token(grant("*")), file.token(grant("a.x.**"))]
    if isForAll:
        others += [file.token(grant("**", rights=["publish", "subscribe"])), file.token(grant("a.**", "*", "*.**"))]
    for credential in others:
        response = ask(hub, method, target, credential)
        problem = assert_problem(response, 403, "right-missing")
        assert problem["right"] == right and 'error="insufficient_scope"' in response.headers["WWW-Authenticate"]
        topic = "**" if isForAll else "a.x"
        assert problem.get("topic", topic if path != "/events" else None) == topic
    # What suffices, in each of the ways to show it.
    token = file.token({right: ["**" if isForAll else "a.*"]})
    query = target + ("&" if "?" in target else "?") + f"access_token={token}"
    own = {"Origin": f"http://127.0.0.1:{hub.port}"}
    for response in [
        ask(hub, method, target, file.keys["manageEverything" if isForAll else right]), ask(hub, method, target, token), ask(hub, method, query),
        ask(hub, method, target, headers={"Cookie": f"x=1; clarion_token={token}", **own}),
        ask(hub, method, target, headers={"Authorization": f"bearer {token}"}),
    ]:
        assert response.status_code not in (401, 403), response.content
    # A cookie of whoever opens a page elsewhere.
    foreign = ask(hub, method, target, headers={"Cookie": f"clarion_token={token}", "Origin": "https://evil.example"})
    unsafe = ask(hub, method, target, headers={"Cookie": f"clarion_token={token}"})
    if method == "GET":
        assert foreign.status_code not in (401, 403)
    else:
        assert_problem(foreign, 403, "origin-refused")
        assert_problem(unsafe, 401, "credential-required")
    # More than one.
    for headers, target in [({"Authorization": f"Bearer {token}"}, query), ({"Cookie": f"clarion_token={token}"}, query),
                            ({"Authorization": f"Bearer {token}", "Cookie": f"clarion_token={token}"}, target),
                            ({"Cookie": f"clarion_token={token}; clarion_token={token}"}, target)]:
        assert_problem(ask(hub, method, target, headers=headers | own), 400, "credential-ambiguous")


def test_patterns_are_held_against_patterns(hub, file):
    for granted, asked, may in [
        ("a.**", "a.*", True), ("a.**", "a.b", True), ("a.**", "a.b.**", True), ("a.*", "a.b", True), ("a.*", "a.*", True),
        ("a.*", "a.**", False), ("a.*", "a.b.c", False), ("a.**", "**", False), ("a.**", "a", False), ("*", "**", False),
        ("**", "**", True), ("a.b", "a.*", False), ("*.b", "a.b", True), ("a.b", "*.b", False), ("a.**", "*.x", False),
    ]:
        token = file.token({"subscribe": [granted]})
        status = ask(hub, "GET", f"{events_path(asked)}?limit=1", token).status_code
        assert status == (200 if may else 403), (granted, asked)


def test_anonymous_requests_may_do_what_the_file_says(start_hub, tmp_path):
    file = CredentialsFile(tmp_path, {"admin": grant("**")}, anonymous={"subscribe": ["public.**"]})
    hub = start_hub("--credentials", str(file.path))
    ask(hub, "POST", "/topics/public.a/events", file.keys["admin"], data=b"x")
    ask(hub, "POST", "/topics/secret.a/events", file.keys["admin"], data=b"x")
    assert ask(hub, "GET", "/topics/public.a/events").status_code == 200
    assert_problem(ask(hub, "GET", "/topics/secret.a/events"), 401, "credential-required")
    assert_problem(ask(hub, "POST", "/topics/public.a/events", data=b"x"), 401, "credential-required")
    assert [topic["name"] for topic in ask(hub, "GET", "/topics").json()["topics"]] == ["public.a"]
    # Nor take the name of another's stream: who shows a credential may.
    with hub.stream("public.a", query="observer=tab", headers={"Authorization": f"Bearer {file.keys['admin']}"}):
        answer = ask(hub, "GET", "/topics/public.a/events?observer=tab", headers={"Accept": "text/event-stream"})
        assert_problem(answer, 401, "credential-required")


def test_a_kept_event_is_given_to_nobody_else_who_uses_the_browser(hub, file):
    key = file.keys["admin"]
    place = ask(hub, "POST", "/topics/a.kept/events", key, data=b"x").headers["Location"]
    vary = ask(hub, "GET", place, key).headers["Vary"].replace(" ", "").split(",")
    assert {"Authorization", "Cookie"} <= set(vary)


def test_two_tenants_see_nothing_of_each_other(start_hub, tmp_path):
    file = CredentialsFile(tmp_path, {"a": grant("a.**"), "b": grant("b.**"), "admin": grant("**")})
    hub = start_hub("--credentials", str(file.path), "--allow-egress", "127.0.0.0/8")
    for tenant in "ab":
        for number in range(3):
            assert ask(hub, "POST", f"/topics/{tenant}.{number}/events", file.keys[tenant], data=b"x").status_code == 201
        body = f'{{"url": "http://127.0.0.1:9000/{tenant}", "topics": ["{tenant}.**"], "enabled": false}}'.encode()
        response = ask(hub, "PUT", f"/observers/hook-{tenant}", file.keys[tenant], data=body)
        assert response.status_code == 201, response.content
        assert response.json()["createdBy"] == tenant
    for tenant, other in ("ab", "ba"):
        key = file.keys[tenant]
        topics = ask(hub, "GET", "/topics", key).json()
        assert [topic["name"] for topic in topics["topics"]] == [f"{tenant}.{number}" for number in range(3)]
        page = ask(hub, "GET", "/topics?limit=2", key).json()
        assert [topic["name"] for topic in page["topics"]] == [f"{tenant}.0", f"{tenant}.1"] and page["next"]
        rest = ask(hub, "GET", f"/topics?limit=2&cursor={page['next']}", key).json()
        assert [topic["name"] for topic in rest["topics"]] == [f"{tenant}.2"] and rest["next"] is None
        assert ask(hub, "GET", f"/topics?prefix={other}", key).json()["topics"] == []
        observers = ask(hub, "GET", "/observers", key).json()["observers"]
        assert [observer["id"] for observer in observers] == [f"hook-{tenant}"]
        theirs = f"/observers/hook-{other}"
        absent = "/observers/hook-z"
        for method, path, data in [
            ("GET", "", None), ("DELETE", "", None), ("PATCH", "", b'{"enabled": true}'), ("POST", "/secret/rotate", b"{}"),
            ("GET", "/deliveries", None), ("POST", "/test", b""), ("POST", "/recover", b'{"since": "1h"}'),
        ]:
            found, missing = (ask(hub, method, place + path, key, data=data) for place in (theirs, absent))
            assert_problem(found, 404, "observer-unknown")
            assert found.json() | {"instance": ""} == missing.json() | {"instance": ""}
        body = f'{{"url": "http://127.0.0.1:9000/", "topics": ["{tenant}.**"]}}'.encode()
        problem = assert_problem(ask(hub, "PUT", theirs, key, data=body), 403, "right-missing")
        assert "topic" not in problem and f"{other}." not in str(problem)
        # What one may not hear one may not have delivered, at registering and later.
        body = f'{{"url": "http://127.0.0.1:9000/", "topics": ["{tenant}.**", "{other}.**"]}}'.encode()
        for method, path in [("POST", "/observers"), ("PUT", "/observers/new"), ("PATCH", f"/observers/hook-{tenant}")]:
            assert_problem(ask(hub, method, path, key, data=body), 403, "right-missing")
        # Somebody else's topics are unregistered by nobody but who manages them.
        assert_problem(ask(hub, "DELETE", f"/topics/{other}.**/observers", key), 403, "right-missing")
    assert len(ask(hub, "GET", "/observers", file.keys["admin"]).json()["observers"]) == 2
    # Nor may it be had by way of a webhook of one's own.
    event = ask(hub, "GET", "/topics/b.0/events?last=1", file.keys["b"]).json()["events"][0]["id"]
    path = f"/observers/hook-a/deliveries/{event}/redeliver"
    assert_problem(ask(hub, "POST", path, file.keys["a"]), 404, "event-unknown")
    assert ask(hub, "POST", path, file.keys["admin"]).status_code == 202


def test_an_observer_of_several_topics_is_theirs_who_manages_all_of_them(hub, file):
    path, key = "/observers/of-both", file.keys["tenant"]
    body = b'{"url": "https://hook.example/", "topics": ["a.x", "c.x"], "enabled": false}'
    assert ask(hub, "PUT", path, file.keys["admin"], data=body).status_code == 201
    assert "of-both" not in json.dumps(ask(hub, "GET", "/observers?limit=1000", key).json())
    for method, rest, data in [
        ("GET", "", None), ("DELETE", "", None), ("PATCH", "", b'{"enabled": true}'), ("POST", "/secret/rotate", b"{}"),
        ("GET", "/deliveries", None), ("POST", "/test", b""), ("POST", "/recover", b'{"since": "1h"}'),
    ]:
        assert_problem(ask(hub, method, path + rest, key, data=data), 404, "observer-unknown")
    body = b'{"url": "https://hook.example/", "topics": ["a.x"], "enabled": false}'
    assert_problem(ask(hub, "PUT", path, key, data=body), 403, "right-missing")
    assert ask(hub, "DELETE", "/topics/a.x/observers", key).status_code == 200
    assert ask(hub, "GET", path, file.keys["admin"]).json()["topics"] == ["a.x", "c.x"]


def test_who_only_manages_a_topic_has_nothing_of_it_delivered(hub, file):
    body = b'{"url": "https://hook.example/", "topics": ["a.x"], "enabled": false}'
    assert ask(hub, "PUT", "/observers/heard", file.keys["tenant"], data=body).status_code == 201
    for method, path, data in [
        ("POST", "/observers", body), ("PUT", "/observers/unheard", body), ("PUT", "/observers/heard", body),
        ("PATCH", "/observers/heard", b'{"url": "https://other.example/"}'),
    ]:
        problem = assert_problem(ask(hub, method, path, file.keys["manage"], data=data), 403, "right-missing")
        assert problem["right"] == "subscribe", (method, path)
    assert ask(hub, "GET", "/observers/heard", file.keys["manage"]).json()["url"] == "https://hook.example/"


def test_the_name_of_a_stream_is_not_anothers_to_take(start_hub, tmp_path):
    file = CredentialsFile(tmp_path, {"a": grant("a.**"), "b": grant("b.**"), "admin": grant("**")})
    hub = start_hub("--credentials", str(file.path))
    with EventStream(hub.port, f"/topics/a.x/events?observer=tv&access_token={file.keys['a']}") as stream:
        stream.wait_for_comment()
        stream_headers = {"Accept": "text/event-stream"}
        for method in ("GET", "HEAD"):
            response = ask(hub, method, "/topics/b.x/events?observer=tv", file.keys["b"], stream_headers)
            assert response.status_code == 403
        ask(hub, "POST", "/topics/a.x/events", file.keys["a"], data=b"still here")
        assert stream.next().data == "still here"
        # Its own client comes back under it.
        with EventStream(hub.port, f"/topics/a.x/events?observer=tv&access_token={file.keys['a']}") as again:
            again.wait_for_comment()


def test_whatever_is_no_stream_is_taken_in_the_minute_after_a_tokens_end(hub, file):
    token = file.token(expires_in=-5)
    webhook = json.dumps({"topics": ["a"], "url": "https://example.com/"}).encode()
    for method, path, body in [
            ("PUT", "/observers/late", webhook), ("PATCH", "/observers/late", b'{"description": "x"}'),
            ("POST", "/observers/late/secret/rotate", b"{}"), ("POST", "/observers/late/replay", b'{"since": "earliest"}'),
            ("POST", "/observers/late/recover", b'{"since": "earliest"}'), ("DELETE", "/observers/late", None)]:
        answer = ask(hub, method, path, token, data=body)
        assert answer.status_code < 300, (method, path, answer.content)
    assert ask(hub, "GET", "/topics/a/events", token, headers={"Accept": "text/event-stream"}).status_code == 401


def test_a_stream_ends_with_its_token(hub, file):
    began = time.monotonic()
    token = file.token(grant("a.**"), expires_in=3)
    with EventStream(hub.port, f"/topics/a.y/events?access_token={token}") as stream:
        stream.wait_for_comment()
        stream.read_to_end(timeout=10)
        assert 1.5 < time.monotonic() - began < 4
    # What comes back is told to stop, the minute that clocks may differ notwithstanding.
    response = ask(hub, "GET", f"/topics/a.y/events?access_token={token}", headers={"Accept": "text/event-stream"})
    assert_problem(response, 401, "credential-invalid")


def test_a_stream_ends_with_its_key(start_hub, tmp_path):
    file = CredentialsFile(tmp_path, {"kept": grant("**"), "taken": grant("**")})
    hub = start_hub("--credentials", str(file.path))
    with EventStream(hub.port, f"/topics/a/events?access_token={file.keys['kept']}") as kept, \
            EventStream(hub.port, f"/topics/a/events?access_token={file.keys['taken']}") as taken:
        kept.wait_for_comment()
        taken.wait_for_comment()
        file.remove_key("taken")
        file.write()
        hub.process.send_signal(signal.SIGHUP)
        began = time.monotonic()
        taken.read_to_end(timeout=10)
        assert time.monotonic() - began < 1
        assert ask(hub, "POST", "/topics/a/events", file.keys["kept"], data=b"on").status_code == 201
        assert kept.next().data == "on"
        assert_problem(ask(hub, "GET", "/topics/a", file.keys["taken"]), 401, "credential-invalid")


def test_a_file_that_cannot_be_read_changes_nothing(start_hub, tmp_path):
    file = CredentialsFile(tmp_path, {"admin": grant("**")})
    hub = start_hub("--credentials", str(file.path))
    for text in ["{", '{"kyes": []}', '{"keys": [{"name": "x"}]}', ""]:
        seen = hub.log_path.read_text().count("former credentials")
        file.path.write_text(text)
        hub.process.send_signal(signal.SIGHUP)
        wait_until(lambda: hub.log_path.read_text().count("former credentials") > seen)
        assert ask(hub, "GET", "/topics", file.keys["admin"]).status_code == 200
    assert "kyes" in hub.log_path.read_text() and "keys" in hub.log_path.read_text()
    file.add_key("second", grant("**"))
    file.write()
    hub.process.send_signal(signal.SIGHUP)
    wait_until(lambda: ask(hub, "GET", "/topics", file.keys["second"]).status_code == 200)


def test_keys_of_one_name_are_taken_with_a_warning(start_hub, tmp_path):
    file = CredentialsFile(tmp_path, {"ci": grant("a"), "other": grant("a")})
    hub = start_hub("--credentials", str(file.path))
    former = file.keys["ci"]
    file.add_key("ci", grant("a"))
    file.write()
    hub.process.send_signal(signal.SIGHUP)
    wait_until(lambda: 'keys[2] has the name of keys[0], "ci"' in hub.log and "The credentials were read again." in hub.log)
    for key in (former, file.keys["ci"]):
        assert ask(hub, "POST", events_path("a"), key, data=b"x").status_code == 201


def test_a_file_that_every_user_can_read_is_warned_of(start_hub, tmp_path):
    file = CredentialsFile(tmp_path, {"admin": grant("**")})
    secret = tmp_path / "hmac.key"
    own, another = f"{file.path}: Every user of this machine can read it.", f"Every user of this machine can read {secret}."
    for path in (file.path, secret):
        path.chmod(0o640)
    hub = start_hub("--credentials", str(file.path))

    def warned(*modes):
        """How often of each by now, after the files were given modes and read again."""
        for path, mode in zip((file.path, secret), modes):
            path.chmod(mode)
        count = hub.log.count("read again")
        hub.process.send_signal(signal.SIGHUP)
        wait_until(lambda: hub.log.count("read again") > count)
        return hub.log.count(own), hub.log.count(another)

    assert (hub.log.count(own), hub.log.count(another)) == (0, 0)
    assert warned(0o644, 0o640) == (1, 0)
    assert warned(0o640, 0o604) == (1, 1)
    assert warned(0o640, 0o640) == (1, 1)
    [line] = [line for line in hub.log.splitlines() if own in line]
    assert "warning" in line and f"chmod o-r {file.path}" in line
    file.path.chmod(0o644)
    hub.restart()
    assert (hub.log.count(own), hub.log.count(another)) == (2, 1)
    assert ask(hub, "GET", "/topics", file.keys["admin"]).status_code == 200


def test_a_hub_can_be_told_to_read_its_file_as_soon_as_it_says_that_it_listens(start_hub, tmp_path):
    file = CredentialsFile(tmp_path, {"admin": grant("**")})
    for _ in range(10):
        hub = start_hub("--credentials", str(file.path))
        hub.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "read again" in hub.log)
        assert ask(hub, "GET", "/topics", file.keys["admin"]).status_code == 200
        hub.stop()


def test_failed_logins_are_limited_by_address(hub, file):
    attacker = fresh_address()
    for _ in range(20):
        assert_problem(ask(hub, "GET", "/topics", "clk_guess", address=attacker), 401, "credential-invalid")
    response = ask(hub, "GET", "/topics", "clk_guess", address=attacker)
    assert_problem(response, 429, "rate-limited")
    assert 0 < int(response.headers["Retry-After"]) <= 61
    assert_problem(ask(hub, "GET", "/topics", file.keys["admin"], address=attacker), 429, "rate-limited")
    # Nobody else is kept out, and nothing that needs no credential.
    assert ask(hub, "GET", "/topics", file.keys["admin"]).status_code == 200
    assert ask(hub, "GET", "/healthz", "clk_guess", address=attacker).status_code == 200


def test_a_hub_with_credentials_may_listen_anywhere(start_hub, tmp_path):
    file = CredentialsFile(tmp_path, {"admin": grant("**")})
    hub = start_hub("--credentials", str(file.path), "--host", "0.0.0.0")
    assert_problem(ask(hub, "GET", "/topics"), 401, "credential-required")


def test_an_open_hub_looks_at_no_credential(shared_hub):
    for target, headers in [("/topics?access_token=x", {}), ("/topics", {"Authorization": "Basic eDp5"}),
                            ("/topics", {"Cookie": "clarion_token=x"})]:
        assert ask(shared_hub, "GET", target, headers=headers).status_code == 200


def test_a_credential_is_told_to_nobody(start_hub, tmp_path):
    """Not in an answer, not in the log: whatever is wrong with the request, and wherever it stands."""
    file = CredentialsFile(tmp_path, {"admin": grant("**")})
    hub = start_hub("--credentials", str(file.path), "--log-level", "trace")
    for credential in [file.keys["admin"], file.token(), file.token(expires_in=-100), "clk_something-unknown"]:
        for target in ["/topics", "/topics?limit=x", "/topics?limit=1&unknown=1", "/nowhere", "/topics/a%2F/events", "/topics/a",
                       "/topics/a/events?since=nonsense", "/topics/a/events/x"]:
            for method in ["GET", "POST", "DELETE", "PATCH"]:
                query = target + ("&" if "?" in target else "?") + f"access_token={credential}"
                for response in [
                    ask(hub, method, query), ask(hub, method, target, credential),
                    ask(hub, method, target, headers={"Cookie": f"clarion_token={credential}"}),
                    ask(hub, method, query + "&access_token=again", credential),
                ]:
                    assert credential.encode() not in response.content and credential not in str(response.headers)
    hub.stop()
    for credential in [*file.keys.values(), "clk_something-unknown", "eyJ"]:
        assert credential not in hub.log_path.read_text()


def test_who_loses_a_key_while_an_endpoint_is_asked_registers_nothing(start_hub, tmp_path, receiver):
    file = CredentialsFile(tmp_path, {"admin": grant("**"), "late": grant("a.**")})
    hub = start_hub("--credentials", str(file.path), "--allow-egress", "127.0.0.0/8")
    asked = Asked(receiver)
    key = file.keys["late"]
    body = json.dumps({"topics": ["a.**"], "url": receiver.url(), "handshake": True})
    registering = InBackground(lambda: ask(hub, "PUT", "/observers/late", key, data=body))
    asked.wait()
    file.remove_key("late")
    file.write()
    hub.process.send_signal(signal.SIGHUP)
    wait_until(lambda: ask(hub, "GET", "/observers", key).status_code == 401, what="the end of the key")
    asked.release.set()
    assert_problem(registering.result(), 401, "credential-invalid")
    assert ask(hub, "GET", "/observers/late", file.keys["admin"]).status_code == 404
