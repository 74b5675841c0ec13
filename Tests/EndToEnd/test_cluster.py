"""Hubs that share a log on NATS JetStream: what is posted to one is heard on all, and none of them is missed."""

import contextlib
import json
import signal
import socket
import subprocess
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from hub_process import events_path
from nats_servers import PROGRAM, NATSServers, server  # noqa: F401: fixtures
from nats_stranger import NATSStranger
from waiting import DEADLINE, wait_until
from webhook_receiver import WebhookReceiver

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="there is no nats-server: apt-get install nats-server")

#: For how long others wait before they deliver in the place of a node that is gone, and what it takes beside.
TAKEOVER = 12


@pytest.fixture
def name():
    return f"t{uuid.uuid4().hex[:12]}"


@pytest.fixture
def nodes(start_hub, server, name):
    return [start_hub("--log", server.log(name), "--allow-egress", "127.0.0.0/8") for _ in range(2)]


def ask(hub, method, path, **options):
    """A request of its own connection: from any thread, and whatever became of the hub's earlier ones."""
    return requests.request(method, hub.url + path, **{"timeout": 5, **options})


def post(hub, topic, data, **options):
    """An event of text, for whatever it is answered."""
    return ask(hub, "POST", events_path(topic), data=data, headers={"Content-Type": "text/plain"}, **options)


def test_each_node_tells_of_what_is_posted_to_any_in_one_order(nodes):
    with nodes[0].stream("a.*") as here, nodes[1].stream("a.*") as there:
        def post(hub, number):
            for turn in range(50):
                hub.post(f"a.{number}", f"{number}/{turn}")

        posters = [threading.Thread(target=post, args=(hub, number)) for number, hub in enumerate(nodes)]
        for poster in posters:
            poster.start()
        for poster in posters:
            poster.join()
        one, other = here.take(100), there.take(100)
    assert [event.id for event in one] == [event.id for event in other]
    assert [event.data for event in one if event.data.startswith("0")] == [f"0/{turn}" for turn in range(50)]
    assert [event["id"] for event in nodes[1].history("a.*")] == [event.id for event in one]


def test_a_stream_goes_on_at_another_node(nodes):
    first = nodes[0].post("a", "1")
    with nodes[0].stream("a", last_event_id=first["id"]) as stream:
        nodes[1].post("a", "2")
        assert stream.next().data == "2"
        place = stream.last_event_id
    nodes[0].kill()
    nodes[1].post("a", "3")
    with nodes[1].stream("a", last_event_id=place) as stream:
        assert stream.next().data == "3"


def test_a_stream_that_comes_to_a_node_which_is_behind_hears_nothing_twice(nodes):
    # Large enough that it takes a while to catch up.
    text = "x" * 20_000
    with nodes[1].stream("a"):
        nodes[1].process.send_signal(signal.SIGSTOP)
        for _ in range(300):
            place = nodes[0].post("a", text)["id"]
        nodes[1].process.send_signal(signal.SIGCONT)
    with nodes[1].stream("a", query="since=earliest", last_event_id=place) as stream:
        nodes[0].post("a", "next")
        message = stream.next()
        assert (message.type, message.data) == ("message", "next")
    assert ask(nodes[1], "GET", events_path("a"), params={"after": place}).json()["events"][0]["data"] == "next"


def test_keys_and_conditions_mean_the_same_at_every_node(nodes):
    def post(hub, data, **headers):
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        return ask(hub, "POST", events_path("a"), data=data, headers=fields)

    answers = [post(hub, b"x", Idempotency_Key="k") for hub in nodes * 3]
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert [answer.status_code for answer in answers] == [201, 200, 200, 200, 200, 200]
    assert post(nodes[1], b"y", Idempotency_Key="k").status_code == 422


def test_of_several_who_make_a_topic_at_once_at_two_nodes_one_does(nodes):
    def make(number, topic):
        bounds = {"retention": {"events": number + 1}}
        return ask(nodes[number % 2], "PUT", f"/topics/{topic}", json=bounds, headers={"If-None-Match": "*"})

    with ThreadPoolExecutor(8) as pool:
        for turn in range(20):
            answers = list(pool.map(make, range(8), [f"a{turn}"] * 8))
            assert sorted(answer.status_code for answer in answers) == [200] + [412] * 7
            made = next(answer.json()["retention"] for answer in answers if answer.ok)
            for hub in nodes:
                wait_until(lambda: ask(hub, "GET", f"/topics/a{turn}").json().get("retention") == made, what="the one who came first")
    # Who changes what is there is not refused because others do.
    def change(number):
        return ask(nodes[number % 2], "PUT", "/topics/a0", json={"retention": {"events": number + 1}}, headers={"If-Match": "*"})

    with ThreadPoolExecutor(8) as pool:
        assert {answer.status_code for answer in pool.map(change, range(40))} == {200}


def test_a_condition_is_judged_by_all_that_was_acknowledged_before(nodes):
    lines, bounds = "1\n" * 5000, {"retention": {"events": 5}}

    def set_bounds(topic, **headers):
        return ask(nodes[1], "PUT", f"/topics/{topic}", json=bounds, headers=headers).status_code

    with ThreadPoolExecutor(2) as pool:
        for turn in range(3):
            nodes[1].process.send_signal(signal.SIGSTOP)
            try:
                for _ in range(6):
                    fields = {"Content-Type": "application/x-ndjson"}
                    assert ask(nodes[0], "POST", events_path("much"), data=lines, headers=fields).status_code == 201
                assert post(nodes[0], f"a{turn}", "1").status_code == post(nodes[0], f"b{turn}", "1").status_code == 201
            finally:
                nodes[1].process.send_signal(signal.SIGCONT)
            answers = [
                pool.submit(set_bounds, f"a{turn}", **{"If-None-Match": "*"}),
                pool.submit(set_bounds, f"b{turn}", **{"If-Match": "*"}),
            ]
            assert [answer.result() for answer in answers] == [412, 200]


def test_a_webhook_is_delivered_by_one_node_and_all_know_of_it(nodes):
    with WebhookReceiver() as receiver:
        path = "/observers/" + nodes[1].register(receiver.url("/hook"), "a")["id"]
        wait_until(lambda: nodes[0].request("GET", path).status_code == 200, what="what the other node knows")
        for number in range(20):
            nodes[number % 2].post("a", str(number))
        receiver.wait_for(20)
        # Each node knows what became of it, and nobody makes a second attempt.
        for hub in nodes:
            wait_until(lambda: hub.get(path).json()["stats"]["delivered"] == 20, what="the outcomes")
        assert sorted(int(delivery.body) for delivery in receiver.deliveries) == list(range(20))
        # Whichever node is asked, the one that delivers does it again.
        event = nodes[0].history("a")[0]["id"]
        for hub in nodes:
            count = len(receiver.deliveries)
            assert hub.request("POST", f"{path}/deliveries/{event}/redeliver").status_code == 202
            receiver.wait_for(count + 1)
        nodes[1].request("DELETE", path)


class Attempts:
    """Answers deliveries of ordered webhooks, and notes what came while another was under way at the same one."""

    def __init__(self):
        self.under_way = set()
        self.beside = []
        self.lock = threading.Lock()

    def __call__(self, delivery):
        with self.lock:
            if delivery.path in self.under_way:
                self.beside.append(delivery)
            self.under_way.add(delivery.path)
        time.sleep(0.01)
        with self.lock:
            self.under_way.discard(delivery.path)
        return 204


def attempts_of(hub):
    return sum(float(line.split()[-1]) for line in ask(hub, "GET", "/metrics").text.splitlines()
               if line.startswith("clarion_webhook_attempts_total"))


def test_nodes_share_webhooks_and_take_over_those_of_one_that_stops_or_dies(nodes):
    """`ordered` ones stay in order all the while, and no two nodes deliver to the same."""
    attempts, posted, is_done = Attempts(), [], threading.Event()
    with WebhookReceiver(attempts) as receiver:
        paths = [f"/hook{number}" for number in range(12)]
        for number, path in enumerate(paths):
            # Under an id of its own: one that is not answered in time is asked for again.
            body = {"topics": ["a"], "url": receiver.url(path), "ordered": True}
            wait_until(lambda: ask(nodes[1], "PUT", f"/observers/w{number}", json=body).ok, what="a webhook")

        def post():
            while not is_done.wait(0.02):
                # One that is not answered may be in the log, and is one all the same.
                key = {"Idempotency-Key": f"n{len(posted)}"}
                try:
                    answer = ask(nodes[1], "POST", events_path("a"), data=str(len(posted)), headers=key)
                except requests.RequestException:
                    continue
                if answer.ok:
                    posted.append(time.monotonic())

        def wait_until_all_get(since, deadline):
            def is_everywhere():
                number = next((place for place, moment in enumerate(posted) if moment > since), None)
                if number is None:
                    return False
                return {delivery.path for delivery in receiver.deliveries if int(delivery.body) >= number} == set(paths)

            wait_until(is_everywhere, deadline, "every webhook to get what was posted since")

        def wait_until_shared():
            before = [attempts_of(hub) for hub in nodes]
            wait_until(lambda: all(attempts_of(hub) > count + 5 for hub, count in zip(nodes, before)), 15,
                       "attempts of both nodes")

        poster = threading.Thread(target=post)
        poster.start()
        try:
            wait_until_shared()
            nodes[0].process.send_signal(signal.SIGSTOP)
            wait_until_all_get(time.monotonic() + 0.1, TAKEOVER)
            nodes[0].process.send_signal(signal.SIGCONT)
            # It has lost everything, and gets its share back.
            wait_until_shared()
            nodes[0].kill()
            wait_until_all_get(time.monotonic() + 0.1, TAKEOVER)
        finally:
            nodes[0].process.send_signal(signal.SIGCONT)
            is_done.set()
            poster.join()
        wait_until(lambda: all(receiver.to(path)[-1].body == str(len(posted) - 1).encode() for path in paths), 15,
                   "the last event everywhere")
    assert attempts.beside == [], "no two nodes deliver to the same"
    for path in paths:
        numbers = [int(delivery.body) for delivery in receiver.to(path)]
        steps = [(one, next) for one, next in zip(numbers, numbers[1:]) if next != one + 1]
        # What was delivered and not recorded yet when a node was lost, and what was on its way when it was stopped, comes twice.
        assert len(steps) <= 3 and all(next <= one for one, next in steps), steps


def test_an_observer_that_one_node_unregisters_is_gone_everywhere(nodes):
    with WebhookReceiver() as receiver:
        path = "/observers/" + nodes[0].register(receiver.url("/hook"), "a")["id"]
        wait_until(lambda: nodes[1].request("GET", path).status_code == 200, what="what the other node knows")
        assert nodes[1].request("DELETE", path).status_code == 204
        wait_until(lambda: nodes[0].request("GET", path).status_code == 404, what="its end")
        nodes[0].post("a", "1")
        with nodes[0].stream("a") as stream:
            nodes[1].post("a", "2")
            assert stream.next().data == "2"
        assert receiver.deliveries == []


def test_whoever_asks_for_readiness_has_little_written(nodes, server, name):
    """Each such message is one that all servers write, and anybody may ask."""
    before = server.state(name)["last_seq"]
    began = time.monotonic()
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda number: ask(nodes[number % 2], "GET", "/readyz").status_code, range(400)))
    seconds = time.monotonic() - began
    assert set(answers) == {200}
    # Of each node one a second, and its lease; what nodes write when they have just begun, such as the reserve, is some thirty.
    assert server.state(name)["last_seq"] - before < 60 + 4 * seconds


def test_without_servers_posts_are_refused_within_a_second_and_streams_catch_up(start_hub, tmp_path, name):
    with NATSServers(tmp_path, 1) as servers:
        hub = start_hub("--log", servers.log(name))
        hub.post("a", "before")
        with hub.stream("a") as stream:
            servers.kill(0)
            began = time.monotonic()
            answer = ask(hub, "POST", events_path("a"), data=b"lost")
            assert (answer.status_code, answer.json()["code"]) == (503, "log-unavailable")
            assert time.monotonic() - began < 2, "a second, and what a busy machine takes"
            assert ask(hub, "GET", "/readyz").status_code == 503
            assert ask(hub, "GET", events_path("a")).status_code == 200, "what it has it answers"
            servers.start(0)
            wait_until(lambda: ask(hub, "GET", "/readyz").status_code == 200, 30, "readiness")
            hub.post("a", "after")
            assert stream.next(30).data == "after"


def test_without_servers_nothing_can_be_changed_and_all_is_as_before_then(start_hub, tmp_path, name, receiver):
    webhook = {"topics": ["a"], "url": receiver.url()}
    with NATSServers(tmp_path, 1) as servers:
        hub = start_hub("--log", servers.log(name), "--allow-egress", "127.0.0.0/8")
        assert ask(hub, "PUT", "/observers/w", json=webhook).status_code == 201
        event = hub.post("a", "before", headers={"Idempotency-Key": "k"})["id"]
        assert ask(hub, "PUT", "/topics/v/value", json=1).status_code == 201
        wait_until(lambda: hub.observer("w")["stats"]["delivered"] == 1)
        was = hub.observer("w")
        servers.kill(0)
        changes = {
            "PUT /observers/w": {"json": webhook}, "PUT /observers/new": {"json": webhook}, "POST /observers": {"json": webhook},
            "PATCH /observers/w": {"json": {"description": "new"}}, "DELETE /observers/w": {},
            "POST /observers/w/secret/rotate": {}, "POST /observers/w/replay": {"json": {"since": "1d"}},
            f"POST /observers/w/deliveries/{event}/redeliver": {},
            "PUT /topics/v/value": {"json": 2}, "PUT /topics/a": {"json": {"retention": {"events": 1}}}, "DELETE /topics/a": {},
            "DELETE /topics/a/observers": {}}
        for change, options in changes.items():
            method, path = change.split()
            began = time.monotonic()
            answer = ask(hub, method, path, **options)
            assert answer.status_code == 503 and answer.json()["code"] == "log-unavailable", (change, answer.text)
            assert time.monotonic() - began < 3, change
        servers.start(0)
        wait_until(lambda: ask(hub, "GET", "/readyz").status_code == 200, 30, "readiness")
        assert hub.observer("w") == was
        assert ask(hub, "GET", "/topics/v/value").json() == 1
        assert [item["data"] for item in hub.history("a")] == ["before"]
        assert [one["id"] for one in ask(hub, "GET", "/observers").json()["observers"]] == ["w"]


def test_a_node_that_starts_takes_in_everything(start_hub, server, name):
    log = ("--log", server.log(name))
    first = start_hub(*log)
    for number in range(100):
        first.post("a", str(number))
    first.request("PUT", "/topics/b", json={"retention": {"events": 7}})
    history = first.history("a")
    second = start_hub(*log)
    assert second.history("a") == history
    first.kill()
    first.start()
    assert first.history("a") == history
    assert first.request("GET", "/topics/b").json() == second.request("GET", "/topics/b").json()


def test_what_retention_removes_leaves_the_stream_and_a_gap_at_nodes_that_start_later(start_hub, server, name):
    log = ("--log", server.log(name))
    first = start_hub(*log)
    first.request("PUT", "/topics/a", json={"retention": {"events": 5}})
    ids = [first.post("a", str(number))["id"] for number in range(100)]
    kept = first.post("b", "kept")["id"]

    def is_purged():
        # The node that delivers looks every ten seconds at what has lost events since.
        ids.append(first.post("a", "more")["id"])
        return server.messages(name) < 60

    wait_until(is_purged, 40, "the stream to become shorter")
    second = start_hub(*log)
    assert [event["id"] for event in second.history("a")] == [event["id"] for event in first.history("a")]
    assert [event["id"] for event in second.history("b")] == [kept]
    for hub in (first, second):
        with hub.stream("a", last_event_id=ids[0]) as stream:
            message = stream.next()
            assert message.type == "gap"
            gap = json.loads(message.data)
            assert (gap["after"], gap["reason"]) == (ids[0], "retention")
            assert stream.next().id == gap["resumed"]


def test_the_ids_of_the_newest_events_are_known_when_these_are_gone(start_hub, server, name):
    log = ("--log", server.log(name))
    first = start_hub(*log)
    first.post("b", "kept")
    ids = [first.post("a", str(number))["id"] for number in range(20)]
    assert first.request("DELETE", "/topics/a").status_code == 204
    wait_until(lambda: server.messages_on(name, f"clarion.{name}.topic.a") == 0, 40, "the stream without them")
    with contextlib.ExitStack() as streams:
        for hub in (first, start_hub(*log)):
            assert hub.get("/events", params={"topic": "**", "after": ids[-1]}).json() == {"events": [], "next": None}
            at_end, behind = [streams.enter_context(hub.stream("**", last_event_id=id)) for id in (ids[-1], ids[3])]
            gap = behind.next()
            assert gap.type == "gap" and json.loads(gap.data) == {"after": ids[3], "resumed": None, "reason": "retention"}
        assert first.post("b", "next")["id"] == at_end.next().id == behind.next().id


@pytest.mark.parametrize("bounds", [None, {"events": 1000}], ids=["lifted", "raised"])
def test_what_retention_has_removed_does_not_come_back_at_a_node_that_starts_under_other_bounds(nodes, bounds):
    def events(hub):
        return [event["data"] for event in ask(hub, "GET", events_path("a"), params={"since": "earliest"}).json()["events"]]

    assert ask(nodes[0], "PUT", "/topics/a", json={"retention": {"events": 2}}).ok
    for number in range(5):
        post(nodes[number % 2], "a", str(number))
    # Which node removes from the stream is not known: whichever stops has not said all that is gone.
    for number, hub in enumerate(nodes):
        wait_until(lambda: len(events(nodes[0])) == 2 and events(nodes[0]) == events(nodes[1]), what="the removal at both")
        assert ask(nodes[0], "PUT", "/topics/a", json={"retention": bounds}).ok
        hub.restart()
        assert events(nodes[0]) == events(nodes[1]) and len(events(hub)) == 2
        assert ask(nodes[0], "PUT", "/topics/a", json={"retention": {"events": 2}}).ok
        post(hub, "a", f"more {number}")


def test_bounds_that_end_have_removed_the_same_at_every_node(nodes):
    """A node removes in its own time: where one has and the other has not, both decide alike from then on."""
    def seen(topic):
        return [[event["data"] for event in hub.get(events_path(topic), params={"since": "earliest"}).json()["events"]] for hub in nodes]

    changed = []
    for topic in (f"v{turn}" for turn in range(6)):
        assert ask(nodes[0], "PUT", f"/topics/{topic}", json={"retention": {"age": "1s"}}).ok
        assert ask(nodes[0], "PUT", f"/topics/{topic}/value", data="old").status_code == 201
        wait_until(lambda: seen(topic)[1], what="the event at the other node")
        # They do so within milliseconds of each other, as a rule.
        end = time.monotonic() + DEADLINE
        while (held := seen(topic)) == [["old"], ["old"]] and time.monotonic() < end:
            pass
        asked = nodes[held[0] != []]
        assert ask(asked, "PUT", f"/topics/{topic}", json={"retention": None}).ok
        put = ask(asked, "PUT", f"/topics/{topic}/value", data="new", headers={"If-None-Match": "*"})
        assert put.status_code == 201, put.text
        changed.append(topic)
        if held != [[], []]:
            break
    for hub in nodes:
        wait_until(lambda: all(seen(topic) == [["new"], ["new"]] for topic in changed), what="the same at both")
        hub.restart()
    assert all(seen(topic) == [["new"], ["new"]] for topic in changed)


def test_what_stays_in_the_stream_for_its_key_or_its_batch_hides_no_gap_at_nodes_that_start_later(start_hub, server, name):
    """They have other bounds, by which they would keep all of it: what was removed before they were is gone for them, too."""
    log = ("--log", server.log(name))
    nodes = [start_hub(*log, "--retention-events", "3")]
    before = nodes[0].post("other", "x")["id"]
    key = {"Content-Type": "text/plain", "Idempotency-Key": "k"}

    def post_keyed(hub):
        answer = ask(hub, "POST", events_path("keyed"), data="keyed", headers=key)
        return answer.status_code, answer.json()["id"]

    def state(hub):
        return [(ask(hub, "GET", f"/topics/{topic}").json(), hub.history(topic)) for topic in ids]

    def is_removed(topic):
        return server.messages_on(name, f"clarion.{name}.topic.{topic}") < 10

    _, first = post_keyed(nodes[0])
    ids = {"keyed": [first] + [nodes[0].post("keyed", str(number))["id"] for number in range(60)]}
    lines = "\n".join(str(number) for number in range(60))
    batch = ask(nodes[0], "POST", events_path("batch"), data=lines, headers={"Content-Type": "application/x-ndjson"})
    ids["batch"] = [event["id"] for event in batch.json()["events"]]
    wait_until(lambda: is_removed("keyed"), 40, "what is removed to leave the stream")
    wanted = state(nodes[0])
    assert [len(history) for _, history in wanted] == [3, 3]

    def is_told_alike(hub):
        assert state(hub) == wanted
        for topic in ids:
            for position in (before, ids[topic][0], ids[topic][2]):
                with hub.stream(topic, last_event_id=position) as stream:
                    assert stream.next().type == "gap", (topic, position)
        assert post_keyed(hub) == (200, first)

    is_told_alike(nodes[0])
    nodes.append(start_hub(*log))
    is_told_alike(nodes[1])
    # It removes again what the other has removed, and says no less than that of what is lost.
    nodes[0].stop()
    assert ask(nodes[1], "PUT", "/topics/marker", json={"retention": {"events": 3}}).ok
    # The second time it would remove what was said before.
    for turn in range(2):
        for number in range(60):
            nodes[1].post("marker", str(number))
        wait_until(lambda: is_removed("marker"), 60, "the other node to remove")
    nodes.append(start_hub(*log))
    is_told_alike(nodes[2])


def test_topics_that_are_gone_leave_a_bounded_part_of_the_stream_and_a_gap(start_hub, server, name):
    """Of the last thousands a node that starts later knows what each has lost; that others may have lost something it says of all."""
    log = ("--log", server.log(name), "--retention-age", "1s")
    first = start_hub(*log)
    before = first.post("before", "x")["id"]
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(lambda number: post(first, f"gone.{number}", b"x").ok, range(8_200)))
    between = first.post("between", "x")["id"]
    assert ask(first, "PUT", "/topics/there", json={"retention": {"age": "1h"}}).ok
    there = first.post("there", "1")["id"]

    def notes():
        with NATSStranger(server.ports[0]) as stranger:
            found = stranger.ask(f"$JS.API.STREAM.INFO.CLARION_{name}", {"subjects_filter": f"clarion.{name}.removed.>"})
        return len(found["state"].get("subjects") or {})

    wait_until(lambda: notes() > 8_192, 90, "what is said of each topic")
    wait_until(lambda: notes() <= 4_100, 40, "what is said of all of them at once")
    second = start_hub(*log)
    for hub in (first, second):
        for topic in ("gone.1", "gone.8000", "gone.*"):
            with hub.stream(topic, last_event_id=before) as stream:
                assert stream.next().type == "gap"
        first.post("there", "2")
        for last_event_id in (between, there):
            with hub.stream("there", last_event_id=last_event_id) as stream:
                assert stream.next().type == "message"


def test_a_node_that_starts_decides_nothing_anew(start_hub, server, name):
    """What posts were compared with is gone from the servers by then: who was refused stays so, and who was not is there."""
    log = ("--log", server.log(name))
    first = start_hub(*log)
    first.request("PUT", "/topics/a", json={"retention": {"events": 1}})
    first.request("PUT", "/topics/aged", json={"retention": {"age": "1s"}})

    def put(hub, topic, value, **fields):
        return hub.request("PUT", f"/topics/{topic}/value", data=value, headers={"Content-Type": "text/plain"} | fields)

    # Each follows the one before; others come too late.
    tag = put(first, "a", "0").headers["ETag"]
    tags = [tag]
    for number in range(1, 6):
        tags.append(put(first, "a", str(number), **{"If-Match": tags[-1]}).headers["ETag"])
        assert put(first, "a", "late", **{"If-Match": tags[0]}).status_code == 412
        assert put(first, "a", "first", **{"If-None-Match": "*"}).status_code == 412
    assert put(first, "aged", "1", **{"If-None-Match": "*"}).status_code == 201

    def batch(hub, *ids):
        events = [{"specversion": "1.0", "id": id, "source": "/s", "type": "t", "data": id} for id in ids]
        answer = hub.request("POST", events_path("a"), data=json.dumps(events),
                             headers={"Content-Type": "application/cloudevents-batch+json"})
        return [event["id"] for event in answer.json()["events"]]

    one, two = batch(first, "1", "2")
    assert batch(first, "2", "3")[0] == two
    assert batch(first, "1", "2") == [one, two]
    keyed = {"Content-Type": "text/plain", "Idempotency-Key": "k"}
    posted = first.request("POST", events_path("a"), data="keyed", headers=keyed).json()["id"]
    put(first, "a", "last")
    wait_until(lambda: first.history("aged") == [], 30, "the end of what is old")
    assert put(first, "aged", "2", **{"If-None-Match": "*"}).status_code == 201, "there is none any more"

    def is_removed():
        first.post("b", "more")
        # Leases, what was refused, and the values; what has keys stays.
        return server.state(name).get("num_deleted", 0) >= 15

    wait_until(is_removed, 40, "what is removed to leave the stream")
    second = start_hub(*log)

    def everything(hub):
        return [(event["id"], event["data"]) for topic in ("a", "aged", "b") for event in hub.history(topic)]

    wait_until(lambda: everything(second) == everything(first), 20, "one history")
    assert second.get("/topics/a/value").text == "last"
    for hub in (second, first):
        again = hub.request("POST", events_path("a"), data="keyed", headers=keyed)
        assert (again.status_code, again.json()["id"]) == (200, posted)
        assert batch(hub, "2", "3")[0] == two
    newest = second.get("/topics/a/value").headers["ETag"]
    assert put(second, "a", "next", **{"If-Match": newest}).status_code in (200, 201)
    wait_until(lambda: everything(second) == everything(first), 20, "one history")


def publish(server, subject, data):
    """Writes to the stream what no hub has."""
    with socket.create_connection(("127.0.0.1", server.ports[0]), 5) as connection:
        connection.sendall(b'CONNECT {"verbose":false}\r\nPUB %b %d\r\n%b\r\nPING\r\n' % (subject.encode(), len(data), data))
        heard = b""
        while b"PONG" not in heard:
            heard += connection.recv(4096)


def test_what_is_no_command_is_passed_over_and_what_a_later_version_writes_is_not(nodes, server, name, tmp_path):
    with WebhookReceiver() as receiver:
        paths = [f"/hook{number}" for number in range(8)]
        for path in paths:
            nodes[0].register(receiver.url(path), "a")
        for kind in ("change", "outcome", "lease", "topic.a", "other"):
            for data in (b"", b"hello", b"\xc1\xa7\x01", b"\xc1\xa7\x04", b"\xc1\xa7\x00" + bytes(40)):
                publish(server, f"clarion.{name}.{kind}", data)
        ids = [hub.post("a", "after")["id"] for hub in nodes]
        # Leases go on after what stands among theirs: nobody waits until they run out.
        nodes[1].stop()
        nodes[0].post("a", "later")
        wait_until(lambda: all(receiver.to(path) and receiver.to(path)[-1].body == b"later" for path in paths), 5,
                   "what was left behind")
        nodes[1].start()
        assert [event["id"] for event in nodes[1].history("a")][:2] == ids
        assert all("was written by no version" in hub.log for hub in nodes)
    publish(server, f"clarion.{name}.change", b"\xc1\xa7\x05 of tomorrow")
    for hub in nodes:
        wait_until(lambda: ask(hub, "GET", "/readyz").status_code == 503, what="its refusal")
        assert "version 5" in ask(hub, "GET", "/readyz").text + hub.log
    # One that starts refuses, and leaves nothing behind.
    folder = tmp_path / "copies"
    folder.mkdir()
    options = ["--log", server.log(name), "--data", folder, "--port", "0"]
    run = subprocess.run([nodes[0].executable, "serve", *options], capture_output=True, text=True, timeout=20)
    assert run.returncode != 0 and "version 5" in run.stderr
    assert list(folder.iterdir()) == []


def test_servers_and_nodes_are_killed_in_turn_and_nothing_acknowledged_is_lost(start_hub, tmp_path, name):
    with NATSServers(tmp_path, 3) as servers, WebhookReceiver() as receiver:
        hubs = [start_hub("--log", servers.log(name), "--allow-egress", "127.0.0.0/8") for _ in range(3)]
        path = "/observers/" + hubs[0].register(receiver.url("/hook"), "a")["id"]
        # What is removed of it meanwhile goes from the servers, too.
        hubs[0].request("PUT", "/topics/short", json={"retention": {"events": 20}})
        acknowledged, is_done = [], threading.Event()

        def publish(number):
            turn = 0
            while not is_done.is_set():
                hub = hubs[(number + turn) % 3]
                try:
                    # Repeated under its key until some node takes it.
                    key = f"{number}-{turn}"
                    answer = ask(hub, "POST", events_path("a"), data=key, headers={"Idempotency-Key": key})
                    if answer.status_code in (200, 201):
                        ask(hub, "POST", events_path("short"), data=key)
                        acknowledged.append((answer.json()["id"], key))
                        turn += 1
                        continue
                except OSError:
                    pass
                # The same post to the next node.
                number += 1
                time.sleep(0.02)

        publishers = [threading.Thread(target=publish, args=(100 * number,)) for number in range(4)]
        for publisher in publishers:
            publisher.start()
        try:
            for place in range(3):
                goal = len(acknowledged) + 20
                wait_until(lambda: len(acknowledged) >= goal, 30, "posts")
                servers.kill(place)
                goal = len(acknowledged) + 20
                wait_until(lambda: len(acknowledged) >= goal, 30, "posts without a server")
                servers.start(place)
                servers.wait_until_ready(place)
                hubs[place].kill()
                goal = len(acknowledged) + 20
                wait_until(lambda: len(acknowledged) >= goal, 30, "posts without a node")
                hubs[place].start()
        finally:
            is_done.set()
            for publisher in publishers:
                publisher.join()
        wait_until(lambda: len({len(hub.history("a")) for hub in hubs}) == 1, 30, "the same everywhere")
        assert len({tuple(event["id"] for event in hub.history("short")) for hub in hubs}) == 1
        histories = [[(event["id"], event["data"]) for event in hub.history("a")] for hub in hubs]
        assert histories[0] == histories[1] == histories[2]
        assert set(acknowledged) <= set(histories[0]), "what was acknowledged is there"
        keys = [data for _, data in histories[0]]
        assert len(set(keys)) == len(keys), "and once"
        wait_until(lambda: {d.body.decode() for d in receiver.deliveries} == set(keys), 60, "every delivery")

        def extents():
            states = [servers.state(name, place) for place in range(3)]
            return {tuple(state[key] for key in ("messages", "first_seq", "last_seq")) for state in states}

        # A message that one of them has twice, or not at all, has all after it at other places.
        wait_until(lambda: len(extents()) == 1, 30, "servers that hold the same")
        # Removed every ten seconds, by the next node that is told to if one is gone.
        wait_until(lambda: servers.messages_on(name, f"clarion.{name}.topic.short") <= 20, 60, "the removal of what is short-lived")
        wait_until(lambda: len(extents()) == 1, 30, "servers that hold the same")
        hubs[0].request("DELETE", path)
