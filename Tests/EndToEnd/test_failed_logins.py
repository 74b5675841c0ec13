"""Who guesses credentials: limited by address, in bounded memory, and nobody else waits for it."""

import http.client
import json
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


def percentiles(hub, credential, address, seconds=None, while_running=None):
    """How long a request takes that shows a good credential, in seconds: the median and the 99th percentile."""
    connection = http.client.HTTPConnection("127.0.0.1", hub.port, timeout=15, source_address=(address, 0))
    times = []
    end = time.monotonic() + (seconds or 900)
    while time.monotonic() < end and (while_running is None or while_running.poll() is None):
        began = time.perf_counter()
        connection.request("GET", "/topics/a/value", headers={"Authorization": f"Bearer {credential}"})
        response = connection.getresponse()
        response.read()
        times.append(time.perf_counter() - began)
        assert response.status == 200
        # Not as often as it goes: the attack is what is to be felt.
        time.sleep(0.001)
    connection.close()
    times.sort()
    assert len(times) > 100
    return times[len(times) // 2], times[len(times) * 99 // 100]


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


@pytest.mark.measured
def test_a_flood_of_failed_logins(hub, file, figure):
    """A million of them where figures are enforced, as `make measure` does."""
    count, rate, seconds = (1_000_000, 5_000, 30) if ENFORCED else (20_000, 5_000, 2)
    good, address = file.keys["good"], fresh_address()
    ask(hub, "POST", "/topics/a/events", good, data=b"x")
    # What it costs others that the hub is as busy with something else.
    busy = start_flood(hub, rate * seconds, rate, target="/healthz")
    median, p99 = percentiles(hub, good, address, while_running=busy)
    assert set(finish(busy)["statuses"]) == {"200"}
    quiet_median, quiet_p99 = percentiles(hub, good, address, seconds)
    before = hub.rss()
    flood = start_flood(hub, count, rate)
    flooded_median, flooded_p99 = percentiles(hub, good, address, while_running=flood)
    result = finish(flood)
    after = hub.rss()
    # Of each address some 20 a minute are looked at.
    minutes = int(result["seconds"] // 60) + 1
    looked_at = result["statuses"]["401"]
    assert result["statuses"]["401"] + result["statuses"]["429"] == count
    # Those of one batch that were under way when the address was locked out may be looked at, too.
    assert LIMIT * len(ADDRESSES) <= looked_at <= 2 * LIMIT * len(ADDRESSES) * minutes
    figure(f"{count:,} failed logins at {count / result['seconds']:,.0f}/s: {looked_at} looked at, RSS {before >> 20} -> "
           f"{after >> 20} MiB; a good key from elsewhere, median and p99 in ms: {quiet_median * 1e3:.2f} {quiet_p99 * 1e3:.2f} "
           f"quiet, {median * 1e3:.2f} {p99 * 1e3:.2f} with as much of /healthz, {flooded_median * 1e3:.2f} "
           f"{flooded_p99 * 1e3:.2f} during the flood")
    figure.at_most(after - before, 4 << 20, "what the memory has grown by")
    figure.at_most(flooded_p99, 1.2 * p99, "the 99th percentile of a good key during the flood")
