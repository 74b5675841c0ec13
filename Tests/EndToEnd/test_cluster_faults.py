"""What goes wrong in a cluster between two steps, or is written by those who are no nodes: all nodes come to the same all the same."""

import base64
import shutil
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from held_way import HeldWay
from nats_servers import PROGRAM, NATSServers, log, server  # noqa: F401: fixtures
from nats_stranger import NATSStranger
from test_cluster import ask
from waiting import wait_until
from webhook_receiver import WebhookReceiver

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="there is no nats-server: apt-get install nats-server")


def test_a_message_that_looks_like_a_word_of_the_server_stops_nobody(start_hub, server, log):
    hub = start_hub("--log", server.log(log))
    with NATSStranger(server.ports[0]) as stranger:
        for status in ("100", "503", "409 Consumer Deleted"):
            stranger.publish(f"clarion.{log}.x", headers=f"Status: {status}")
        stranger.flush()
    assert hub.post("a", "1")
    # Nor a node that starts.
    other = start_hub("--log", server.log(log))
    assert [event["data"] for event in other.history("a")] == ["1"]


def test_numbers_that_cannot_be_are_passed_over(start_hub, server, log):
    """As a later place than its own: a settlement, a removal, the leases that parts were taken up by."""
    hub = start_hub("--log", server.log(log))
    hub.post("a", "1", headers={"Idempotency-Key": "k"})
    most, none, one = (number.to_bytes(8) for number in (2**63 - 1, 0, 1))
    begin = b"\xc1\xa7\x01" + one + one
    with NATSStranger(server.ports[0]) as stranger:
        for command in (b"\x0e" + most + none, b"\x0d" + most + most, b"\x0c" + one + b"a" + most):
            stranger.publish(f"clarion.{log}.settled", begin + command)
        stranger.flush()
    assert ask(hub, "POST", "/topics/a/events", data="1",
               headers={"Content-Type": "text/plain", "Idempotency-Key": "k"}).status_code == 200
    assert ask(hub, "PUT", "/topics/a/value", data="2", headers={"If-None-Match": "*"}).status_code == 412
    assert [event["data"] for event in hub.history("a")] == ["1"]


class Remover(NATSStranger):
    """Does what a node does that removes messages, at once instead of every ten seconds."""

    def __init__(self, server, log):
        super().__init__(server.ports[0])
        self._log = log

    def newest(self, subject=">"):
        """The place of the newest message of a subject of the log."""
        return self.ask(f"$JS.API.STREAM.MSG.GET.CLARION_{self._log}",
                        {"last_by_subj": f"clarion.{self._log}.{subject}"})["message"]["seq"]

    def data(self, place):
        """What a message says."""
        return base64.b64decode(self.ask(f"$JS.API.STREAM.MSG.GET.CLARION_{self._log}", {"seq": place})["message"]["data"])

    def settle(self, through):
        """Says that all up to a place which is left is written."""
        begin = b"\xc1\xa7\x01" + (1).to_bytes(8) * 2
        self.publish(f"clarion.{self._log}.settled", begin + b"\x0e" + through.to_bytes(8) + bytes(8))

    def remove(self, place):
        answer = self.ask(f"$JS.API.STREAM.MSG.DELETE.CLARION_{self._log}", {"seq": place})
        assert answer.get("success"), answer


def test_what_is_settled_while_a_node_comes_after_is_not_decided_anew(start_hub, server, log):
    """Others remove what they decided by after the node has asked up to where that is settled, and before it comes there."""
    hub = start_hub("--log", server.log(log))
    text = {"Content-Type": "text/plain"}
    hub.post("b", "gone")
    with Remover(server, log) as remover:
        remover.remove(remover.newest("topic.b"))
    hub.post("b", "after what is gone")
    # More than is read at once, and then more than servers send before they are told that it was taken.
    hub.post("b", "x" * 500_000)
    hub.post("b", "here it is held")
    for _ in range(9):
        hub.post("b", "x" * 900_000)
    first = ask(hub, "PUT", "/topics/a/value", data="1", headers=text | {"If-None-Match": "*"})
    hub.post("b", "last")
    with Remover(server, log) as remover:
        reason = remover.newest("topic.a")
        remover.settle(through=remover.newest("topic.b"))
        second = ask(hub, "PUT", "/topics/a/value", data="2", headers=text | {"If-Match": first.headers["ETag"]})
        assert second.ok, second.text
        events = hub.history("a")
        hub.kill()
        with HeldWay(server.ports[0], b"here it is held", question=b"last_by_subj") as way, ThreadPoolExecutor() as pool:
            start = pool.submit(start_hub, "--log", f"nats://127.0.0.1:{way.port}?name={log}")
            assert way.is_held.wait(15) and way.is_asked.wait(15)
            # The server has answered before: it does so in turn.
            remover.settle(through=remover.newest())
            remover.remove(reason)
            way.let_go()
            assert start.result().history("a") == events[1:]


def test_what_is_refused_and_removed_once_it_is_sent_to_a_node_is_not_carried_out(start_hub, server, log):
    """A node is sent a post that was refused, and asks only then up to where all is written that is left: it is not left."""
    hub = start_hub("--log", server.log(log))
    hub.post("b", "here it is held")
    hub.post("b", "gone")
    with Remover(server, log) as remover, ThreadPoolExecutor() as pool:
        remover.remove(remover.newest("topic.b"))
        for value, status in [("winner", 201), ("loser", 412)]:
            answer = ask(hub, "PUT", "/topics/a/value", data=value, headers={"If-None-Match": "*"})
            assert answer.status_code == status, answer.text
        refused = remover.newest("topic.a")
        hub.post("b", "last")
        last = remover.newest()
        hub.kill()

        def is_sent():
            consumers = remover.ask(f"$JS.API.CONSUMER.LIST.CLARION_{log}")["consumers"]
            # That of the clock begins at the end, and has sent nothing.
            return any(consumer["delivered"]["stream_seq"] >= last and consumer["delivered"]["consumer_seq"] > 0
                       for consumer in consumers)

        with HeldWay(server.ports[0], b"here it is held", question=b"last_by_subj") as way:
            start = pool.submit(start_hub, "--log", f"nats://127.0.0.1:{way.port}?name={log}")
            assert way.is_held.wait(15)
            wait_until(is_sent, what="the consumer to have sent all")
            remover.remove(refused)
            remover.settle(through=last)
            remover.flush()
            way.let_go()
            assert [event["data"] for event in start.result().history("a")] == ["winner"]


@pytest.mark.parametrize("asked", ["DELETE", "PATCH", "rotate", "PUT", "GET", "deliveries", "replay", "event"])
def test_a_node_that_is_behind_says_of_nothing_that_it_is_not_there(start_hub, server, log, asked):
    hub = start_hub("--log", server.log(log))
    document = {"topics": ["a"], "url": "https://example.com/"}
    with HeldWay(server.ports[0], b"here it is held", question=f"clarion.{log}.probe".encode()) as way, \
            ThreadPoolExecutor() as pool:
        behind = start_hub("--log", f"nats://127.0.0.1:{way.port}?name={log}")
        hub.post("b", "here it is held")
        assert way.is_held.wait(15)
        tag = ask(hub, "PUT", "/observers/w", json=document).headers["ETag"]
        event = hub.post("c", "x")["id"]
        way.is_asked.clear()
        method, path, options = {
            "DELETE": ("DELETE", "/observers/w", {}),
            "PATCH": ("PATCH", "/observers/w", {"json": {"description": "new"}}),
            "rotate": ("POST", "/observers/w/secret/rotate", {}),
            "PUT": ("PUT", "/observers/w", {"json": document, "headers": {"If-Match": tag}}),
            "GET": ("GET", "/observers/w", {}),
            "deliveries": ("GET", "/observers/w/deliveries", {}),
            "replay": ("POST", "/observers/w/replay", {"json": {"since": "1d"}}),
            "event": ("GET", f"/topics/c/events/{event}", {}),
        }[asked]
        answer = pool.submit(ask, behind, method, path, **options)
        wait_until(lambda: way.is_asked.is_set() or answer.done(), what="the question how far the log is")
        way.let_go()
        assert answer.result().ok, answer.result().text


def test_a_node_that_cannot_read_what_is_settled_says_so_and_waits(start_hub, server, log):
    hub = start_hub("--log", server.log(log))
    with Remover(server, log) as remover, ThreadPoolExecutor() as pool:
        hub.post("a", "0")
        hub.post("a", "gone")
        remover.remove(remover.newest("topic.a"))
        hub.post("a", "2")
        hub.kill()
        remover.publish(f"clarion.{log}.settled", b"hello")
        place = remover.newest("settled")
        with NATSStranger(server.ports[0]) as hearer:
            hearer.subscribe("$JS.API.>")
            start = pool.submit(hub.start)
            wait_until(lambda: f"nats stream rmm CLARION_{log} {place}" in hub.log, what="the line on what it waits for")
            # It looks again, and has nothing sent to it meanwhile.
            asked, looks = [], 0
            while looks < 4:
                subject, _, data = hearer.next()
                looks += b"last_by_subj" in data
                if looks:
                    asked.append(subject)
        assert not [subject for subject in asked if ".CONSUMER." in subject]
        remover.remove(place)
        start.result()
    assert [event["data"] for event in hub.history("a")] == ["0", "2"]


def test_what_a_later_version_has_settled_stops_a_node(start_hub, server, log):
    hub = start_hub("--log", server.log(log))
    with Remover(server, log) as remover:
        hub.post("a", "0")
        hub.post("a", "gone")
        remover.remove(remover.newest("topic.a"))
        hub.post("a", "2")
        hub.kill()
        remover.publish(f"clarion.{log}.settled", b"\xc1\xa7\x05 of tomorrow")
        place = remover.newest("settled")
    with pytest.raises(AssertionError, match=f"Message {place} of the stream is of version 5"):
        hub.start()
    # No folder and no message is to blame.
    assert "--data" not in hub.log and "nats stream rmm" not in hub.log


def test_a_reserve_of_more_than_servers_have_ends_no_node(start_hub, server, log):
    options = ("--log", server.log(log))
    hub = start_hub(*options)
    most, none = b"\xff" * 8, bytes(8)
    with NATSStranger(server.ports[0]) as stranger:
        for given, full in ((most, none), (none, most), (most, most)):
            stranger.publish(f"clarion.{log}.reserve", b"\xc1\xa8\x02" + given + full)
        stranger.flush()
    # All of the stream is passed over, or there.
    wait_until(lambda: "passed over" in hub.log, what="the line on what was written")
    assert hub.post("a", "1")
    # It is looked at every two seconds, and a node that starts reads it again.
    other = start_hub(*options)
    wait_until(lambda: server.messages_on(log, f"clarion.{log}.reserve") >= 17, 30, "the nodes' own reserve")
    assert [event["data"] for event in other.history("a")] == ["1"]
    assert hub.post("a", "2")


def test_what_was_answered_too_late_is_known_to_the_node_that_asked(start_hub, tmp_path, log):
    with NATSServers(tmp_path, 1) as servers, WebhookReceiver() as receiver:
        hub = start_hub("--log", servers.log(log), "--allow-egress", "127.0.0.0/8")
        hub.post("a", "0")
        servers.signal(0, signal.SIGSTOP)
        try:
            answer = ask(hub, "PUT", "/observers/late", json={"url": receiver.url(), "topics": ["a"]})
            assert answer.status_code == 503, answer.text
        finally:
            servers.signal(0, signal.SIGCONT)
        wait_until(lambda: ask(hub, "GET", "/observers/late").status_code == 200, 20, "the webhook that was stored after all")
        wait_until(lambda: ask(hub, "POST", "/topics/a/events", data="1").status_code == 201, 20, "the servers' return")
        receiver.wait_for(1)
        assert ask(hub, "DELETE", "/observers/late").status_code == 204


def test_nodes_of_other_bounds_hold_the_same(start_hub, server, log):
    """Whoever posts is refused what its node does not take; what another took, it has as well."""
    small = start_hub("--log", server.log(log), "--max-topics", "2", "--max-observers", "1", "--max-idempotency-keys", "1",
                      "--allow-egress", "127.0.0.0/8")
    large = start_hub("--log", server.log(log), "--allow-egress", "127.0.0.0/8")
    for number in range(4):
        large.post(f"t{number}", "x", headers={"Idempotency-Key": f"k{number}"})
    assert ask(large, "PUT", "/topics/t9", json={"retention": {"events": 5}}).status_code == 200
    for number in range(3):
        body = {"url": "http://127.0.0.1:4999/", "topics": ["none"]}
        assert ask(large, "PUT", f"/observers/w{number}", json=body).status_code == 201
    wait_until(lambda: len(small.history("*")) == 4, what="the events of the other node")
    assert small.history("*") == large.history("*")
    wait_until(lambda: len(ask(small, "GET", "/observers").json()["observers"]) == 3, what="its observers")

    def is_refused(method, path, **options):
        answer = ask(small, method, path, **options)
        return answer.headers["Content-Type"] == "application/problem+json" and answer.json()["code"] == "limit-reached"

    text = {"Content-Type": "text/plain"}
    assert is_refused("POST", "/topics/new/events", data="x", headers=text)
    assert is_refused("POST", "/topics/t1/events", data="x", headers={**text, "Idempotency-Key": "new"})
    assert is_refused("PUT", "/topics/new", json={"retention": {"events": 5}})
    assert is_refused("PUT", "/observers/new", json={"url": "http://127.0.0.1:4999/", "topics": ["none"]})
    # What is no more than there is already.
    assert ask(small, "POST", "/topics/t1/events", data="y", headers=text).status_code == 201
    assert ask(small, "POST", "/topics/t1/events", data="x", headers={**text, "Idempotency-Key": "k1"}).status_code == 200
    assert ask(small, "PUT", "/observers/w1", json={"url": "http://127.0.0.1:4998/", "topics": ["none"]}).status_code == 200


def test_of_a_batch_that_was_posted_in_part_only_the_rest_is_stored(start_hub, server, log):
    hub = start_hub("--log", server.log(log))

    def post(*ids):
        batch = [{"specversion": "1.0", "id": id, "source": "/s", "type": "t", "data": id} for id in ids]
        answer = ask(hub, "POST", "/topics/a/events", json=batch, headers={"Content-Type": "application/cloudevents-batch+json"})
        assert answer.ok, answer.text
        return [event["id"] for event in answer.json()["events"]], answer.headers.get("Idempotent-Replayed")

    one, two = post("1", "2")[0]
    (again, three), _ = post("2", "3")
    assert again == two and three not in (one, two)
    assert post("3", "1") == ([three, one], "true")
    assert [event["id"] for event in hub.history("a")] == [one, two, three]


def test_of_batches_under_the_same_keys_each_is_stored_as_a_whole_or_not_at_all(start_hub, server, log):
    """Posted to two nodes at the same moment, and with one key twice. A node that starts later is not told which was stored in part, by
    a message that would grow with them."""
    hubs = [start_hub("--log", server.log(log)) for _ in range(2)]
    ids = {}

    def post(place, keys):
        batch = [{"specversion": "1.0", "id": key, "source": "/s", "type": "t", "data": "x"} for key in keys]
        answer = ask(hubs[place], "POST", "/topics/a/events", json=batch, headers={"Content-Type": "application/cloudevents-batch+json"})
        assert answer.ok, answer.text
        return zip(keys, [event["id"] for event in answer.json()["events"]], strict=True)

    with ThreadPoolExecutor() as pool:
        for number in range(30):
            both = str(number)
            batches = ([both, f"{number} here", both], [f"{number} there", both])
            for told in pool.map(post, (0, 1), batches):
                for key, event in told:
                    assert ids.setdefault(key, event) == event
    for hub in hubs:
        wait_until(lambda hub=hub: len(hub.history("a", limit=1000)) >= len(ids), what="what the other node has acknowledged last")
        assert sorted(event["id"] for event in hub.history("a", limit=1000)) == sorted(ids.values())
    with Remover(server, log) as remover:
        wait_until(lambda: server.messages_on(log, f"clarion.{log}.settled"), 30, "what is settled")
        assert len(remover.data(remover.newest("settled"))) < 64
    later = start_hub("--log", server.log(log))
    assert later.history("a", limit=1000) == hubs[0].history("a", limit=1000)


def test_a_batch_is_no_repetition_of_what_was_deleted_before_it_was_posted(start_hub, server, log):
    """At a node that has not heard of the deletion, and finds some of the batch posted before."""
    hub = start_hub("--log", server.log(log))
    question = f"PUB clarion.{log}.topic.a".encode()
    with HeldWay(server.ports[0], b"here it is held", question=question) as way, ThreadPoolExecutor() as pool:
        behind = start_hub("--log", f"nats://127.0.0.1:{way.port}?name={log}")

        def post(node, *ids):
            batch = [{"specversion": "1.0", "id": id, "source": "/s", "type": "t", "data": id} for id in ids]
            return ask(node, "POST", "/topics/a/events", json=batch, headers={"Content-Type": "application/cloudevents-batch+json"})

        assert post(hub, "1", "2").status_code == 201
        wait_until(lambda: len(behind.history("a")) == 2, what="the first batch at the other node")
        hub.post("b", "here it is held")
        assert way.is_held.wait(15)
        assert ask(hub, "DELETE", "/topics/a").status_code == 204
        answer = pool.submit(post, behind, "1", "3", "2")
        assert way.is_asked.wait(15)
        way.let_go()
        assert answer.result().status_code == 201
        told = [event["id"] for event in answer.result().json()["events"]]
        for node in (behind, hub, start_hub("--log", server.log(log))):
            wait_until(lambda: [event["id"] for event in node.history("a")] == told, what="the batch as it was answered")


def test_a_deletion_that_comes_late_takes_nothing_that_came_after_it_was_asked_for(start_hub, server, log, receiver):
    """A server held it, and goes on when the client was told 503 long ago."""
    hub = start_hub("--log", server.log(log))
    hub.post("a", "before")
    assert ask(hub, "PUT", "/observers/old", json={"url": receiver.url("/old"), "topics": ["a"]}).ok
    with Remover(server, log) as remover:
        asked = remover.newest()
        hub.post("a", "after")
        assert ask(hub, "PUT", "/observers/new", json={"url": receiver.url("/new"), "topics": ["a"]}).ok
        begin = b"\xc1\xa7\x04" + (1).to_bytes(8) * 2
        name = (1).to_bytes(8) + b"a"
        remover.publish(f"clarion.{log}.change", begin + b"\x06" + name + b"\x01" + ((asked + 1 << 20) - 1).to_bytes(8))
        remover.publish(f"clarion.{log}.change", begin + b"\x04" + name + b"\x01" + asked.to_bytes(8))
        remover.flush()
    for node in (hub, start_hub("--log", server.log(log))):
        wait_until(lambda: [event["data"] for event in node.history("a")] == ["after"], what="what is left")
        wait_until(lambda: [one["id"] for one in ask(node, "GET", "/observers").json()["observers"]] == ["new"], what="who is left")


def test_what_another_node_has_acknowledged_is_deleted(start_hub, server, log):
    hubs = [start_hub("--log", server.log(log)) for _ in range(2)]
    for number in range(50):
        hubs[number % 2].post("a", str(number))
        assert ask(hubs[1 - number % 2], "DELETE", "/topics/a").status_code == 204
        assert ask(hubs[1 - number % 2], "GET", "/topics/a").status_code == 404
        wait_until(lambda: ask(hubs[number % 2], "GET", "/topics/a").status_code == 404, what="the deletion at the other node")


def test_ids_that_are_made_up_have_little_written(start_hub, server, log):
    hubs = [start_hub("--log", server.log(log)) for _ in range(2)]
    epoch = hubs[0].post("a", "x")["id"].split("-")[0]
    made_up = f"{epoch}-{2**60}"
    before = server.state(log)["last_seq"]
    started = time.monotonic()
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: ask(hubs[0], "GET", f"/topics/a/events?after={made_up}").status_code, range(200)))
    # Leases besides.
    assert 0 < server.state(log)["last_seq"] - before < 10 + 25 * (time.monotonic() - started)
    assert set(answers) == {400}
    # What was posted to the other is known at once.
    for _ in range(20):
        id = hubs[0].post("a", "y")["id"]
        answer = ask(hubs[1], "GET", f"/topics/a/events?after={id}")
        assert (answer.status_code, answer.json()["events"]) == (200, [])


def test_servers_that_have_lost_the_end_of_the_stream_are_not_followed(start_hub, tmp_path, log):
    """The power fails at the one server, and what it wrote last is gone: places are given a second time."""
    with NATSServers(tmp_path, 1) as servers:
        hub = start_hub("--log", servers.log(log))
        hub.post("a", "kept")
        servers.kill(0)
        shutil.copytree(tmp_path / "store0", tmp_path / "before")
        servers.start(0)
        servers.wait_until_ready(0)
        wait_until(lambda: ask(hub, "POST", "/topics/a/events", data="lost").status_code == 201, 20, "the server's return")
        servers.kill(0)
        shutil.rmtree(tmp_path / "store0")
        shutil.move(tmp_path / "before", tmp_path / "store0")
        servers.start(0)
        servers.wait_until_ready(0)

        wait_until(lambda: ask(hub, "GET", "/readyz").status_code == 503 and "lost the end" in hub.log, 30, "the node to say so")
        # One that starts has what there is.
        other = start_hub("--log", servers.log(log))
        assert [event["data"] for event in other.history("a")] == ["kept"]


def test_what_is_removed_already_does_not_keep_the_rest_in_the_stream(start_hub, tmp_path, log):
    """A node may die in the middle of removing: the next one begins anew."""
    with NATSServers(tmp_path, 3) as servers:
        hub = start_hub("--log", servers.log(log))
        assert ask(hub, "PUT", "/topics/short", json={"retention": {"events": 1}}).status_code == 200
        # More than are asked for at once.
        for number in range(400):
            hub.post("short", str(number))
        subject = f"clarion.{log}.topic.short"
        with NATSStranger(servers.ports[0]) as stranger:
            stranger.subscribe("_INBOX.removed")
            # Not the first: of what comes before it the servers say something else.
            newest = servers.state(log)["last_seq"]
            for sequence in range(newest - 390, newest - 380):
                body = b'{"seq": %d, "no_erase": true}' % sequence
                stranger.publish(f"$JS.API.STREAM.MSG.DELETE.CLARION_{log}", body, reply="_INBOX.removed")
                stranger.next()
        wait_until(lambda: servers.messages_on(log, subject) == 1, 30, "the removal of the others")
        assert "grows" not in hub.log


def test_what_one_node_has_removed_waits_at_no_other(start_hub, server, log):
    """Nodes remove by their own bounds, and when it is their turn: one may be asked to deliver again what another has no more."""
    options = ("--log", server.log(log), "--allow-egress", "127.0.0.0/8")
    with WebhookReceiver() as receiver:
        short, long = start_hub(*options, "--retention-events", "2"), start_hub(*options)
        webhooks = [f"w{number}" for number in range(16)]
        for id in webhooks:
            assert ask(long, "PUT", f"/observers/{id}", json={"url": receiver.url(), "topics": ["a"]}).status_code == 201
        for number in range(10):
            long.post("a", str(number))

        def stats(hub):
            return [ask(hub, "GET", f"/observers/{id}").json()["stats"] for id in webhooks]

        wait_until(lambda: all(one["delivered"] == 10 for one in stats(long) + stats(short)), 30, "all deliveries")
        wait_until(lambda: len(short.history("a")) == 2, 30, "what one node removes")
        assert len(long.history("a")) == 10
        for id in webhooks:
            assert ask(long, "POST", f"/observers/{id}/replay", json={"since": "earliest"}).status_code < 300
        wait_until(lambda: not any(one["pending"] for one in stats(long) + stats(short)), 30, "what waits for good")
        # Each has what can be delivered: at the least what both nodes have.
        assert all(one["delivered"] >= 12 and one["failed"] == 0 for one in stats(long))
