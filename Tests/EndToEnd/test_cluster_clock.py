"""The clock of a node's machine is set back: libnats waits by it, and the node must not. Or it is wrong: the servers' counts."""

import signal
import time
from datetime import datetime

import pytest

from event_stream import StreamEnded
from hub_process import events_path
from nats_servers import PROGRAM, NATSServers, log  # noqa: F401: fixture
from stepped_clock import HOUR, SteppedClock
from test_cluster import ask, post
from waiting import wait_until
from webhook_receiver import WebhookReceiver

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="there is no nats-server: apt-get install nats-server")


@pytest.fixture
def clock(tmp_path):
    return SteppedClock(tmp_path)


@pytest.mark.parametrize("step", [-HOUR, 0], ids=["-1h", "0"])
def test_a_node_leaves_a_server_that_hangs(start_hub, tmp_path, log, clock, step):
    with NATSServers(tmp_path, 3) as servers:
        hub = start_hub("--log", servers.log(log), environment=clock.environment)
        assert post(hub, "a", "0").status_code == 201
        clock.step(step)
        [place] = [place for place in range(3) if "clarion" in servers.clients(place)]
        servers.signal(place, signal.SIGSTOP)
        try:
            # It may also have led the stream, which the others notice in time.
            wait_until(lambda: post(hub, "a", "1", timeout=20).status_code == 201, 45, "a post")
            assert [other for other in range(3) if other != place and "clarion" in servers.clients(other)]
        finally:
            servers.signal(place, signal.SIGCONT)
        hub.stop()


def test_a_node_comes_back_to_a_server_that_was_away(start_hub, tmp_path, log, clock):
    with NATSServers(tmp_path, 1) as servers:
        hub = start_hub("--log", servers.log(log), environment=clock.environment)
        assert post(hub, "a", "0").status_code == 201
        servers.kill(0)
        wait_until(lambda: ask(hub, "GET", "/readyz").status_code == 503, what="the connection's end")
        # In the middle of libnats' waiting between two attempts.
        clock.step(-HOUR)
        servers.start(0)
        servers.wait_until_ready(0)
        wait_until(lambda: post(hub, "a", "1").status_code == 201, 40, "a post")
        hub.stop()


def test_a_node_stops_at_once_after_its_clock_was_set_back(start_hub, tmp_path, log, clock):
    with NATSServers(tmp_path, 1) as servers:
        hub = start_hub("--log", servers.log(log), environment=clock.environment)
        assert post(hub, "a", "0").status_code == 201
        clock.step(-HOUR)
        assert post(hub, "a", "1").status_code == 201
        hub.stop(deadline=8)


def test_a_node_whose_clock_is_wrong_tells_the_servers_time(start_hub, tmp_path, log, clock):
    clock.step(2 * HOUR)
    with NATSServers(tmp_path, 1) as servers, WebhookReceiver() as receiver:
        options = ("--log", servers.log(log), "--allow-egress", "127.0.0.0/8")
        wrong = start_hub(*options, environment=clock.environment)
        webhook = wrong.register(receiver.url(), "a")
        wrong.post("a", b"0")
        [delivery] = receiver.wait_for(1)
        assert abs(int(delivery.headers["webhook-timestamp"]) - time.time()) < 60
        deliveries = f"/observers/{webhook['id']}/deliveries"
        wait_until(lambda: wrong.get(deliveries).json()["deliveries"][0]["state"] == "delivered", what="the outcome")
        [attempt] = wrong.get(f"{deliveries}/{delivery.id}").json()["attemptLog"]
        for moment in webhook["createdAt"], attempt["at"]:
            assert abs(datetime.fromisoformat(moment).timestamp() - time.time()) < 60
        assert len(wrong.get(f"{events_path('a')}?since=1m").json()["events"]) == 1
        with wrong.stream("a", query="since=1m") as stream:
            assert stream.next().data == "0"
        replay = wrong.request("POST", f"/observers/{webhook['id']}/replay", json={"since": "1m"})
        assert replay.json()["replayed"] == 1, replay.text

        right = start_hub(*options)
        for first, second in (wrong, right), (right, wrong), (wrong, right):
            with first.stream("a", query="observer=mine") as old, second.stream("a", query="observer=mine") as new:
                with pytest.raises(StreamEnded):
                    old.next(10)
                second.post("a", b"1")
                assert new.next(10).data == "1"
