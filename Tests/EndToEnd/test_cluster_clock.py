"""The clock of a node's machine is set back: libnats waits by it, and the node must not."""

import signal

import pytest

from nats_servers import PROGRAM, NATSServers, log  # noqa: F401: fixture
from stepped_clock import HOUR, SteppedClock
from test_cluster import ask, post
from waiting import wait_until

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
