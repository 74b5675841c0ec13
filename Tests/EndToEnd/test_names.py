"""One name is that of one observer: streams, webhooks and objects that want the same, and streams that do not read."""

import collections
import random
import threading

import pytest
import requests

from event_stream import EventStream, StreamEnded, StreamRefused
from hub_process import events_path
from problems import assert_problem
from waiting import DEADLINE, wait_until

CONSENT = (200, {"WebHook-Allowed-Origin": "*"})


@pytest.fixture(scope="module")
def shared_hub(start_shared_hub):
    return start_shared_hub("--allow-egress", "127.0.0.0/8")


def named(hub, topic, name, **options):
    return hub.stream(topic, query=f"observer={name}", **options)


def put(hub, name, topic, url, **members):
    # A session of its own: requests' is not for several threads.
    return requests.put(
        f"{hub.url}/observers/{name}", json={"topics": [topic], "url": url, **members}, timeout=DEADLINE)


class Asked:
    """An endpoint that is asked for its consent and takes its time: until ``answer``."""

    def __init__(self, receiver):
        self.release = threading.Event()
        self.questions = threading.Semaphore(0)
        self.consents = True
        receiver.answer = self._answer

    def _answer(self, delivery):
        if delivery.method != "OPTIONS":
            return 204
        self.questions.release()
        self.release.wait(DEADLINE)
        return CONSENT if self.consents else (404, {})

    def wait(self):
        assert self.questions.acquire(timeout=DEADLINE)


class InBackground:
    """A call under way on a thread of its own."""

    def __init__(self, call):
        self._results = []
        self._thread = threading.Thread(target=lambda: self._results.append(call()))
        self._thread.start()

    def result(self):
        self._thread.join(DEADLINE)
        return self._results[0]


def test_a_name_is_taken_while_its_webhook_is_being_registered(shared_hub, receiver, topic):
    asked = Asked(receiver)
    registering = InBackground(lambda: put(shared_hub, topic, topic, receiver.url(), handshake=True))
    asked.wait()
    for _ in range(2):
        with pytest.raises(StreamRefused) as refused:
            named(shared_hub, topic, topic)
        assert refused.value.status == 409
        assert b"observer-kind" in refused.value.body
    head = shared_hub.request(
        "HEAD", f"{events_path(topic)}?observer={topic}", headers={"Accept": "text/event-stream"})
    assert head.status_code == 409
    # Another name is free, and so is one that a stream of its own has.
    named(shared_hub, topic, f"{topic}-other").close()
    asked.release.set()
    assert registering.result().status_code == 201
    [observer] = shared_hub.observers(topic=topic, kind="webhook")
    assert observer["id"] == topic
    with pytest.raises(StreamRefused):
        named(shared_hub, topic, topic)


def test_a_name_is_free_again_when_the_registration_fails(shared_hub, receiver, topic):
    asked = Asked(receiver)
    asked.consents = False
    registering = [
        InBackground(lambda: put(shared_hub, topic, topic, receiver.url(), handshake=True)) for _ in range(2)]
    for _ in registering:
        asked.wait()
    asked.release.set()
    assert [one.result().status_code for one in registering] == [422, 422]
    assert_problem(put(shared_hub, topic, topic, "nonsense"), 400, "url-invalid")
    with named(shared_hub, topic, topic) as stream:
        shared_hub.post(topic, "x")
        assert stream.next().data == "x"
        # The stream was first.
        assert_problem(put(shared_hub, topic, topic, receiver.url(), handshake=True), 409, "observer-kind")
        assert shared_hub.observer(topic)["kind"] == "stream"


def test_two_registrations_of_one_name_are_one_webhook(shared_hub, receiver, topic):
    asked = Asked(receiver)
    registering = [
        InBackground(lambda: put(shared_hub, topic, topic, receiver.url(), handshake=True)) for _ in range(3)]
    for _ in registering:
        asked.wait()
    asked.release.set()
    assert sorted(one.result().status_code for one in registering) == [200, 200, 201]
    assert len(shared_hub.observers(topic=topic)) == 1


def test_an_id_that_the_hub_made_is_taken_too(shared_hub, topic):
    with shared_hub.stream(topic) as stream:
        assert_problem(put(shared_hub, stream.observer_id, topic, "https://example.com/"), 409, "observer-kind")
        assert shared_hub.observer(stream.observer_id)["kind"] == "stream"


def test_a_retired_name_may_be_a_webhooks(shared_hub, topic):
    with named(shared_hub, topic, topic) as stream:
        assert shared_hub.request("DELETE", f"/observers/{topic}").status_code == 204
        assert stream.read_to_end() == []
    assert put(shared_hub, topic, topic, "https://example.com/").status_code == 201
    assert shared_hub.observer(topic)["kind"] == "webhook"


def test_a_thousand_that_want_few_names_at_once(start_hub, receiver, topic, figure):
    """Whatever came of each: what is listed is what hears, and all of it can be ended."""
    hub = start_hub("--allow-egress", "127.0.0.0/8")
    seed = random.randrange(1 << 32)
    names = [f"{topic}-{number}" for number in range(24)]
    receiver.answer = lambda delivery: CONSENT if delivery.method == "OPTIONS" else 204
    streams, lock, counts, failures = [], threading.Lock(), collections.Counter(), []

    def act(choose, session):
        name = choose.choice(names)
        kind = choose.choices(["open", "put", "ask", "delete", "close"], [50, 12, 18, 8, 12])[0]
        path = f"{hub.url}/observers/{name}"
        members = {"topics": [topic], "url": receiver.url()}
        match kind:
            case "open":
                try:
                    stream = EventStream.of(hub.port, topic, query=f"observer={name}")
                except StreamRefused as refused:
                    assert refused.status in (204, 409), refused
                    return kind, refused.status
                with lock:
                    streams.append(stream)
                return kind, 200
            case "put" | "ask":
                # Its answer is not waited for by everyone: names are wanted meanwhile.
                answer = session.put(path, json={**members, "handshake": kind == "ask"}, timeout=30)
                assert answer.status_code in (200, 201, 409, 412, 429), answer.text
                return kind, answer.status_code
            case "delete":
                answer = session.delete(path, timeout=30)
                assert answer.status_code in (204, 404), answer.text
                return kind, answer.status_code
            case "close":
                with lock:
                    stream = streams.pop(choose.randrange(len(streams))) if streams else None
                if stream:
                    stream.close()
                return kind, None

    def go(number):
        choose = random.Random(seed + number)
        try:
            with requests.Session() as session:
                session.trust_env = False
                for _ in range(64):
                    result = act(choose, session)
                    with lock:
                        counts[result] += 1
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=go, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == [], f"seed {seed}"
    figure(f"{sum(counts.values())} operations: {dict(sorted(counts.items(), key=str))}")

    hub.post(topic, "do you hear?")
    hearing = []
    for stream in streams:
        try:
            stream.next()
            hearing.append(stream)
        except StreamEnded:
            stream.close()
    ids = sorted(stream.observer_id for stream in hearing)
    assert len(ids) == len(set(ids)), "two streams of one name hear"
    # Those that were closed by their clients go by themselves.
    wait_until(lambda: len(hub.observers(kind="stream")) == len(ids), what="only those that hear are listed")
    assert sorted(one["id"] for one in hub.observers(kind="stream")) == ids, f"seed {seed}"
    listed = [one["id"] for one in hub.observers()]
    assert len(listed) == len(set(listed))
    assert hub.get(f"/topics/{topic}").json()["observers"]["stream"] == len(ids)
    for id in listed:
        assert hub.request("DELETE", f"/observers/{id}").status_code == 204, id
    assert hub.observers() == []
    for stream in hearing:
        assert stream.read_to_end() == []
        stream.close()
    assert hub.get(f"/topics/{topic}").json()["observers"] == {"stream": 0, "webhook": 0, "object": 0}


# Streams that do not read

def stuck(hub, topic, name=None):
    """A stream that reads nothing, with more before it than its socket takes."""
    query = f"observer={name}" if name else ""
    stream = hub.stream(topic, query=query, receive_buffer=4096)
    for _ in range(20):
        hub.post(topic, b"x" * 500_000)
    wait_until(lambda: hub.observer(stream.observer_id)["queuedBytes"] > 0)
    return stream


def unregister(hub, stream, topic):
    assert hub.request("DELETE", f"/observers/{stream.observer_id}").status_code == 204


def unregister_all(hub, stream, topic):
    assert hub.request("DELETE", f"/topics/{topic}/observers").json() == {"unregistered": 1}
    assert hub.request("DELETE", f"/topics/{topic}/observers").json() == {"unregistered": 0}


def delete_topic(hub, stream, topic):
    assert hub.request("DELETE", f"/topics/{topic}").status_code == 204


@pytest.mark.parametrize("end", [unregister, unregister_all, delete_topic])
def test_a_stream_that_does_not_read_is_gone_when_it_was_ended(hub, topic, end):
    before = hub.sockets()
    stream = stuck(hub, topic, topic)
    end(hub, stream, topic)
    for method in ("GET", "DELETE"):
        assert_problem(hub.request(method, f"/observers/{topic}"), 404, "observer-unknown")
    assert hub.observers() == []
    # Its socket is given up soon, though it never reads.
    wait_until(lambda: hub.sockets() <= before + 1, what="the socket is given up")
    stream.close()


def test_a_replaced_stream_that_does_not_read_is_given_up(hub, topic):
    first = stuck(hub, topic, topic)
    with named(hub, topic, topic) as second:
        before = hub.sockets()
        hub.post(topic, "x")
        assert second.next().data == "x"
        wait_until(lambda: hub.sockets() == before - 1, what="the socket is given up")
        assert [one["id"] for one in hub.observers()] == [topic]
    first.close()


def test_a_stream_that_reads_slowly_gets_to_its_end(hub, topic):
    stream = stuck(hub, topic, topic)
    unregister(hub, stream, topic)
    messages = stream.read_to_end()
    # What waited for it, in whole frames, and then the end.
    assert messages and all(len(message.data) == 500_000 for message in messages)
    stream.close()
