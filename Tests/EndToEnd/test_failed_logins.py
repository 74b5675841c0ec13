"""Who guesses credentials: limited by address, in bounded memory, and nobody else waits for it."""

import collections
import http.client
import json
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest

from credentials import CredentialsFile, ask, fresh_address, grant
from figures import ENFORCED
from problems import assert_problem

FLOOD = Path(__file__).with_name("login_flood.py")
ADDRESSES = [f"127.9.0.{number}" for number in range(1, 11)]
#: Failures within a minute after which an address is locked out for a minute.
LIMIT = 20


@pytest.fixture
def file(tmp_path):
    return CredentialsFile(tmp_path, {"good": grant("**")})


@pytest.fixture
def hub(start_hub, file):
    return start_hub("--credentials", str(file.path), "--durability", "memory")


def start_flood(hub, count, rate=0, target="/topics"):
    return subprocess.Popen(
        [sys.executable, str(FLOOD), str(hub.port), str(count), str(rate), target, *ADDRESSES], stdout=subprocess.PIPE)


def finish(flood):
    output, _ = flood.communicate(timeout=900)
    assert flood.returncode == 0
    return json.loads(output)


def times_of(hub, credential, address, seconds=None, during=None):
    """How long requests take that show a good credential, in ms: for some seconds, or while a process runs."""
    connection = http.client.HTTPConnection("127.0.0.1", hub.port, timeout=15, source_address=(address, 0))
    times = []
    end = time.monotonic() + (seconds or 900)
    while time.monotonic() < end and (during is None or during.poll() is None):
        began = time.perf_counter()
        connection.request("GET", "/topics/a/value", headers={"Authorization": f"Bearer {credential}"})
        response = connection.getresponse()
        response.read()
        times.append((time.perf_counter() - began) * 1e3)
        assert response.status == 200
        # Not as often as it goes: the attack is what is to be felt.
        time.sleep(0.001)
    connection.close()
    assert len(times) > 100
    return times


def percentile(times, share):
    return sorted(times)[int(len(times) * share)]


def test_failures_lock_an_address_out_and_no_other(hub, file):
    one = fresh_address()
    for number in range(LIMIT):
        assert_problem(ask(hub, "GET", "/topics", f"clk_{number}", address=one), 401, "credential-invalid")
    # Whatever it shows then; without a credential it is as ever.
    for credential in ["clk_x", file.keys["good"], file.token()]:
        response = ask(hub, "GET", "/topics", credential, address=one)
        assert_problem(response, 429, "rate-limited")
        assert 1 <= int(response.headers["Retry-After"]) <= 60
    assert_problem(ask(hub, "GET", "/topics", address=one), 401, "credential-required")
    assert ask(hub, "GET", "/healthz", address=one).status_code == 200
    assert ask(hub, "GET", "/topics", file.keys["good"]).status_code == 200


def test_what_was_good_once_locks_nobody_out(start_hub, tmp_path):
    """Clients that know nothing of 401 show it again and again, beside others of their address."""
    file = CredentialsFile(tmp_path, {"good": grant("**"), "old": grant("**") | {"expires": "2020-01-01T00:00:00Z"}})
    hub = start_hub("--credentials", str(file.path))
    address = fresh_address()
    for credential in (file.keys["old"], file.token(expires_in=-100)):
        for _ in range(2 * LIMIT):
            assert_problem(ask(hub, "GET", "/topics", credential, address=address), 401, "credential-invalid")
    assert ask(hub, "GET", "/topics", file.keys["good"], address=address).status_code == 200
    # One that only says that it was.
    for _ in range(LIMIT):
        forged = file.token(expires_in=-100, key=b"x" * 48)
        assert_problem(ask(hub, "GET", "/topics", forged, address=address), 401, "credential-invalid")
    assert_problem(ask(hub, "GET", "/topics", file.keys["good"], address=address), 429, "rate-limited")


def test_guesses_that_come_together_are_looked_at_no_longer(hub, file):
    address, connections = fresh_address(), 300
    sockets = [socket.create_connection(("127.0.0.1", hub.port), source_address=(address, 0), timeout=15) for _ in range(connections)]
    for number, connection in enumerate(sockets):
        connection.sendall(b"GET /topics HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer clk_%032d\r\n\r\n" % number)
    statuses = collections.Counter(connection.recv(12)[9:] for connection in sockets)
    for connection in sockets:
        connection.close()
    assert statuses == {b"401": LIMIT, b"429": connections - LIMIT}


@pytest.mark.measured
def test_a_flood_of_failed_logins(hub, file, figure):
    """A million of them where figures are enforced, as `make measure` does; in turn with as many requests of another kind, and
    with none, because the machine is not the same from one minute to the next."""
    rounds, count, rate = (10, 100_000, 5_000) if ENFORCED else (2, 10_000, 10_000)
    good, address = file.keys["good"], fresh_address()
    ask(hub, "POST", "/topics/a/events", good, data=b"x")
    began = time.monotonic()
    statuses, kinds = collections.Counter(), {"quiet": [], "busy": [], "flooded": []}
    before = None
    for _ in range(rounds):
        kinds["quiet"].append(times_of(hub, good, address, count / rate / 2))
        busy = start_flood(hub, count // 2, rate, target="/healthz")
        kinds["busy"].append(times_of(hub, good, address, during=busy))
        assert set(finish(busy)["statuses"]) == {"200"}
        before = before or hub.rss()
        flood = start_flood(hub, count, rate)
        kinds["flooded"].append(times_of(hub, good, address, during=flood))
        statuses.update(finish(flood)["statuses"])
    grown = hub.rss() - before
    # Of each address 20 a minute are told that they are wrong.
    minutes = int((time.monotonic() - began) // 60) + 1
    assert statuses["401"] + statuses["429"] == rounds * count
    assert LIMIT * len(ADDRESSES) <= statuses["401"] <= LIMIT * len(ADDRESSES) * minutes
    p99 = {kind: statistics.median(percentile(times, 0.99) for times in series) for kind, series in kinds.items()}
    figure(f"{rounds * count:,} failed logins, {rate:,}/s: {statuses['401']} told, RSS {before / 2**20:.1f} MiB "
           f"{grown / 2**20:+.1f}; a good key from elsewhere, median and p99 in ms: " + ", ".join(
               f"{percentile(sum(series, []), 0.5):.2f} {p99[kind]:.2f} {kind}" for kind, series in kinds.items()))
    figure.at_most(grown, 4 << 20, "what the memory has grown by")
    figure.at_most(p99["flooded"], 1.2 * p99["busy"], "the 99th percentile of a good key during the flood")


@pytest.mark.parametrize("page", [
    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"},
    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"},
    {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"},
    {"Origin": "https://evil.example"},
])
def test_a_page_of_another_origin_locks_nobody_out(hub, file, page):
    """Its images and scripts are asked for from the address of who reads it."""
    address = fresh_address()
    for number in range(LIMIT + 5):
        answer = ask(hub, "GET", f"/topics?access_token=wrong{number}", headers=page, address=address)
        assert_problem(answer, 403, "origin-refused")
    # Nor is it told whether one is good.
    good = file.keys["good"]
    assert_problem(ask(hub, "GET", f"/topics?access_token={good}", headers=page, address=address), 403, "origin-refused")
    assert ask(hub, "GET", "/topics", good, address=address).status_code == 200


LINK = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}


@pytest.mark.parametrize("place, page", [
    ("cookie", {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}),
    ("cookie", {"Origin": "https://evil.example"}), ("cookie", LINK), ("link", LINK),
])
def test_what_a_page_of_another_origin_plants_locks_out_itself_alone(hub, file, place, page):
    """A cookie of another port of this host, and where a page sends its reader."""
    address, good = fresh_address(), file.keys["good"]

    def answer(credential):
        cookie = {"Cookie": f"clarion_token={credential}"} if place == "cookie" else {}
        query = f"?access_token={credential}" if place == "link" else ""
        return ask(hub, "GET", f"/topics{query}", headers=page | cookie, address=address)

    assert answer(good).status_code == 200
    statuses = [answer(f"wrong{number}").status_code for number in range(LIMIT + 5)]
    assert statuses == [401] * LIMIT + [429] * 5
    assert answer(good).status_code == 429
    assert ask(hub, "GET", "/topics", good, address=address).status_code == 200
    assert_problem(ask(hub, "GET", "/topics", "wrong", address=address), 401, "credential-invalid")


def test_a_credential_in_a_link_is_looked_at(hub, file):
    assert ask(hub, "GET", f"/topics?access_token={file.keys['good']}", headers=LINK).status_code == 200
    assert_problem(ask(hub, "GET", "/topics?access_token=wrong", headers=LINK), 401, "credential-invalid")
