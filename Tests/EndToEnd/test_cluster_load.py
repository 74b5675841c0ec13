"""A cluster under load whose servers and nodes are killed and cut off, one after the other: what was promised holds.

Minutes of work: with CLARION_LOAD=full, for root. CLARION_CLUSTER_SECONDS says for how long (600), CLARION_CLUSTER_RATE how many
posts there are a second (2000)."""

import faulthandler
import itertools
import os
import time
from collections import defaultdict

import pytest
import requests

import cluster_load
from cluster_load import Part, position_of
from event_stream import EventStream
from figures import ENFORCED
from nats_servers import PROGRAM, NATSServers
from network_namespaces import AVAILABLE, Network
from waiting import wait_until

pytestmark = [
    pytest.mark.skipif(not ENFORCED, reason="with CLARION_LOAD=full"),
    pytest.mark.skipif(not AVAILABLE or PROGRAM is None, reason="for root, with ip, iptables and nats-server"),
    pytest.mark.measured,
]

SECONDS = float(os.environ.get("CLARION_CLUSTER_SECONDS", "600"))
RATE = int(os.environ.get("CLARION_CLUSTER_RATE", "2000"))
CONNECTIONS = 48
STREAMS = 100
TOPICS = [f"s{number}" for number in range(40)]
#: Each has a topic of its own: is it ordered, the longest time that its endpoint takes, how often that answers 500.
WEBHOOKS = [
    (True, 0, 0), (True, 0.01, 0), (True, 0, 0.02), (True, 0.02, 0.02),
    (False, 0, 0), (False, 0.05, 0), (False, 0, 0.02), (False, 0.3, 0), (False, 0.3, 0.1), (False, 3, 0),
]
HOOKED = [f"h{number}" for number in range(len(WEBHOOKS))]
#: For how long something is cut off, in seconds.
CUT = min(30.0, SECONDS / 4)
#: For how long something that was killed stays away.
DOWN = 4.0


class Cluster:
    """Three servers and three nodes, each on a machine of its own."""

    def __init__(self, folder, start_hub_process, network):
        self.network = network
        self.server_machines, self.node_machines = network.machines[:3], network.machines[3:]
        self.servers = NATSServers(folder, 3, machines=self.server_machines)
        self.servers.__enter__()
        options = [
            "--log", self.servers.log("load"), "--open", "--allow-egress", "10.0.0.0/8", "--webhooks-retry", ",".join(["200ms"] * 50)]
        self.nodes = [start_hub_process(machine, options) for machine in self.node_machines]

    @property
    def addresses(self):
        return [(machine.address, node.port) for machine, node in zip(self.node_machines, self.nodes)]

    def is_ready(self, place):
        try:
            return requests.get(self.nodes[place].url + "/readyz", timeout=2).status_code == 200
        except requests.RequestException:
            return False

    def wait_until_ready(self):
        """Returns how many seconds it took."""
        began = time.monotonic()
        wait_until(lambda: all(self.is_ready(place) for place in range(3)), 60, "readiness of all nodes")
        return time.monotonic() - began


@pytest.fixture
def cluster(executable, start_hub, tmp_path):
    with Network(["s0", "s1", "s2", "n0", "n1", "n2"]) as network:
        def start(machine, options):
            return start_hub(*options, "--host", machine.address, prefix=machine.prefix)

        cluster = Cluster(tmp_path, start, network)
        try:
            yield cluster
        finally:
            for node in cluster.nodes:
                if not node.is_down:
                    node.kill()
            cluster.servers.__exit__()


def test_nothing_is_lost_whatever_is_killed_or_cut_off(cluster, figure):
    # It is meant to take longer than pytest.ini lets a test take.
    faulthandler.cancel_dump_traceback_later()
    end = time.monotonic() + SECONDS
    receiver = Part(cluster_load.receive, cluster.network.host, [behaviour for _, *behaviour in WEBHOOKS])
    for number, (is_ordered, *_) in enumerate(WEBHOOKS):
        url = f"http://{cluster.network.host}:{receiver.beginning}/{number}"
        cluster.nodes[number % 3].register(url, HOOKED[number], ordered=is_ordered)
    streams = Part(cluster_load.subscribe, cluster.addresses, TOPICS, STREAMS)
    # A tenth of the posts is for webhooks.
    posts = Part(cluster_load.post, cluster.addresses, TOPICS * 2 + HOOKED, RATE, CONNECTIONS)
    faults = Faults(cluster, receiver)
    for fault in itertools.cycle(faults.all):
        fault()
        figure(f"{faults.what[-1]}")
        if time.monotonic() > end:
            break
    posted = posts.end()
    cluster.wait_until_ready()
    history = read_history(cluster)
    last = {topic: places[-1] for topic, places in history.places.items()}

    def are_streams_done():
        streams.tell("where")
        return all(place == last[TOPICS[number % len(TOPICS)]] for number, place in enumerate(streams._here.recv()))

    try:
        wait_until(are_streams_done, 60, "streams to hear everything")
        # The slowest endpoint takes ten a second, and is offered more.
        wait_until(lambda: are_delivered(cluster), 120 + SECONDS, "deliveries")
    finally:
        seen, attempts = streams.end(), receiver.end()
    judge_posts(posted, history, figure)
    judge_streams(seen, history, figure)
    judge_webhooks(attempts, history, figure)


def are_delivered(cluster):
    return all(observer["stats"]["pending"] == 0 for observer in cluster.nodes[0].observers() if observer["kind"] == "webhook")


class Faults:
    """What goes wrong, one after the other."""

    def __init__(self, cluster, receiver):
        self.cluster = cluster
        self.receiver = receiver
        self.what = []
        kills = [(kill, place) for place in range(3) for kill in (self.kill_server, self.kill_node)]
        self.all = [
            *(lambda kill=kill, place=place: kill(place) for kill, place in kills),
            self.cut_off_node, lambda: self.cut_off_server(0), lambda: self.cut_off_server(1)]

    def kill_server(self, place):
        self.cluster.servers.kill(place)
        time.sleep(DOWN)
        self.cluster.servers.start(place)
        self.cluster.servers.wait_until_ready(place)
        self.settle(f"server {place} killed")

    def kill_node(self, place):
        deliverer = self.deliverer()
        self.cluster.nodes[place].kill()
        time.sleep(DOWN)
        began = time.monotonic()
        # It reads all there is before it serves.
        self.cluster.nodes[place].start(self.cluster.nodes[place].port, deadline=300)
        took = time.monotonic() - began
        self.settle(f"node {place} killed{', which delivered' if deliverer == place else ''}; started in {took:.1f} s")

    def cut_off_node(self):
        """The one that delivers: clients still reach it, and so does it the webhooks' endpoints."""
        place = self.deliverer() or 0
        machine, node = self.cluster.node_machines[place], self.cluster.nodes[place]
        with EventStream(node.port, "/topics/s0/events?type=none", host=machine.address) as stream:
            stream.wait_for_comment()
            machine.cut_off_from(*(server.address for server in self.cluster.server_machines))
            began = time.monotonic()
            answers = []
            while time.monotonic() < began + CUT:
                asked = time.monotonic()
                answer = requests.post(f"{node.url}/topics/s0/events", data="0/cut", timeout=10)
                answers.append((answer.status_code, time.monotonic() - asked))
                time.sleep(0.5)
            assert not self.cluster.is_ready(place)
            machine.heal()
            took = self.cluster.wait_until_ready()
            # It is there still, and says so with a comment at the latest.
            stream.wait_for_comment(20)
        late = [answer for answer in answers if answer[0] != 503 or answer[1] > 2]
        assert {status for status, _ in answers[1:]} == {503} and not late, f"{late}"
        self.settle(f"node {place} cut off for {CUT:.0f} s, ready {took:.1f} s after it")

    def cut_off_server(self, place):
        machines = self.cluster.network.machines
        machine = machines[place]
        machine.cut_off_from(*(other.address for other in machines if other is not machine))
        time.sleep(CUT)
        machine.heal()
        began = time.monotonic()
        # They look for each other, and then for a leader: more than 30 s in one run of four.
        self.cluster.servers.wait_until_ready(place, 120)
        self.settle(f"server {place} cut off for {CUT:.0f} s, current {time.monotonic() - began:.1f} s after it")

    def deliverer(self):
        self.receiver.tell("who")
        address = self.receiver._here.recv()
        return next((place for place, machine in enumerate(self.cluster.node_machines) if machine.address == address), None)

    def settle(self, what):
        took = self.cluster.wait_until_ready()
        self.what.append(f"{what}; all ready {took:.1f} s later")
        # So that the next fault is one of a cluster that is well.
        time.sleep(3)


def newest(node):
    return node.get("/topics/s0/events?last=1").json()["events"][-1]["id"]


class History:
    """What the log holds."""

    def __init__(self):
        self.texts = {}
        self.places = defaultdict(list)


def read_history(cluster):
    """Of the first node, page by page; the others must answer the same, byte by byte, when they have it all."""
    history, after = History(), None
    # One that was started last may be some seconds behind.
    deadline = time.monotonic() + 120
    while len(set(ends := [newest(node) for node in cluster.nodes])) > 1:
        servers = [cluster.servers.state("load", place) for place in range(3)]
        assert time.monotonic() < deadline, f"nodes that are ready differ in their newest event: {ends}; servers: {servers}"
        time.sleep(0.1)
    while True:
        query = {"limit": 1000} | ({"after": after} if after else {"since": "earliest"})
        pages = [node.get("/topics/**/events", params=query).content for node in cluster.nodes]
        assert pages[0] == pages[1] == pages[2], f"after {after}: nodes differ"
        page = requests.models.complexjson.loads(pages[0])
        for event in page["events"]:
            place = position_of(event["id"])
            if event["topic"].startswith("clarion."):
                continue
            history.texts[place] = event["data"]
            history.places[event["topic"]].append(place)
        after = page["next"]
        if after is None:
            return history


def judge_posts(posted, history, figure):
    acknowledged = posted["acknowledged"]
    lost = [pair for pair in acknowledged if history.texts.get(pair[0]) != pair[1]]
    assert lost == [], f"{len(lost)} acknowledged events of {len(acknowledged)} are lost"
    texts = [text for text in history.texts.values() if text != "0/cut" and int(text.split("/")[0]) % 2 == 0]
    assert len(set(texts)) == len(texts), "what was repeated under its key was stored twice"
    times, waits = posted["times"][0::2], sorted(posted["times"][1::2])
    silence = max(later - earlier for earlier, later in itertools.pairwise(sorted(times)))
    figure(f"{len(acknowledged)} posts acknowledged, {len(acknowledged) / SECONDS:.0f}/s, of {len(history.texts)} stored; none for "
           f"{silence:.1f} s at most; p50 {waits[len(waits) // 2] * 1000:.1f} ms, p99 {waits[len(waits) * 99 // 100] * 1000:.0f} ms; "
           f"refused: {dict(posted['refused'])}")


def judge_streams(seen, history, figure):
    for number, stream in enumerate(seen):
        assert stream["odd"] == [], f"stream {number}"
        wanted = history.places[stream["topic"]]
        assert list(stream["positions"]) == wanted, difference(number, list(stream["positions"]), wanted)
    figure(f"{sum(len(stream['positions']) for stream in seen)} events on {len(seen)} streams, each once and in order, over "
           f"{sum(stream['connections'] for stream in seen)} connections")


def difference(number, heard, wanted):
    missing, added = sorted(set(wanted) - set(heard)), sorted(set(heard) - set(wanted))
    return (f"stream {number} heard {len(heard)} events of {len(wanted)}: {len(missing)} missing from {missing[:3]}, "
            f"{len(added)} that are in no history, {len(heard) - len(set(heard))} twice, in order: {heard == sorted(heard)}")


def judge_webhooks(attempts, history, figure):
    longest = 0
    for hook, (is_ordered, *_) in enumerate(WEBHOOKS):
        own = [attempt[1:] for attempt in attempts if attempt[0] == hook]
        wanted = history.places[HOOKED[hook]]
        arrived = [place for _, _, _, place, status in own if status == 204]
        missing = set(wanted) - set(arrived)
        assert not missing, f"webhook {hook} never got {len(missing)} of {len(wanted)}"
        if is_ordered:
            first = list(dict.fromkeys(place for _, _, _, place, _ in own))
            assert first == wanted, f"webhook {hook} is ordered, and heard otherwise"
            newest = 0
            for _, _, _, place, status in own:
                # Nothing is tried before what is ahead of it has arrived, and what has arrived may come again.
                assert place <= newest or wanted.index(place) == (wanted.index(newest) + 1 if newest else 0)
                newest = max(newest, place) if status == 204 else newest
        begun, ends = defaultdict(float), defaultdict(float)
        for node, start, end, place, _ in own:
            for other, until in ends.items():
                assert other == node or until <= start + 0.001, (
                    f"two nodes deliver webhook {hook} at once: {other} until {until - start:.3f} s after {node} has begun")
            ends[node] = max(ends[node], end)
            begun[node] = start
        starts = sorted(attempt[1] for attempt in own)
        longest = max([longest, *(later - earlier for earlier, later in itertools.pairwise(starts))])
    figure(f"{len(attempts)} attempts for {sum(len(history.places[topic]) for topic in HOOKED)} deliveries of {len(WEBHOOKS)} webhooks, "
           f"never by two nodes at once; none for {longest:.1f} s at most")
