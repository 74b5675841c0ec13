"""The fuzzer over a running hub. 40,000 requests here; a million with CLARION_LOAD=full."""

import os
import time

import pytest

from http_fuzzer import Fuzzer
from test_unfinished_requests import stable, stop_at_once
from waiting import wait_until

FULL = os.environ.get("CLARION_LOAD") == "full"


@pytest.mark.measured
@pytest.mark.parametrize("seed", [1, 2, 3, 4] if FULL else [20261122])
def test_whatever_is_sent_the_hub_stays_whole(start_hub, figure, seed):
    requests = 250_000 if FULL else 40_000
    hub = start_hub("--durability", "process", "--retention-events", "20")
    with hub.stream("quiet") as listener:
        Fuzzer(hub.port, seed=seed).run(requests // 4)
        before = wait_until(lambda: stable(hub.sockets), what="a number of sockets that stays")
        rss = hub.rss()
        began = time.monotonic()
        fuzzer = Fuzzer(hub.port, seed=seed + 1000).run(requests)
        figure(f"{fuzzer.sent} requests in {time.monotonic() - began:.0f} s, RSS {rss >> 20} to {hub.rss() >> 20} MiB, "
               f"{dict(sorted(fuzzer.statuses.items()))}")
        assert fuzzer.faults == []
        wait_until(lambda: hub.sockets() <= before + 1, 5, "the sockets from before")
        hub.wait_for_observers(1, kind="stream", deadline=5)
        hub.post("quiet", "still here")
        assert listener.next().data == "still here"
        figure.at_most((hub.rss() - rss) / 2**20, 16, "the growth, in MiB,")
    stop_at_once(hub, figure)
    hub.assert_sound()
