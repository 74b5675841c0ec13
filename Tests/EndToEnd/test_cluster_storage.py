"""The storage of a cluster's servers is full: posts are refused, all else goes on, and posts are taken again when there is room."""

import resource
from concurrent.futures import ThreadPoolExecutor

import pytest

from nats_servers import PROGRAM, NATSServers, log, server  # noqa: F401: fixtures
from test_cluster import ask, post
from waiting import wait_until
from webhook_receiver import WebhookReceiver

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="there is no nats-server: apt-get install nats-server")

LARGE = "x" * 200_000


def code(answer):
    return answer.status_code, answer.json().get("code")


def wait_for_reserve(servers, name):
    """Nodes write it some seconds after the first has its leases."""
    wait_until(lambda: servers.messages_on(name, f"clarion.{name}.reserve") >= 17, 20, "the reserve")


def fill(hub):
    for _ in range(200):
        answer = post(hub, "large", LARGE)
        if answer.status_code != 201:
            assert code(answer) == (507, "storage-full"), answer.text
            return
    raise AssertionError("it is never full")


@pytest.fixture
def full(start_hub, tmp_path, log):
    """Two nodes, one of them with a webhook that has more waiting than it gets meanwhile, and servers that are full."""
    with NATSServers(tmp_path, 1, jetstream="max_file_store: 12MB") as servers, WebhookReceiver() as receiver:
        hubs = [start_hub("--log", servers.log(log), "--allow-egress", "127.0.0.0/8") for _ in range(2)]
        wait_for_reserve(servers, log)
        path = "/observers/" + hubs[0].register(receiver.url("/hook"), "a", ratePerSecond=2)["id"]
        for number in range(60):
            assert post(hubs[0], "a", str(number)).status_code == 201
        fill(hubs[1])
        yield hubs, servers, receiver, path


def test_deliveries_and_removals_go_on_and_posts_are_taken_when_there_is_room(full):
    hubs, _, receiver, path = full
    for hub in hubs:
        wait_until(lambda: code(post(hub, "a", "more")) == (507, "storage-full"), what="the refusal of a small post")
        # As soon as it is said in the stream.
        wait_until(lambda: (answer := ask(hub, "GET", "/readyz")).status_code == 503 and code(answer) == (503, "storage-full"),
                   5, "the node to say so")
    # Beyond the time that leases last.
    count = len(receiver.deliveries)
    receiver.wait_for(count + 20, deadline=30)
    other = ask(hubs[1], "PUT", "/observers/other", json={"url": receiver.url("/other"), "topics": ["none"]})
    assert other.status_code == 201, other.text
    for gone in (path, "/observers/other", "/topics/large"):
        assert ask(hubs[0], "DELETE", gone).status_code == 204
    for hub in hubs:
        wait_until(lambda: post(hub, "a", "again").status_code == 201, 40, "room for a post")
        assert ask(hub, "GET", "/readyz").status_code == 200
    # And once more: the reserve is there again.
    fill(hubs[0])
    assert ask(hubs[1], "DELETE", "/topics/large").status_code == 204
    wait_until(lambda: post(hubs[0], "a", "again").status_code == 201, 40, "room for a post")


def test_a_node_that_starts_while_it_is_full_makes_room(full):
    hubs, *_ = full
    for hub in hubs:
        hub.kill()
    hubs[0].start()
    # Of what is left it may send more, now that it is alone.
    fill(hubs[0])
    wait_until(lambda: code(post(hubs[0], "a", "more")) == (507, "storage-full"), what="the refusal of a small post")
    # By a bound of the topic: nothing is removed before somebody has the leases.
    assert ask(hubs[0], "PUT", "/topics/large", json={"retention": {"events": 1}}).status_code == 200
    wait_until(lambda: post(hubs[0], "a", "again").status_code == 201, 60, "room for a post")


def test_the_bound_of_an_account_is_told_as_full_storage(start_hub, tmp_path, log):
    accounts = 'accounts { A { jetstream: { max_file: 2000000 }, users: [{ user: "u", password: "p" }] } }'
    with NATSServers(tmp_path, 1, settings=accounts) as servers:
        hub = start_hub("--log", servers.log(log, "u:p@"))
        # A small one has a small reserve.
        wait_until(lambda: servers.state(log)["bytes"] > 60_000, 20, "the reserve")
        fill(hub)
        assert ask(hub, "DELETE", "/topics/large").status_code == 204
        wait_until(lambda: post(hub, "large", LARGE).status_code == 201, 40, "room for a post")


def test_a_burst_from_several_nodes_leaves_room_to_make_room(start_hub, tmp_path, log):
    """Servers that are a cluster take more than an account may have, since they look only at what they have stored."""
    accounts = 'accounts { A { jetstream: { max_file: 60000000 }, users: [{ user: "u", password: "p" }] } }'
    with NATSServers(tmp_path, 3, settings=accounts) as servers:
        hubs = [start_hub("--log", servers.log(log, "u:p@")) for _ in range(3)]
        wait_until(lambda: servers.state(log)["bytes"] > 1_200_000, 30, "the reserve, a sixteenth of a third")

        def burst(number):
            """Until it is full, for longer than nodes take to hear of each other."""
            refusals = 0
            while refusals < 10:
                answer = post(hubs[number % 3], "large", LARGE, timeout=20)
                assert code(answer) in ((201, None), (503, "overloaded"), (507, "storage-full")), answer.text
                refusals += answer.status_code == 507

        with ThreadPoolExecutor(24) as pool:
            list(pool.map(burst, range(24)))
        assert servers.state(log)["bytes"] <= 20_000_000
        for hub in hubs:
            assert ask(hub, "PUT", "/topics/other", json={"retention": {"events": 5}}).ok
        assert ask(hubs[0], "DELETE", "/topics/large").status_code == 204
        for hub in hubs:
            wait_until(lambda: post(hub, "large", LARGE).status_code == 201, 40, "room for a post")


def test_the_bound_of_the_stream_is_told_as_full_storage_and_of_a_message_as_a_limit(start_hub, tmp_path, log):
    with NATSServers(tmp_path, 1) as servers:
        hub = start_hub("--log", servers.log(log))
        servers.change_settings(log, max_msg_size=100_000)
        assert code(post(hub, "large", LARGE)) == (507, "limit-reached")
        servers.change_settings(log, max_msg_size=-1)
        wait_for_reserve(servers, log)
        servers.change_settings(log, max_bytes=4_000_000)
        fill(hub)
        assert ask(hub, "DELETE", "/topics/large").status_code == 204
        wait_until(lambda: post(hub, "large", LARGE).status_code == 201, 40, "room for a post")


def test_a_post_that_only_this_node_cannot_keep_is_not_called_lost(start_hub, server, log):
    hub, other = start_hub("--log", server.log(log)), start_hub("--log", server.log(log))
    hub.post("a", "1")
    [file] = hub.data.glob("clarion-node-*/clarion.db-wal")
    _, hard = resource.prlimit(hub.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(hub.process.pid, resource.RLIMIT_FSIZE, (file.stat().st_size, hard))
    answer = ask(hub, "POST", "/topics/a/events", data="x" * 100_000, headers={"Content-Type": "text/plain"})
    assert (answer.status_code, answer.json()["code"]) == (503, "log-unavailable"), answer.text
    wait_until(lambda: len(other.history("a")) == 2, what="the event at the other node")
    resource.prlimit(hub.process.pid, resource.RLIMIT_FSIZE, (hard, hard))
