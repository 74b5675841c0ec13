"""Every operation that writes, with the disk failing, or the process killed, at its first write, its second, and so on.

What failed has changed nothing, and what is registered, what the table says and what the API answers are one: at once, and
after the process was killed and started again.
"""

import contextlib
import errno
import json
import os
import resource
from urllib.parse import urlsplit

import pytest
import requests
import urllib3

from failing_writes import FailingWrites, compile_library
from hub_process import events_path
from metrics import Reading
from problems import assert_problem
from test_webhooks import LOOPBACK
from waiting import wait_until

#: What goes wrong: with which errno, 0 for a kill, and whether it goes on.
FAILURES = {
    "fails once": (errno.EIO, False), "is full": (errno.ENOSPC, True), "is killed": (0, False),
    # Right after the answer: what was refused must not be there after all.
    "fails once and is killed": (errno.EIO, False)}

#: Whether to try almost every write.
ALL = "FAILING_WRITES_ALL" in os.environ

#: More deliveries than one transaction deletes, or makes dead letters.
MANY = 700


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    path = compile_library(tmp_path_factory.mktemp("failing"))
    if path is None:
        pytest.skip("there is no C compiler")
    return path


@pytest.fixture
def writes(library, tmp_path):
    writes = FailingWrites(library, tmp_path / "orders", tmp_path / "data")
    yield writes
    writes.close()


def writes_to_fail():
    """The numbers of the writes that are to fail, until there are no more: the first few, and some of those that follow."""
    number = 0
    while number < 2_000:
        number += max(1, number // (8 if ALL else 2))
        yield number
    raise AssertionError("it goes on writing")


class Round:
    """One attempt of an operation, on topics and webhooks of its own."""

    def __init__(self, hub, receiver, name):
        self.hub, self.receiver, self.name = hub, receiver, name
        self.topic = f"{name}.events"
        #: Who may be registered.
        self.ids = []

    def path(self, webhook):
        return f"/observers/{webhook['id']}"

    def register(self, suffix="a", topics=None, **members):
        id = f"{self.name}-{suffix}"
        self.ids.append(id)
        response = self.hub.request("PUT", f"/observers/{id}", json=self.body(suffix, topics, **members))
        assert response.status_code == 201, response.text
        return response.json()

    def body(self, suffix="a", topics=None, **members):
        url = self.receiver.url(f"/{self.name}/{suffix}")
        return {"topics": topics or [self.topic], "url": url, **members}

    def post_many(self):
        lines = "".join(f"{number}\n" for number in range(MANY))
        response = self.hub.request(
            "POST", events_path(self.topic), data=lines, headers={"Content-Type": "application/x-ndjson"})
        assert response.status_code == 201, response.text
        return response.json()["events"]

    def seen(self):
        """What the API tells of webhooks, topics and events, each in two ways that must agree."""
        observers = {}
        for listed in self.hub.observers():
            response = self.hub.get(f"/observers/{listed['id']}")
            assert response.status_code == 200, f"{listed['id']} is listed: {response.text}"
            shown = response.json()
            for document in (listed, shown):
                # Figures of deliveries, which go on.
                for name in ("stats", "lastFailure", "failingSince"):
                    document.pop(name, None)
            assert shown == listed
            observers[listed["id"]] = (response.headers["ETag"], shown)
        for id in self.ids:
            assert (self.hub.get(f"/observers/{id}").status_code == 200) == (id in observers)
        events = {}
        for event in self.hub.history(f"{self.name}.**"):
            events.setdefault(event["topic"], []).append(event["id"])
        topics = {}
        for topic in self.hub.get("/topics", params={"limit": 1000, "prefix": f"{self.name}."}).json()["topics"]:
            kept = events.get(topic["name"], [])
            assert (topic["events"], topic["firstId"], topic["lastId"]) == (
                len(kept), kept[0] if kept else None, kept[-1] if kept else None)
            topics[topic["name"]] = topic["retention"]
        return observers, topics, events

    def pending(self, webhook):
        return self.hub.observer(webhook["id"])["stats"]["pending"]

    def wait_until_calm(self, webhook):
        """Until nothing is under way and all of it is recorded: its figures stay what they are."""
        wait_until(lambda: Reading.of(self.hub)["clarion_webhook_in_flight"] == 0, what="an end of what is under way")
        last = []

        def is_calm():
            last.append(self.hub.observer(webhook["id"])["stats"])
            return len(last) > 20 and all(stats == last[-1] for stats in last[-20:])

        wait_until(is_calm, what="figures that stay")

    def assert_heard(self):
        """A new event reaches exactly those that are registered and active."""
        observers, _, _ = self.seen()
        mark = f"mark {len(self.receiver.deliveries)}"
        self.receiver.answer = lambda delivery: 204
        paused = {}
        active = []
        for id in self.ids:
            if id not in observers:
                continue
            shown = observers[id][1]
            if shown["state"] == "active":
                active.append(urlsplit(shown["url"]).path)
            else:
                paused[id] = self.pending({"id": id}) + (shown["state"] == "paused")
        self.hub.post(self.topic, mark)

        def heard():
            return sorted(
                delivery.path for delivery in self.receiver.deliveries if delivery.body.decode() == mark)

        wait_until(lambda: len(heard()) >= len(active), what=f"{mark} at {active}")
        for id, pending in paused.items():
            assert self.pending({"id": id}) == pending
        assert heard() == sorted(active)

    def assert_changeable(self):
        """Each webhook is what its tag says: it can be changed, deleted and registered again."""
        for id in self.ids:
            path = f"/observers/{id}"
            shown = self.hub.get(path)
            if shown.status_code == 200:
                tag = shown.headers["ETag"]
                changed = self.hub.request("PATCH", path, json={"description": "x"}, headers={"If-Match": tag})
                assert changed.status_code == 200, changed.text
                tag = changed.headers["ETag"]
                assert self.hub.request("DELETE", path, headers={"If-Match": tag}).status_code == 204
            assert self.hub.get(path).status_code == 404
            assert self.hub.request("DELETE", path).status_code == 404
            put = self.hub.request("PUT", path, json=self.body(), headers={"If-None-Match": "*"})
            assert put.status_code == 201, put.text
            assert self.hub.observer(id)["stats"]["pending"] == 0
            assert self.hub.request("DELETE", path).status_code == 204


class Operation:
    """What is done. Made anew for each attempt."""

    #: Whether it is done in steps of which the first may stand although a later one failed, as documented.
    is_partial = False

    def prepare(self, round):
        pass

    def act(self, round):
        raise NotImplementedError

    def settle(self, round):
        """Waits for what follows the answer."""


class Create(Operation):
    def act(self, round):
        response = round.hub.request("POST", "/observers", json=round.body("created"))
        if response.ok:
            assert response.json()["secret"]
            round.ids.append(response.json()["id"])
        return response

    def settle(self, round):
        # If its answer was lost, it is there under a name that nobody was told.
        for observer in round.hub.observers(topic=round.topic):
            if observer["id"] not in round.ids:
                assert round.hub.request("DELETE", f"/observers/{observer['id']}").status_code == 204


class Put(Operation):
    def act(self, round):
        round.ids.append(f"{round.name}-a")
        return round.hub.request("PUT", f"/observers/{round.name}-a", json=round.body())


class PutWithHandshake(Operation):
    def act(self, round):
        round.ids.append(f"{round.name}-a")
        round.receiver.answer = lambda delivery: (200, {"WebHook-Allowed-Origin": "*", "WebHook-Allowed-Rate": "*"})
        return round.hub.request("PUT", f"/observers/{round.name}-a", json=round.body(handshake=True))


class Change(Operation):
    """Of a webhook that has pending deliveries."""

    enabled = False

    def prepare(self, round):
        self.webhook = round.register(enabled=self.enabled)
        round.post_many()

    def send(self, round, tag):
        raise NotImplementedError

    def act(self, round):
        tag = round.hub.get(round.path(self.webhook)).headers["ETag"]
        return self.send(round, {"If-Match": tag})


class Replace(Change):
    def send(self, round, match):
        body = round.body(enabled=False, description="another")
        return round.hub.request("PUT", round.path(self.webhook), json=body, headers=match)


class Pause(Change):
    enabled = True

    def send(self, round, match):
        return round.hub.request("PATCH", round.path(self.webhook), json={"enabled": False}, headers=match)

    def settle(self, round):
        round.wait_until_calm(self.webhook)


class Resume(Change):
    def send(self, round, match):
        return round.hub.request("PATCH", round.path(self.webhook), json={"enabled": True}, headers=match)

    def settle(self, round):
        if round.hub.observer(self.webhook["id"])["state"] == "active":
            wait_until(lambda: round.pending(self.webhook) == 0, what="what waited")


class Rotate(Change):
    def send(self, round, match):
        response = round.hub.request("POST", round.path(self.webhook) + "/secret/rotate", headers=match)
        if response.ok:
            assert response.json()["secret"] != self.webhook["secret"]
        return response


class Delete(Change):
    def send(self, round, match):
        return round.hub.request("DELETE", round.path(self.webhook), headers=match)


class DeleteAll(Operation):
    def prepare(self, round):
        for suffix in "abc":
            round.register(suffix, enabled=suffix == "c")
        round.post_many()

    def act(self, round):
        response = round.hub.request("DELETE", f"/topics/{round.topic}/observers")
        if response.ok:
            assert response.json() == {"unregistered": 3}
        return response


class SetRetention(Operation):
    def prepare(self, round):
        round.post_many()

    def act(self, round):
        return round.hub.request("PUT", f"/topics/{round.topic}", json={"retention": {"events": 10_000}})


class DeleteTopic(Operation):
    def prepare(self, round):
        round.register(enabled=False)
        round.post_many()

    def act(self, round):
        return round.hub.request("DELETE", f"/topics/{round.topic}")

    def settle(self, round):
        # Of events that are gone nothing is delivered; their rows go a little later.
        topic = round.hub.get(f"/topics/{round.topic}")
        if topic.status_code == 404:
            wait_until(lambda: round.pending({"id": round.ids[0]}) == 0, what="deliveries that are gone")


class Post(Operation):
    def prepare(self, round):
        round.register("a", enabled=False)
        round.register("b")

    def act(self, round):
        return round.hub.request("POST", events_path(round.topic), data=b"x", headers={"Idempotency-Key": "k"})


class PostBatch(Post):
    def act(self, round):
        lines = "".join(json.dumps("x" * 1_000) + "\n" for _ in range(100))
        return round.hub.request(
            "POST", events_path(round.topic), data=lines, headers={"Content-Type": "application/x-ndjson"})


class CompareAndSet(Post):
    def prepare(self, round):
        super().prepare(round)
        round.hub.post(round.topic, "old")

    def act(self, round):
        path = f"/topics/{round.topic}/value"
        tag = round.hub.get(path).headers["ETag"]
        return round.hub.request("PUT", path, data=b"new", headers={"If-Match": tag, "Content-Type": "text/plain"})


class Redeliver(Operation):
    def prepare(self, round):
        self.webhook = round.register()
        round.receiver.answer = lambda delivery: 204
        self.event = round.hub.post(round.topic, "again")["id"]
        round.receiver.wait_for(1, f"/{round.name}/a")
        wait_until(lambda: round.pending(self.webhook) == 0, what="the outcome")

    def act(self, round):
        return round.hub.request("POST", f"{round.path(self.webhook)}/deliveries/{self.event}/redeliver")

    def settle(self, round):
        wait_until(lambda: round.pending(self.webhook) == 0, what="the outcome")


class Replay(Operation):
    is_partial = True

    def prepare(self, round):
        round.post_many()
        self.webhook = round.register(ordered=True)

    def act(self, round):
        return round.hub.request("POST", f"{round.path(self.webhook)}/replay", json={"since": "earliest"})

    def settle(self, round):
        wait_until(lambda: round.pending(self.webhook) == 0, what="the outcomes")


class Recover(Operation):
    """The dead letters of a webhook that was disabled and is enabled again."""

    is_partial = True

    def prepare(self, round):
        self.webhook = round.register()
        round.receiver.answer = lambda delivery: 410
        round.post_many()
        wait_until(lambda: round.hub.observer(self.webhook["id"])["state"] == "disabled", what="a webhook that is gone")
        wait_until(lambda: round.pending(self.webhook) == 0, what="dead letters")
        round.wait_until_calm(self.webhook)
        round.receiver.answer = lambda delivery: 204
        response = round.hub.request("PATCH", round.path(self.webhook), json={"enabled": True})
        assert response.status_code == 200, response.text

    def act(self, round):
        return round.hub.request("POST", f"{round.path(self.webhook)}/recover", json={"since": "earliest"})

    def settle(self, round):
        wait_until(lambda: round.pending(self.webhook) == 0, what="the outcomes")


OPERATIONS = [
    Create, Put, PutWithHandshake, Replace, Pause, Resume, Rotate, Delete, DeleteAll, SetRetention, DeleteTopic, Post,
    PostBatch, CompareAndSet, Redeliver, Replay, Recover]


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_what_fails_between_two_writes_leaves_all_or_nothing(
        start_hub, clarion, receiver, writes, tmp_path, operation, failure, figure):
    error, lasting = FAILURES[failure]
    hub = start_hub("--durability", "disk", *LOOPBACK, data=tmp_path / "data", environment=writes.environment)
    for number in writes_to_fail():
        round = Round(hub, receiver, f"r{number}")
        attempt = operation()
        attempt.prepare(round)
        before = round.seen()
        writes.arm(number, error, lasting=lasting)
        try:
            response = attempt.act(round)
        except requests.exceptions.ConnectionError:
            # It was killed.
            response = None
        failures = writes.disarm()
        if failures and not error:
            restart_killed(hub)
        elif not response.ok:
            assert response.status_code in (500, 507), response.text
            if failure == "fails once and is killed":
                hub.kill()
                hub.restart()
            if not attempt.is_partial:
                assert round.seen() == before, f"write {number} failed: {response.text}"
        after = round.seen()
        attempt.settle(round)
        round.assert_heard()
        if "killed" in failure or failures == 0:
            seen = round.seen()
            hub.kill()
            assert_sound(clarion, hub)
            hub.restart()
            assert round.seen() == seen
            attempt.settle(round)
            round.assert_heard()
        round.assert_changeable()
        if failures == 0:
            assert response.ok
            assert after != before or operation in (Redeliver, Replay, Recover)
            break
    figure(f"{operation.__name__}: {number - 1} writes")


def restart_killed(hub):
    """After it killed itself."""
    assert hub.process.wait(10) == -9
    hub.is_down = True
    hub.restart()


def assert_sound(clarion, hub):
    check = clarion("check", "--data", hub.data)
    assert check.returncode == 0, check.stdout + check.stderr


@pytest.mark.parametrize("failure", ["fails once", "is full", "is killed"])
def test_a_webhook_that_is_gone_is_disabled_with_all_that_waits_whichever_write_fails(
        start_hub, clarion, receiver, writes, tmp_path, failure):
    error, lasting = FAILURES[failure]
    hub = start_hub("--durability", "disk", *LOOPBACK, data=tmp_path / "data", environment=writes.environment)
    for number in writes_to_fail():
        round = Round(hub, receiver, f"r{number}")
        receiver.answer = lambda delivery: 410
        webhook = round.register(enabled=False)
        round.post_many()

        def enable():
            try:
                return hub.request("PATCH", round.path(webhook), json={"enabled": True}).ok
            except requests.exceptions.ConnectionError:
                return True

        def is_over():
            if hub.process.poll() is not None:
                return True
            shown = hub.observer(webhook["id"])
            return shown["state"] == "disabled" and shown["stats"]["pending"] == 0

        writes.arm(number, error, lasting=lasting)
        # On a disk that stays full nothing ends by itself.
        if not enable() and not lasting:
            wait_until(enable, what="a webhook that is enabled")
        if lasting:
            wait_until(lambda: writes.failures or is_over(), what="a write that fails")
        else:
            try:
                wait_until(is_over, what="a webhook that is disabled")
            except requests.exceptions.ConnectionError:
                pass
        failures = writes.disarm()
        if failures and not error:
            restart_killed(hub)
        if hub.observer(webhook["id"])["state"] == "paused":
            assert enable()
        if hub.observer(webhook["id"])["state"] == "active" and failures and not error:
            # Whoever said that it is gone says so again.
            wait_until(lambda: hub.observer(webhook["id"])["state"] == "disabled")
        wait_until(is_over, what="a webhook that is disabled, and waits for nothing")
        assert hub.observer(webhook["id"])["reason"] == "gone"
        hub.kill()
        assert_sound(clarion, hub)
        hub.restart()
        assert is_over()
        round.assert_heard()
        round.assert_changeable()
        if failures == 0:
            break


@pytest.mark.parametrize("failure", ["fails once", "is full", "is killed"])
def test_what_arrived_is_recorded_whichever_write_fails(
        start_hub, clarion, receiver, writes, tmp_path, failure):
    error, lasting = FAILURES[failure]
    hub = start_hub("--durability", "disk", *LOOPBACK, data=tmp_path / "data", environment=writes.environment)
    for number in writes_to_fail():
        round = Round(hub, receiver, f"r{number}")
        webhook = round.register()
        written = []

        def answer(delivery):
            # From here on: what is written is what came of it.
            if not written:
                written.append(True)
                writes.arm(number, error, lasting=lasting)
            return 204

        receiver.answer = answer
        events = [hub.post(round.topic, "first")["id"]]
        receiver.wait_for(1, f"/{round.name}/a")
        try:
            if not lasting:
                events += [hub.post(round.topic, str(count))["id"] for count in range(3)]
            wait_until(lambda: writes.failures or round.pending(webhook) == 0, what="outcomes")
        except (AssertionError, requests.exceptions.ConnectionError):
            assert writes.failures
        failures = writes.disarm()
        if failures and not error:
            restart_killed(hub)
        wait_until(lambda: round.pending(webhook) == 0, what="what is recorded")
        arrived = {delivery.id for delivery in receiver.to(f"/{round.name}/a")}
        assert set(events) <= arrived == {event["id"] for event in hub.history(round.topic)}
        hub.kill()
        assert_sound(clarion, hub)
        hub.restart()
        assert round.pending(webhook) == 0
        round.assert_heard()
        round.assert_changeable()
        if failures == 0:
            break


@pytest.mark.parametrize("failure", ["fails once", "is full", "is killed"])
@pytest.mark.parametrize("has_log", [True, False], ids=["a log", "no log"])
def test_a_hub_that_could_not_start_or_stop_finds_all_as_it_was(
        start_hub, clarion, receiver, writes, tmp_path, failure, has_log):
    error, lasting = FAILURES[failure]
    hub = start_hub("--durability", "disk", *LOOPBACK, data=tmp_path / "data", environment=writes.environment)
    fill(hub, receiver)
    for number in writes_to_fail():
        for by in (hub.kill, hub.stop) if has_log else (hub.kill,):
            before = Round(hub, receiver, "r").seen()
            by()
            if not has_log:
                for path in hub.data.iterdir():
                    path.unlink()
            writes.arm(number, error, lasting=lasting)
            try:
                hub.start(hub.port)
            except AssertionError:
                assert writes.failures
            if not hub.is_down and hub.process.poll() is None:
                hub.process.terminate()
                # In time, whether it could write the rest or not.
                hub.process.wait(10)
            hub.is_down = True
            failures = writes.disarm()
            hub.restart()
            round = Round(hub, receiver, "r")
            if has_log:
                assert round.seen() == before
            else:
                assert round.seen() == ({}, {}, {})
                fill(hub, receiver)
            hub.stop()
            assert_sound(clarion, hub)
            hub.restart()
        if failures == 0:
            break


def fill(hub, receiver):
    """Webhooks that wait, one that was deleted a moment ago, and topics, of which one was deleted, too."""
    round = Round(hub, receiver, "r")
    round.register("a", enabled=False)
    round.register("b", enabled=False)
    round.post_many()
    hub.post("r.gone", "x")
    assert hub.request("DELETE", "/observers/r-b").status_code == 204
    assert hub.request("DELETE", "/topics/r.gone").status_code == 204


@pytest.mark.parametrize("error", [errno.EDQUOT, errno.EFBIG])
def test_a_quota_that_is_used_up_is_a_full_disk(start_hub, writes, topic, tmp_path, error):
    hub = start_hub("--durability", "disk", data=tmp_path / "data", environment=writes.environment)
    hub.post(topic)
    writes.arm(1, error, lasting=True)
    for _ in range(3):
        assert_problem(hub.request("POST", events_path(topic), data=b"x"), 507, "storage-full")
        assert_problem(hub.get("/readyz"), 503, "storage-full")
    assert writes.disarm()
    assert hub.log.count("[Clarion] the log's disk is full") == 1
    hub.post(topic)
    assert hub.get("/readyz").status_code == 200


def test_a_file_that_may_not_become_larger_is_a_full_disk(hub, topic):
    hub.post(topic)
    _, hard = resource.prlimit(hub.process.pid, resource.RLIMIT_FSIZE)
    size = (hub.data / "clarion.db-wal").stat().st_size
    resource.prlimit(hub.process.pid, resource.RLIMIT_FSIZE, (size, hard))
    body = os.urandom(2 * size)
    for _ in range(3):
        assert_problem(hub.request("POST", events_path(topic), data=body), 507, "storage-full")
    resource.prlimit(hub.process.pid, resource.RLIMIT_FSIZE, (hard, hard))
    hub.post(topic)
    assert len(hub.history(topic)) == 2


def test_outcomes_that_a_full_disk_does_not_take_are_told_once(start_hub, receiver, writes, topic, tmp_path):
    hub = start_hub("--durability", "disk", *LOOPBACK, data=tmp_path / "data", environment=writes.environment)
    webhook = hub.register(receiver.url(), topic)

    def answer(delivery):
        writes.arm(1, errno.ENOSPC, lasting=True)
        return 204

    receiver.answer = answer
    hub.post(topic)
    wait_until(lambda: writes.failures > 20, 30, what="outcomes that are tried again")
    writes.disarm()
    assert hub.log.count("[Clarion] the log's disk is full") == 1 and " error clarion:" not in hub.log
    wait_until(lambda: hub.observer(webhook["id"])["stats"]["delivered"] == 1, 30)


@pytest.mark.parametrize("reads", [False, True], ids=["writes", "reads"])
def test_a_disk_that_fails_is_not_called_damage(start_hub, writes, topic, tmp_path, reads):
    hub = start_hub("--durability", "disk", data=tmp_path / "data", environment=writes.environment)
    hub.post(topic)
    writes.arm(1, errno.EIO, lasting=True, reads=reads)
    for _ in range(3):
        path = events_path(topic)
        answer = hub.get(path) if reads else hub.request("POST", path, data=b"x")
        assert_problem(answer, 500, "internal")
    assert writes.disarm()
    assert hub.log.count("[Clarion] the log's disk fails") == 1 and "damaged" not in hub.log
    hub.post(topic)
    assert len(hub.history(topic)) == 2


@pytest.mark.parametrize("kind", ["page", "stream"])
def test_a_disk_that_fails_in_the_middle_of_an_answer_is_told(start_hub, writes, topic, tmp_path, kind):
    hub = start_hub(data=tmp_path / "data", environment=writes.environment)
    # More than SQLite keeps of the file, which is read once more for a page, to see where it ends.
    for _ in range(24):
        hub.post(topic, bytes(1_000_000), type="other")
        hub.post(topic, b"x" * 100_000, type="wanted")

    def read():
        received = b""
        path = events_path(topic) + ("?type=wanted" if kind == "page" else "?type=wanted&since=earliest")
        accept = "application/json" if kind == "page" else "text/event-stream"
        with contextlib.suppress(requests.RequestException, urllib3.exceptions.HTTPError):
            with hub.get(path, headers={"Accept": accept}, stream=True) as answer:
                assert answer.status_code == 200
                while received.count(b"x" * 100_000) < 20 and (piece := answer.raw.read(4096)):
                    received += piece
        return received.count(b"x" * 100_000)

    writes.arm(1 << 30, errno.EIO, reads=True)
    assert read() == 20
    writes.arm(writes.calls * 3 // 4, errno.EIO, lasting=True, reads=True)
    assert 0 < read() < 20 and writes.disarm()
    wait_until(lambda: "[Clarion] the log's disk fails" in hub.log)


@pytest.mark.parametrize("command", ["serve", "check"])
def test_a_disk_that_does_not_read_at_the_start_is_not_called_damage(
        start_hub, clarion, writes, topic, tmp_path, command):
    hub = start_hub(data=tmp_path / "data")
    hub.post(topic)
    hub.stop()
    options = ["--port", "0"] if command == "serve" else []
    for number in (1, 2, 3, 5, 8):
        writes.arm(number, errno.EIO, lasting=True, reads=True)
        result = clarion(command, *options, "--data", hub.data, environment=writes.environment)
        assert writes.disarm()
        told = result.stdout + result.stderr
        assert result.returncode == 1 and told.count("disk fails") == 1, told
        assert "damaged" not in told.split("disk fails")[0] and "no log" not in told and "backup" not in told, told
    assert_sound(clarion, hub)


def test_a_disk_that_fails_to_read_once_is_not_called_damage(start_hub, clarion, writes, topic, tmp_path):
    hub = start_hub(data=tmp_path / "data")
    hub.post(topic)
    hub.stop()
    for number in range(1, 16):
        writes.arm(number, errno.EIO, reads=True)
        result = clarion("check", "--data", hub.data, environment=writes.environment)
        assert writes.disarm()
        told = result.stdout + result.stderr
        assert result.returncode == 0 or "disk fails" in told, f"{number}: {told}"
        assert "damaged" not in told and "malformed" not in told and "read ptrmap" not in told, f"{number}: {told}"
