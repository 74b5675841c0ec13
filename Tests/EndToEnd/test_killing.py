"""kill -9 at moments of chance, under load, with publishers that repeat what was not acknowledged."""

import json
import os
import random
import threading
import time

import pytest

from hub_process import events_path
from raw_http import RawConnection, request
from waiting import DEADLINE, wait_until

#: How often the hub is killed; the environment may ask for more.
ROUNDS = int(os.environ.get("KILL_ROUNDS", "5"))

CONNECTIONS = 8


class Publisher(threading.Thread):
    """Posts one event, or a batch of three, after the other; what is not acknowledged it posts again under its key."""

    def __init__(self, hub, topic, name, seed):
        super().__init__(daemon=True)
        self.hub, self.topic, self.name_in_data = hub, topic, name
        self.source = random.Random(seed)
        #: (id, data) of each event, in the order of posting.
        self.acknowledged = []
        self.replays = 0
        self.odd = []
        self.is_done = threading.Event()

    def run(self):
        connection = None
        number = 0
        while not self.is_done.is_set() and not self.odd:
            count = self.source.choice([1, 1, 1, 3])
            texts = [f"{self.name_in_data}/{number + place}" for place in range(count)]
            connection = self._post(connection, texts)
            number += count
        if connection:
            connection.close()

    def _post(self, connection, texts):
        """Until it is acknowledged. Returns a connection for the next one."""
        if len(texts) == 1:
            body, kind = texts[0].encode(), "text/plain"
        else:
            body, kind = "".join(json.dumps(text) + "\n" for text in texts).encode(), "application/x-ndjson"
        fields = {"Content-Type": kind, "Idempotency-Key": texts[0]}
        deadline = time.monotonic() + 4 * DEADLINE
        while time.monotonic() < deadline:
            try:
                connection = connection or RawConnection(self.hub.port)
                response = None
                if connection.send(request("POST", events_path(self.topic), fields, body)):
                    response = connection.receive()
            except OSError:
                response = None
            if response is None:
                if connection:
                    connection.close()
                connection = None
                time.sleep(0.01)
                continue
            if response.status not in (200, 201):
                self.odd.append(response)
                return connection
            self.replays += response.status == 200
            answer = response.json()
            receipts = answer["events"] if "events" in answer else [answer]
            self.acknowledged += [(receipt["id"], text) for receipt, text in zip(receipts, texts, strict=True)]
            return connection
        self.odd.append(f"{texts} was not taken")
        return connection


@pytest.mark.parametrize("durability", ["process", "disk"])
def test_nothing_acknowledged_is_lost_and_nothing_stored_twice(start_hub, topic, durability, figure):
    source = random.Random(ROUNDS)
    hub = start_hub("--durability", durability)
    publishers = [Publisher(hub, topic, name, seed=name) for name in range(CONNECTIONS)]
    for publisher in publishers:
        publisher.start()

    def acknowledged():
        return sum(len(publisher.acknowledged) for publisher in publishers)

    for _ in range(ROUNDS):
        before = acknowledged()
        wait_until(lambda: acknowledged() > before + 50, what="posts that are acknowledged")
        # A moment of chance is what this is about.
        time.sleep(source.uniform(0, 0.3))
        hub.kill()
        hub.assert_sound()
        hub.restart()
    before = acknowledged()
    wait_until(lambda: acknowledged() > before + 50, what="posts that are acknowledged")
    for publisher in publishers:
        publisher.is_done.set()
    for publisher in publishers:
        publisher.join(4 * DEADLINE)
        assert not publisher.is_alive()
        assert publisher.odd == []

    history = [(event["id"], event["data"]) for event in hub.history(topic)]
    assert len({id for id, _ in history}) == len(history), "an id was given twice"
    assert len({text for _, text in history}) == len(history), "an event was stored twice"
    place = {pair: number for number, pair in enumerate(history)}
    for publisher in publishers:
        lost = [pair for pair in publisher.acknowledged if pair not in place]
        assert lost == [], "an acknowledged event was lost"
        places = [place[pair] for pair in publisher.acknowledged]
        assert places == sorted(places)
        assert [text for _, text in publisher.acknowledged] == [
            f"{publisher.name_in_data}/{number}" for number in range(len(publisher.acknowledged))]
    assert len(history) == acknowledged(), "every post was repeated until it was acknowledged"
    replays = sum(publisher.replays for publisher in publishers)
    figure(f"{acknowledged()} acknowledged, {replays} of them as replays, none lost and none twice in {ROUNDS} kills")
