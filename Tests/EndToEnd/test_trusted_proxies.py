"""What a proxy tells of a request, and who is believed: `--trusted-proxy`. The grammar is tested in TrustedProxiesTests."""

import itertools
import socket

import pytest

from credentials import CredentialsFile, ask, fresh_address, grant
from event_stream import EventStream
from hub_process import events_path
from problems import assert_problem
from raw_http import exchange, request
from test_serving import has_ipv6, refusal

#: A network of this machine whose addresses are believed, and others that are not.
TRUSTED, PROXY, OTHER = "127.77.0.0/16", "127.77.0.1", "127.78.0.1"
_clients = itertools.count(1)


def fresh_client():
    """An address beyond the proxy that no other test has used."""
    number = next(_clients)
    return f"203.0.{number // 250}.{number % 250 + 1}"


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return CredentialsFile(tmp_path_factory.mktemp("credentials"), {"admin": grant("**")})


@pytest.fixture(scope="module")
def hub(start_shared_hub, file):
    return start_shared_hub("--credentials", str(file.path), "--durability", "process", "--allow-host", "hub.example",
                            "--trusted-proxy", TRUSTED, "--trusted-proxy", "fd00::/8")


def asked(hub, method, target, credential=None, by=PROXY, **fields):
    """A request that comes from a proxy, or somebody else."""
    headers = {name.replace("_", "-"): value for name, value in fields.items()}
    return ask(hub, method, target, credential, headers=headers, address=by, data=b"x" if method == "POST" else None)


# Remote addresses

@pytest.mark.parametrize("by, fields, seen", [
    (PROXY, {"X-Forwarded-For": "203.0.113.7"}, "203.0.113.7"),
    (PROXY, {"X-Forwarded-For": "127.0.0.1, 203.0.113.7, 127.77.3.3"}, "203.0.113.7"),
    (PROXY, {"Forwarded": 'for=127.0.0.1, for="[2001:db8::7]:4711";proto=https'}, "[2001:db8::7]:4711"),
    (PROXY, {"X-Forwarded-For": "127.0.0.1, unknown"}, PROXY),
    (PROXY, {"Forwarded": "for=127.0.0.1", "X-Forwarded-For": "203.0.113.7"}, PROXY),
    (PROXY, {}, PROXY),
    (OTHER, {"X-Forwarded-For": "203.0.113.7"}, OTHER),
    (OTHER, {"Forwarded": "for=203.0.113.7"}, OTHER),
])
def test_a_stream_shows_who_came_to_the_proxy(hub, file, topic, by, fields, seen):
    key = {"Authorization": f"Bearer {file.keys['admin']}"}
    with socket.socket() as line:
        line.bind((by, 0))
        line.settimeout(15)
        line.connect(("127.0.0.1", hub.port))
        line.sendall(request("GET", events_path(topic), {"Accept": "text/event-stream", **key, **fields}))
        assert line.recv(4096).startswith(b"HTTP/1.1 200")
        answer = ask(hub, "GET", f"/observers?topic={topic}", file.keys["admin"])
        [stream] = answer.json()["observers"]
        # A port is shown if it is known.
        assert stream["remoteAddress"] == seen or stream["remoteAddress"].startswith(f"{seen}:")


def test_without_the_option_nobody_is_believed(shared_hub, topic):
    with EventStream.of(shared_hub.port, topic, headers={"X-Forwarded-For": "203.0.113.7", "Forwarded": "for=203.0.113.8"}):
        [stream] = shared_hub.wait_for_observers(1, topic=topic)
        assert stream["remoteAddress"].startswith("127.0.0.1:")


def test_an_ipv4_client_of_a_socket_for_both_families_is_one(start_hub, file, topic):
    if not has_ipv6():
        pytest.skip("needs IPv6")
    hub = start_hub("--host", "::", "--credentials", str(file.path), "--durability", "process", "--trusted-proxy", TRUSTED)
    key = {"Authorization": f"Bearer {file.keys['admin']}"}
    with EventStream.of(hub.port, topic, headers=key):
        [stream] = ask(hub, "GET", f"/observers?topic={topic}", file.keys["admin"]).json()["observers"]
        assert stream["remoteAddress"].startswith("127.0.0.1:")
    # Its neighbours are others, and proxies are known by their IPv4 networks.
    fail(hub, 20, OTHER)
    assert_problem(asked(hub, "GET", "/topics", file.keys["admin"], OTHER), 429, "rate-limited")
    assert asked(hub, "GET", "/topics", file.keys["admin"], "127.78.0.2").status_code == 200
    assert_problem(asked(hub, "GET", "/topics", file.keys["admin"], PROXY, X_Forwarded_For=OTHER), 429, "rate-limited")


# Failed logins

def fail(hub, count, by=PROXY, **fields):
    for _ in range(count):
        assert_problem(asked(hub, "GET", "/topics", "clk_guess", by, **fields), 401, "credential-invalid")


def test_failed_logins_count_for_who_came_to_the_proxy(hub, file):
    attacker, neighbour = fresh_client(), fresh_client()
    fail(hub, 20, X_Forwarded_For=attacker)
    assert_problem(asked(hub, "GET", "/topics", file.keys["admin"], X_Forwarded_For=attacker), 429, "rate-limited")
    # By another proxy and in the other field it is the same address; in another port, too.
    for fields in [{"X_Forwarded_For": f"{attacker}:99"}, {"Forwarded": f'for="{attacker}:1"'},
                   {"X_Forwarded_For": f"::ffff:{attacker}"}]:
        refused = asked(hub, "GET", "/topics", file.keys["admin"], "127.77.9.9", **fields)
        assert_problem(refused, 429, "rate-limited")
    # Those beside it, and the proxy itself, are not kept out.
    assert asked(hub, "GET", "/topics", file.keys["admin"], X_Forwarded_For=neighbour).status_code == 200
    assert asked(hub, "GET", "/topics", file.keys["admin"]).status_code == 200


def test_an_address_made_up_to_the_left_is_no_way_round(hub, file):
    attacker = fresh_client()
    for number in range(20):
        fail(hub, 1, X_Forwarded_For=f"198.51.100.{number}, {attacker}")
    refused = asked(hub, "GET", "/topics", file.keys["admin"], X_Forwarded_For=f"198.51.100.99, {attacker}")
    assert_problem(refused, 429, "rate-limited")
    assert asked(hub, "GET", "/topics", file.keys["admin"], X_Forwarded_For="198.51.100.1").status_code == 200


def test_who_is_no_proxy_cannot_be_another(hub, file):
    attacker = fresh_address()
    for number in range(20):
        fail(hub, 1, attacker, X_Forwarded_For=f"198.51.100.{number}", Forwarded=f"for=198.51.100.{number}")
    assert_problem(asked(hub, "GET", "/topics", file.keys["admin"], attacker), 429, "rate-limited")
    assert asked(hub, "GET", "/topics", file.keys["admin"], X_Forwarded_For="198.51.100.1").status_code == 200


def test_addresses_of_one_ipv6_network_are_one(hub, file):
    for number in range(20):
        fail(hub, 1, X_Forwarded_For=f"2001:db8:7:7::{number:x}")
    assert_problem(asked(hub, "GET", "/topics", file.keys["admin"], X_Forwarded_For="2001:db8:7:7:8::"), 429, "rate-limited")
    assert asked(hub, "GET", "/topics", file.keys["admin"], X_Forwarded_For="2001:db8:7:8::").status_code == 200


# Host and origin

@pytest.mark.parametrize("by, fields, status", [
    (PROXY, {"Host": "upstream", "X-Forwarded-Host": "hub.example"}, 200),
    (PROXY, {"Host": "upstream", "X-Forwarded-Host": "localhost, HUB.example:443"}, 200),
    (PROXY, {"Host": "upstream", "Forwarded": 'for=203.0.113.7;host="hub.example:443"'}, 200),
    (PROXY, {"Host": "localhost", "X-Forwarded-Host": "attacker.example"}, 421),
    (PROXY, {"Host": "localhost", "X-Forwarded-Host": "localhost, attacker.example"}, 421),
    (PROXY, {"Host": "localhost", "Forwarded": "for=203.0.113.7;host=attacker.example"}, 421),
    (PROXY, {"Host": "attacker.example"}, 421),
    # Not believed: then `Host` counts.
    (PROXY, {"Host": "attacker.example", "X-Forwarded-Host": "hub.example", "Forwarded": "host=localhost"}, 421),
    (PROXY, {"Host": "attacker.example", "X-Forwarded-Host": "hub.example/"}, 421),
    (OTHER, {"Host": "attacker.example", "X-Forwarded-Host": "hub.example"}, 421),
    (OTHER, {"Host": "attacker.example", "Forwarded": "host=hub.example"}, 421),
    (OTHER, {"Host": "hub.example", "X-Forwarded-Host": "attacker.example"}, 200),
])
def test_the_name_that_was_asked_for_is_the_proxys(hub, by, fields, status):
    assert ask(hub, "GET", "/healthz", headers=fields, address=by).status_code == status


@pytest.mark.parametrize("by, fields, status", [
    (PROXY, {"X-Forwarded-Host": "hub.example", "X-Forwarded-Proto": "https"}, 201),
    (PROXY, {"X-Forwarded-Host": "hub.example:443", "X-Forwarded-Proto": "https"}, 201),
    (PROXY, {"X-Forwarded-Host": "hub.example"}, 201),
    (PROXY, {"Forwarded": "for=203.0.113.7;host=hub.example;proto=https"}, 201),
    (PROXY, {"X-Forwarded-Host": "hub.example", "X-Forwarded-Proto": "http"}, 403),
    (PROXY, {"X-Forwarded-Host": "hub.example:8443", "X-Forwarded-Proto": "https"}, 403),
    (PROXY, {}, 403),
    (OTHER, {"X-Forwarded-Host": "hub.example", "X-Forwarded-Proto": "https"}, 403),
])
def test_a_page_of_the_proxys_origin_is_of_the_hubs_own(hub, file, topic, by, fields, status):
    headers = {"Origin": "https://hub.example", "Sec-Fetch-Site": "same-origin", **fields}
    answer = ask(hub, "POST", events_path(topic), file.keys["admin"], headers, b"x", by)
    assert answer.status_code == status
    # The cookie counts for a page of the hub's own, and of no other.
    headers["Cookie"] = f"clarion_token={file.keys['admin']}"
    assert (ask(hub, "POST", events_path(topic), None, headers, b"x", by).status_code == 201) == (status == 201)


def test_without_names_the_proxy_answers_for_what_it_is_asked_for(start_hub):
    hub = start_hub("--trusted-proxy", "127.0.0.1")
    fields = {"Origin": "https://hub.example", "X-Forwarded-Host": "hub.example", "X-Forwarded-Proto": "https"}
    assert exchange(hub.port, request("POST", "/topics/a/events", fields, b"x")).status == 201
    assert exchange(hub.port, request("GET", "/healthz", {"Host": "hub.example"})).status == 421


# Bounds and settings

def test_ten_thousand_entries_are_no_trouble(start_hub):
    hub = start_hub("--trusted-proxy", "127.0.0.1", "--connection-memory", "1MiB")
    for name, entry in [("X-Forwarded-For", "127.0.0.1"), ("Forwarded", "for=127.0.0.1"), ("Forwarded", 'for="')]:
        fields = {name: ", ".join([entry] * 10_000)}
        assert exchange(hub.port, request("GET", "/healthz", fields)).status == 200
    assert exchange(hub.port, request("GET", "/healthz")).status == 200


@pytest.mark.parametrize("network", ["10.0.0.0/33", "proxy.example", "10.0.0.0/", "::/129", "10.0.0.1:80", "*"])
def test_a_network_that_is_none_is_refused_at_the_start(clarion, network):
    assert refusal(clarion("serve", "--port", "0", "--trusted-proxy", network), "trusted-proxy") == 64


def test_networks_come_from_the_environment_too(start_hub):
    hub = start_hub("--allow-host", "hub.example", environment={"CLARION_TRUSTED_PROXY": "10.0.0.0/8, 127.0.0.0/8"})
    assert exchange(hub.port, request("GET", "/healthz", {"X-Forwarded-Host": "attacker.example"})).status == 421
