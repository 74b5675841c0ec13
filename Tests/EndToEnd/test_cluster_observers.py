"""Who listens, over all nodes of a cluster: each answers for its own, and any of them tells of all and ends any."""

import contextlib
import json
import os
import signal
import subprocess
import threading
import time

import pytest

from credentials import CredentialsFile, ask, grant
from event_stream import EventStream, StreamEnded, StreamRefused
from hub_process import environment_without_settings, events_path
from nats_servers import PROGRAM, NATSServers, log, server  # noqa: F401: fixtures
from nats_stranger import NATSStranger
from problems import assert_problem
from waiting import wait_until

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="there is no nats-server: apt-get install nats-server")


@pytest.fixture
def nodes(start_hub, server, log):
    return meet([start_hub("--log", server.log(log), "--allow-egress", "127.0.0.0/8") for _ in range(2)])


def meet(hubs, credential=None):
    """Waits until each knows of all: one that has just begun hears of the others within a round trip."""
    with contextlib.ExitStack() as streams:
        fields = {"Authorization": f"Bearer {credential}"} if credential else {}
        for hub in hubs:
            streams.enter_context(hub.stream("meeting", headers=fields))
        for hub in hubs:
            wait_until(lambda: len(hub.get("/observers?topic=meeting", headers=fields).json()["observers"]) == len(hubs))
    for hub in hubs:
        wait_until(lambda: hub.get("/observers?topic=meeting", headers=fields).json()["observers"] == [], what="their end")
    return hubs


def ids(observers):
    return [observer["id"] for observer in observers]


def named(hub, name, topic="a", **options):
    return hub.stream(topic, query=f"observer={name}", **options)


def run(executable, *arguments):
    return subprocess.run([executable, *arguments], capture_output=True, text=True, timeout=30,
                          env=environment_without_settings())


def assert_ends(stream):
    with pytest.raises(StreamEnded):
        while True:
            stream.next(10)


def test_every_node_lists_the_streams_of_all(nodes):
    one, other = nodes
    with one.stream("a.*") as first, other.stream("a.*") as second, other.stream("b") as third:
        webhook = one.register("http://127.0.0.1:7999/hook", "a.*")
        wait_until(lambda: other.request("GET", f"/observers/{webhook['id']}").status_code == 200)
        # Oldest first; those of one millisecond by their ids.
        everything = ids(sorted((one.observer(id) for id in (first.observer_id, second.observer_id, third.observer_id,
                                                             webhook["id"])), key=lambda o: (o["createdAt"], o["id"])))
        for hub in nodes:
            page = hub.get("/observers").json()
            assert ids(page["observers"]) == everything
            assert set(page) == {"observers", "next"}, "nobody is missing"
            assert ids(hub.observers(limit=1)) == everything
            assert ids(hub.observers(limit=3)) == everything
            assert ids(hub.observers(kind="stream")) == [id for id in everything if id != webhook["id"]]
            assert ids(hub.observers(kind="webhook")) == [webhook["id"]]
            assert ids(hub.observers(topic="a.*", limit=1)) == [id for id in everything if id != third.observer_id]
            assert hub.observers(kind="object") == []
            for observer in page["observers"]:
                assert hub.observer(observer["id"]) == observer
        # What a node says of another's stream is what that one says of it.
        assert one.observers(kind="stream") == other.observers(kind="stream")


def test_topics_count_who_hears_them_at_all_nodes(nodes):
    one, other = nodes
    one.post("a.b", "1")
    one.post("c", "1")
    with one.stream("a.*"), other.stream("a.b"), other.stream("**"):
        for hub in nodes:
            wait_until(lambda: hub.request("GET", "/topics/c").status_code == 200, what="the topic")
            counts = {topic["name"]: topic["observers"]["stream"] for topic in hub.get("/topics").json()["topics"]}
            assert counts == {"a.b": 3, "c": 1}
            assert hub.get("/topics/a.b").json()["observers"] == {"stream": 3, "webhook": 0, "object": 0}
            assert "unreachable" not in hub.get("/topics").json()


def test_any_node_ends_a_stream_and_its_name_is_out_of_use_everywhere(nodes):
    one, other = nodes
    with named(other, "mine") as stream:
        refused = one.request("DELETE", "/observers/mine", headers={"If-Match": '"1"'})
        assert (refused.status_code, refused.json()["code"]) == (412, "observer-changed")
        assert one.request("PATCH", "/observers/mine", json={"enabled": True}).json()["code"] == "observer-kind"
        assert one.request("GET", "/observers/mine/deliveries").json()["code"] == "observer-kind"
        hook = {"topics": ["a"], "url": "http://127.0.0.1:7999/hook"}
        assert one.request("PUT", "/observers/mine", json=hook).json()["code"] == "observer-kind"
        assert one.request("DELETE", "/observers/mine").status_code == 204
        assert_ends(stream)
    for hub in nodes:
        assert hub.request("DELETE", "/observers/mine").status_code == 404
        assert hub.request("GET", "/observers/mine").status_code == 404
        with pytest.raises(StreamRefused) as refusal:
            named(hub, "mine")
        assert refusal.value.status == 204


def test_all_streams_of_a_topic_end_at_all_nodes(nodes):
    one, other = nodes
    with one.stream("a") as first, other.stream("a") as second, other.stream("*") as third:
        assert one.request("DELETE", "/topics/a/observers").json() == {"unregistered": 2}
        assert_ends(first)
        assert_ends(second)
        assert ids(one.observers()) == [third.observer_id]


def test_a_topic_that_is_deleted_ends_its_streams_at_all_nodes(nodes):
    one, other = nodes
    one.post("a", "1")
    # A stream begins with what its node has not heard yet.
    wait_until(lambda: other.history("a"))
    with other.stream("a") as ended, other.stream("*") as stays:
        assert one.request("DELETE", "/topics/a").status_code == 204
        assert_ends(ended)
        other.post("b", "2")
        assert stays.next().data == "2"


def test_a_name_is_one_streams_whatever_node_it_comes_back_at(nodes):
    one, other = nodes
    with named(one, "mine") as first, named(other, "mine") as second:
        assert_ends(first)
        assert ids(one.observers()) == ids(other.observers()) == ["mine"]
        one.post("a", "1")
        assert second.next().data == "1"
        # To ask for the head changes nothing.
        assert one.request("HEAD", f"{events_path('a')}?observer=mine",
                           headers={"Accept": "text/event-stream"}).status_code == 200
        with named(one, "mine"):
            assert_ends(second)
            assert ids(other.observers()) == ["mine"]


def test_a_name_that_many_take_at_once_is_ones_in_the_end(nodes):
    for turn in range(10):
        streams = []

        def open_one(hub):
            with contextlib.suppress(StreamRefused, StreamEnded):
                streams.append(named(hub, f"mine-{turn}"))

        openers = [threading.Thread(target=open_one, args=(nodes[number % 2],)) for number in range(10)]
        for opener in openers:
            opener.start()
        for opener in openers:
            opener.join()
        for hub in nodes:
            wait_until(lambda: ids(hub.observers()) == [f"mine-{turn}"], what="one stream of the name")
        for stream in streams:
            stream.close()
        wait_until(lambda: nodes[0].observers() == [], what="its end")


def test_tenants_learn_nothing_of_each_other_at_any_node(start_hub, server, log, tmp_path):
    file = CredentialsFile(tmp_path, keys={"a": grant("a.**"), "b": grant("b.**"), "all": grant("**")})
    hubs = meet([start_hub("--log", server.log(log), "--credentials", str(file.path)) for _ in range(2)], file.keys["all"])
    one, other = hubs
    fields = {"Authorization": f"Bearer {file.keys['b']}"}
    with named(other, "theirs", "b.x", headers=fields) as stream:
        def as_tenant(who, method, target, **options):
            return ask(one, method, target, file.keys[who], **options)

        assert ids(as_tenant("b", "GET", "/observers").json()["observers"]) == ["theirs"]
        assert as_tenant("b", "GET", "/observers/theirs").status_code == 200
        assert as_tenant("a", "GET", "/observers").json() == {"observers": [], "next": None}
        for method in ("GET", "DELETE"):
            assert as_tenant("a", method, "/observers/theirs").status_code == 404
        assert as_tenant("a", "DELETE", "/topics/b.x/observers").status_code == 403
        taken = as_tenant("a", "GET", f"{events_path('a.x')}?observer=theirs", headers={"Accept": "text/event-stream"})
        assert taken.status_code == 403
        assert ids(as_tenant("all", "GET", "/observers").json()["observers"]) == ["theirs"]
        assert ask(one, "POST", events_path("b.x"), file.keys["b"], data=b"still").status_code == 201
        assert stream.next().data == "still"
        # Whose stream it is comes back at another node.
        with named(one, "theirs", "b.x", headers=fields):
            assert_ends(stream)
        assert as_tenant("b", "DELETE", "/topics/b.x/observers").status_code == 200


def at_once(*works):
    """Does them at the same moment, and returns what each returned."""
    barrier, results = threading.Barrier(len(works)), [None] * len(works)

    def run(place, work):
        barrier.wait()
        results[place] = work()

    threads = [threading.Thread(target=run, args=work) for work in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_a_webhook_that_two_nodes_are_told_to_make_is_ones(nodes):
    for turn in range(20):
        answers = at_once(*[
            lambda hub=hub: hub.request(
                "PUT", f"/observers/w{turn}", headers={"If-None-Match": "*"},
                json={"topics": ["a"], "url": f"https://example.com/{hub.port}", "enabled": False})
            for hub in nodes])
        assert sorted(answer.status_code for answer in answers) == [201, 412]
        [made] = [answer.json() for answer in answers if answer.status_code == 201]
        for hub in nodes:
            wait_until(lambda: hub.get(f"/observers/w{turn}").status_code == 200, what="the webhook at each node")
            assert hub.get(f"/observers/w{turn}").json()["url"] == made["url"]


def test_a_webhook_without_a_condition_is_replaced_by_the_later_of_two(nodes):
    for turn in range(10):
        answers = at_once(*[
            lambda hub=hub: hub.request(
                "PUT", f"/observers/w{turn}", json={"topics": ["a"], "url": f"https://example.com/{hub.port}", "enabled": False})
            for hub in nodes])
        assert sorted(answer.status_code for answer in answers) == [200, 201]
        [last] = [answer.json() for answer in answers if answer.status_code == 200]
        for hub in nodes:
            wait_until(lambda: hub.get(f"/observers/w{turn}").json().get("url") == last["url"], what="the later one")


@pytest.fixture
def tenants(start_hub, server, log, tmp_path):
    """Two nodes, and what asks one of them as a tenant."""
    file = CredentialsFile(tmp_path, keys={"a": grant("a.**"), "b": grant("b.**"), "all": grant("**")})
    hubs = [start_hub("--log", server.log(log), "--credentials", str(file.path), "--allow-egress", "127.0.0.0/8") for _ in range(2)]
    meet(hubs, file.keys["all"])

    def as_tenant(who, place, method, target, document=None, data=None):
        return ask(hubs[place], method, target, file.keys[who], data=data if document is None else json.dumps(document))
    return hubs, as_tenant


@contextlib.contextmanager
def behind(hub):
    """Has a node hang until it is asked for something, which it hears before what happened meanwhile, or just after it."""
    hub.process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        hub.process.send_signal(signal.SIGCONT)


def test_a_tenant_takes_no_webhook_over_at_a_node_that_is_behind(tenants, receiver):
    hubs, as_tenant = tenants
    for turn in range(6):
        target = f"/observers/w{turn}"
        waiting = []
        with behind(hubs[1]):
            mine = {"topics": ["a.x"], "url": receiver.url("/a"), "enabled": False}
            assert as_tenant("a", 0, "PUT", target, mine).status_code == 201
            for _ in range(30):
                assert as_tenant("a", 0, "POST", events_path("a.x"), data=b"secret").status_code == 201
            theirs = {"topics": ["b.y"], "url": receiver.url("/b")}
            thread = threading.Thread(target=lambda: waiting.append(as_tenant("b", 1, "PUT", target, theirs)))
            thread.start()
            # Until it stands in the queue of the node that hangs.
            wait_until(lambda: is_sent_to(hubs[1].port), what="a request that waits")
        thread.join()
        # A node that hung for longer has to connect anew first, and says so.
        answer = waiting[0] if waiting[0].status_code != 503 else wait_until(
            lambda: is_answer(as_tenant("b", 1, "PUT", target, theirs)), what="a node that is connected")
        assert_problem(answer, 403, "right-missing")
        assert as_tenant("a", 0, "GET", target).json()["url"].endswith("/a")
    assert receiver.deliveries == []


def test_what_was_meant_for_a_webhook_is_not_delivered_to_the_next_of_its_id(tenants, receiver):
    hubs, as_tenant = tenants
    for turn, what in enumerate(["replay", "redeliver"] * 4):
        target = f"/observers/w{turn}"
        webhook = {"topics": ["a.x"], "url": receiver.url(f"/a{turn}")}
        assert as_tenant("a", 0, "PUT", target, webhook).status_code == 201
        event = as_tenant("a", 0, "POST", events_path("a.x"), data=b"secret").json()["id"]
        receiver.wait_for(1, f"/a{turn}")
        wait_until(lambda: as_tenant("a", 1, "GET", target).json().get("stats", {}).get("delivered") == 1, what="its outcome")
        answers = []
        with behind(hubs[1]):
            assert as_tenant("a", 0, "DELETE", target).status_code == 204
            theirs = {"topics": ["b.y"], "url": receiver.url(f"/b{turn}")}
            assert as_tenant("b", 0, "PUT", target, theirs).status_code == 201
            for _ in range(30):
                assert as_tenant("a", 0, "POST", events_path("a.z"), data=b"1").status_code == 201
            path, body = {"replay": ("/replay", {"since": "earliest"}),
                          "redeliver": (f"/deliveries/{event}/redeliver", None)}[what]
            thread = threading.Thread(target=lambda: answers.append(as_tenant("a", 1, "POST", target + path, body)))
            thread.start()
            wait_until(lambda: is_sent_to(hubs[1].port), what="a request that waits")
        thread.join()
        answer = answers[0] if answers[0].status_code != 503 else wait_until(
            lambda: is_answer(as_tenant("a", 1, "POST", target + path, body)), what="a node that is connected")
        assert_problem(answer, 404, "observer-unknown")
        # What comes to b comes after whatever was wrongly its own.
        assert as_tenant("b", 0, "POST", events_path("b.y"), data=b"theirs").status_code == 201
        receiver.wait_for(1, f"/b{turn}")
        assert {delivery.body for delivery in receiver.to(f"/b{turn}")} == {b"theirs"}


def test_a_webhook_that_is_deleted_at_a_node_that_is_behind_stays_deleted(nodes):
    one, other = nodes
    url = "https://example.com/"
    for turn in range(6):
        target = f"/observers/w{turn}"
        assert one.request("PUT", target, json={"topics": [f"t{turn}"], "url": url, "enabled": False}).status_code == 201
        wait_until(lambda: other.get(target).status_code == 200, what="the webhook at the other node")
        by_topic = turn % 2 == 1
        deletion, answers = f"/topics/t{turn}/observers" if by_topic else target, []
        with behind(other):
            for number in range(10):
                changed = one.request("PATCH", target, json={"description": str(number)})
                assert changed.status_code == 200
            thread = threading.Thread(target=lambda: answers.append(ask(other, "DELETE", deletion)))
            thread.start()
            wait_until(lambda: is_sent_to(other.port), what="a request that waits")
        thread.join()
        assert answers[0].status_code == (200 if by_topic else 204), answers[0].content
        # What is told after all of that.
        assert one.request("PUT", "/observers/last", json={"topics": ["x"], "url": url, "description": str(turn)}).ok
        wait_until(lambda: other.get("/observers/last").json().get("description") == str(turn), what="the last change")
        assert [hub.get(target).status_code for hub in nodes] == [404, 404]


def is_answer(answer):
    return answer if answer.status_code != 503 else None


def is_sent_to(port):
    """Whether some socket has bytes that its process has not read, of those that a hub at the port has."""
    for line in open("/proc/net/tcp", encoding="ascii").read().splitlines()[1:]:
        _, local, _, state, queues, *_ = line.split()
        if int(local.rsplit(":", 1)[1], 16) == port and state == "01" and int(queues.split(":")[1], 16) > 0:
            return True
    return False


def test_a_node_that_hangs_is_named_and_holds_nobody_up(executable, nodes):
    one, other = nodes
    with one.stream("a") as mine, named(other, "hung") as hung:
        os.kill(other.process.pid, signal.SIGSTOP)
        # Until all of its threads have stopped.
        os.waitpid(other.process.pid, os.WUNTRACED)
        try:
            began = time.monotonic()
            page = one.get("/observers").json()
            assert time.monotonic() - began < 1, "half a second, and what a busy machine takes"
            assert ids(page["observers"]) == [mine.observer_id]
            [missing] = page["unreachable"]
            assert missing.startswith("node-")
            assert one.get("/observers?kind=webhook").json() == {"observers": [], "next": None}, "it is not asked for those"
            assert one.post("a", "1")["topic"] == "a"
            assert missing in one.request("GET", "/observers/hung").json()["detail"]
            assert one.get("/topics").json()["unreachable"] == [missing]
            for command in ("observers", "topics"):
                listed = run(executable, command, "--hub", one.url)
                assert listed.stderr == f"clarion: warning: {missing} does not answer; who listens there is missing\n"
                assert json.loads(run(executable, command, "--hub", one.url, "--json").stdout)["unreachable"] == [missing]
            # After three seconds of silence nobody waits for it.
            wait_until(lambda: timed(lambda: one.get("/observers")) < 0.1, 10, "an answer at once")
            assert one.get("/observers").json()["unreachable"] == [missing]
            # The name is to be had, and whoever has it there will hear of that.
            with named(one, "hung"):
                os.kill(other.process.pid, signal.SIGCONT)
                assert_ends(hung)
                wait_until(lambda: "unreachable" not in one.get("/observers").json(), what="its answer")
                assert sorted(ids(other.observers())) == sorted([mine.observer_id, "hung"])
        finally:
            os.kill(other.process.pid, signal.SIGCONT)


def timed(work):
    began = time.monotonic()
    work()
    return time.monotonic() - began


def test_nodes_join_and_leave(nodes, start_hub, server, log):
    one, other = nodes
    third = start_hub("--log", server.log(log))
    with third.stream("a") as stream, one.stream("a") as mine:
        both = sorted([stream.observer_id, mine.observer_id])
        wait_until(lambda: sorted(ids(one.observers())) == sorted(ids(third.observers())) == both, what="both streams")
        third.stop()
        # Whoever leaves in order is missed by nobody.
        assert one.get("/observers").json() == {"observers": [one.observer(mine.observer_id)], "next": None}
        other.kill()
        wait_until(lambda: "unreachable" in one.get("/observers").json(), what="the name of who was killed")
        other.start()
        wait_until(lambda: ids(other.observers()) == [mine.observer_id])


def test_without_servers_a_node_answers_for_itself_at_once(start_hub, tmp_path, log):
    with NATSServers(tmp_path, 1) as servers:
        hubs = meet([start_hub("--log", servers.log(log)) for _ in range(2)])
        with hubs[0].stream("a") as mine, hubs[1].stream("a"):
            servers.kill(0)
            wait_until(lambda: timed(lambda: hubs[0].get("/observers")) < 0.1, what="an answer at once")
            page = hubs[0].get("/observers").json()
            assert ids(page["observers"]) == [mine.observer_id]
            assert len(page["unreachable"]) == 1
            servers.start(0)
            wait_until(lambda: len(hubs[0].observers()) == 2, 30, "both again")
            assert "unreachable" not in hubs[0].get("/observers").json()
        servers.kill(0)
        alone = hubs[1]
        hubs[0].kill()
        assert alone.get("/observers").status_code == 200


def test_more_streams_than_a_message_holds_come_in_more_pages(start_hub, tmp_path, log):
    with NATSServers(tmp_path, 1, maximum_payload="32KB") as servers:
        hubs = meet([start_hub("--log", servers.log(log), "--max-body", "8KiB") for _ in range(2)])
        with contextlib.ExitStack() as streams:
            opened = [
                streams.enter_context(hubs[number % 2].stream(f"{'x' * 200}.{number}")).observer_id
                for number in range(300)]
            for hub in hubs:
                first = hub.get("/observers?limit=1000").json()
                assert 0 < len(first["observers"]) < 300 and first["next"] and "unreachable" not in first
                assert sorted(ids(hub.observers(limit=1000))) == sorted(opened)
                assert sorted(ids(hub.observers(limit=7))) == sorted(opened)


def test_a_stranger_on_the_bus_breaks_nothing(nodes, server, log):
    one, other = nodes
    with named(other, "mine") as stream, NATSStranger(server.ports[0]) as stranger:
        bus = f"clarion-nodes.{log}"
        node = (2 ** 64 - 5).to_bytes(8, "big")
        stranger.subscribe(f"{bus}.question")
        for data in (b"", b"x", node, node + b"\xff", bytes(9), node + b"[" * 100_000, node + b"{}", node + b'{"ask":7}',
                     node + json.dumps({"ask": "list", "limit": 1e300, "manage": ["**"]}).encode(),
                     node + json.dumps({"ask": "list", "limit": 5, "manage": ["**"], "after": [-1e300, 0]}).encode(),
                     node + json.dumps({"ask": "take", "id": "mine", "manage": [], "principal": "x",
                                        "since": 2 ** 53, "node": ""}).encode()):
            stranger.publish(f"{bus}.question", data)
            stranger.publish(f"{bus}.presence", data)
            stranger.publish(f"{bus}.{'x' * 100}", data)
            # Where a node is to answer is never a subject of the log.
            stranger.publish(f"{bus}.question", data, reply=f"clarion.{log}.change")
        # Now it is a node that answers nonsense: it is named, and what it says is not shown.
        stranger.publish(f"{bus}.presence", node + b"\0")
        wait_until(lambda: "unreachable" in one.get("/observers").json(), what="the stranger's name")
        stranger.flush()
        answers = [
            b"", b"{", b'{"observers":[{"id":"ghost"}],"more":true}', b'{"observers":[],"more":7}' * 2,
            json.dumps({"observers": [{"id": "ghost", "kind": "stream", "topics": ["a"], "createdAt": "2026-11-22T10:15:00.123Z",
                                       "connectedAt": "2026-11-22T10:15:00.123Z", "lastEventId": "x", "queuedBytes": -1}]}).encode()]
        results = []
        for answer in answers:
            asking = threading.Thread(target=lambda: results.append(one.get("/observers").json()))
            asking.start()
            # Those of the questions above that it has put itself come back, too.
            question, reply = b"", ""
            while b'"ask":"list"' not in question or not reply.startswith("_INBOX."):
                _, reply, question = stranger.next()
            number = reply.rsplit(".", 1)[0]
            for nonsense in (b"", b"short", b"\xff" * 200_000):
                stranger.publish(reply, nonsense)
                stranger.publish(f"{number}.18446744073709551616", nonsense)
                stranger.publish(f"{number}.x", nonsense)
            stranger.publish(reply, node + answer)
            asking.join()
        assert [ids(result["observers"]) for result in results] == [["mine"]] * len(answers)
        # Whoever calls itself a node and is not understood is named, asked or not.
        assert all(result["unreachable"] == ["node-fffffffffffffffb", "node-ffffffffffffffff"] for result in results)
        stranger.publish(f"{bus}.presence", node + b"\2")
        for hub in nodes:
            wait_until(lambda: "unreachable" not in hub.get("/observers").json(), what="its end")
        other.post("a", "still there")
        assert stream.next().data == "still there"
        assert one.request("GET", "/readyz").status_code == 200
