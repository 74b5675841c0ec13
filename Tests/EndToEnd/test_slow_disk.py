"""A disk on which an fsync takes long: posts wait for it, together, and nothing else does."""

import threading
import time

from hub_process import events_path
from other_machine import OtherMachine
from raw_http import RawConnection, request
from waiting import wait_until

#: Seconds that an fsync takes longer: so many that no noise of the machine is taken for it.
SYNC = 0.3
#: How many post at once, and how often: first one alone, behind whom nobody waits, then many.
POSTERS = [(1, 3), (16, 2)]
EVENTS = sum(count * rounds for count, rounds in POSTERS)


def test_a_slow_disk_holds_up_posts_alone(start_hub, tmp_path, topic, figure):
    machine = OtherMachine(tmp_path)
    hub = start_hub("--durability", "disk", environment=machine.environment)
    stored = 200
    assert hub.request("POST", events_path(topic), data="1\n" * stored, headers={"Content-Type": "application/x-ndjson"}).ok
    acknowledged, delivered = {}, {}
    stream = hub.stream(topic)

    def listen():
        for _ in range(EVENTS):
            event, = stream.take(1)
            delivered[event.id] = time.monotonic()

    def post(rounds):
        with RawConnection(hub.port) as connection:
            for _ in range(rounds):
                connection.send(request("POST", events_path(topic), {"Content-Type": "text/plain"}, b"x"))
                answer = connection.receive()
                assert answer.status == 201
                acknowledged[answer.json()["id"]] = time.monotonic()

    def post_all():
        for count, rounds in POSTERS:
            threads = [threading.Thread(target=post, args=(rounds,)) for _ in range(count)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

    machine.slow_down(SYNC)
    syncs, began = machine.syncs, time.monotonic()
    threads = [threading.Thread(target=act) for act in (listen, post_all)]
    for thread in threads:
        thread.start()
    answers, replays = [], []
    with RawConnection(hub.port) as connection:
        while any(thread.is_alive() for thread in threads):
            answers.append(seconds(lambda: (connection.send(request("GET", "/healthz")), connection.receive())))
            if len(answers) % 100 == 1:
                replays.append(seconds(lambda: replay(hub, topic, stored)))
    for thread in threads:
        thread.join()
    lasted, syncs = time.monotonic() - began, machine.syncs - syncs
    machine.slow_down(0)
    lags = [delivered[id] - at for id, at in acknowledged.items()]
    assert len(lags) == EVENTS
    for what, values in [("answers", answers), ("lags of deliveries behind acknowledgements", lags), ("replays", replays)]:
        # All but one, which the machine may have held up. Most answers are asked for between two waits.
        longest = sorted(values)[-2]
        figure(f"the longest of {len(values)} {what} but one: {longest * 1000:.2f} ms")
        assert longest < SYNC / 2, (what, sorted(values)[-10:])
    figure(f"{len(lags)} posts in {lasted:.2f} s, {syncs} fsyncs of {SYNC * 1000:.0f} ms")
    # Each waits for the one that is under way and for its own at most, and a checkpoint or a folder may have some of its own.
    assert syncs <= 2 * sum(rounds for _, rounds in POSTERS) + 6
    stream.close()


def test_what_became_of_deliveries_waits_for_the_disk_once_a_second(start_hub, tmp_path, receiver, topic):
    machine = OtherMachine(tmp_path)
    hub = start_hub("--durability", "disk", "--allow-egress", "127.0.0.0/8", environment=machine.environment)
    webhook = hub.register(receiver.url(), topic, ratePerSecond=20)
    machine.slow_down(SYNC)
    assert hub.request("POST", events_path(topic), data="1\n" * 80, headers={"Content-Type": "application/x-ndjson"}).ok
    receiver.wait_for(1)
    syncs, began = machine.syncs, time.monotonic()
    wait_until(lambda: hub.observer(webhook["id"])["stats"]["delivered"] == 80)
    lasted, syncs = time.monotonic() - began, machine.syncs - syncs
    machine.slow_down(0)
    assert lasted > 2
    assert lasted - 2 <= syncs <= lasted + 2


def test_whoever_asks_for_readiness_has_little_written(start_hub, tmp_path):
    """Anybody may ask, and each write goes to the disk."""
    machine = OtherMachine(tmp_path)
    hub = start_hub("--durability", "disk", environment=machine.environment)
    syncs, began, answers = machine.syncs, time.monotonic(), 0
    with RawConnection(hub.port) as connection:
        while answers < 200 or time.monotonic() - began < 2:
            connection.send(request("GET", "/readyz"))
            assert connection.receive().status == 200
            answers += 1
    lasted, syncs = time.monotonic() - began, machine.syncs - syncs
    assert 1 <= syncs <= lasted + 2, answers


def replay(hub, topic, count):
    with hub.stream(topic, query="since=earliest") as stream:
        assert len(stream.take(count)) == count


def seconds(act):
    began = time.monotonic()
    act()
    return time.monotonic() - began
