"""What an acknowledged event survives."""

import os
import random
import sqlite3
import subprocess
import threading

import pytest

from event_stream import EventStream, StreamEnded
from hub_process import events_path
from problems import assert_problem
from raw_http import RawConnection, request
from waiting import wait_until


class Posters:
    """Post without pause until the hub is gone, and remember what was acknowledged, in order."""

    def __init__(self, hub, topic, connections, life):
        self.acknowledged = [[] for _ in range(connections)]
        self.odd = []
        self._threads = [
            threading.Thread(target=self._post, args=(hub.port, topic, life, name)) for name in range(connections)]
        for thread in self._threads:
            thread.start()

    @property
    def count(self):
        return sum(map(len, self.acknowledged))

    def join(self):
        for thread in self._threads:
            thread.join(30)
            assert not thread.is_alive()
        assert self.odd == []

    def _post(self, port, topic, life, name):
        try:
            with RawConnection(port) as connection:
                number = 0
                while True:
                    data = f"{life}/{name}/{number}"
                    if not connection.send(request("POST", events_path(topic), body=data.encode())):
                        return
                    response = connection.receive()
                    if response is None:
                        return
                    if response.status != 201:
                        self.odd.append(response)
                        return
                    self.acknowledged[name].append((response.json()["id"], data))
                    number += 1
        except OSError:
            return


@pytest.mark.parametrize("durability", ["disk", "process"])
def test_kill_9_during_posting_ten_times(start_hub, topic, durability, figure):
    hub = start_hub("--durability", durability)
    source = random.Random(9)
    acknowledged, streamed, last = [], [], None
    for life in range(10):
        options = {"last_event_id": last} if last else {"query": "since=earliest"}
        stream = EventStream.of(hub.port, topic, **options)
        posters = Posters(hub, topic, connections=4, life=life)
        goal = source.randrange(20, 200)
        wait_until(lambda: posters.count >= goal, what=f"{goal} acknowledgements")
        hub.kill()
        posters.join()
        acknowledged += posters.acknowledged
        # What the stream still gets is what the hub had sent, perhaps with half a frame at its end.
        try:
            while True:
                streamed.append(stream.next())
        except (StreamEnded, ConnectionResetError):
            pass
        last = stream.last_event_id or last
        stream.close()
        hub.restart()
        ids = {event["id"] for event in hub.history(topic)}
        for one in posters.acknowledged:
            assert {id for id, _ in one} <= ids, f"life {life} lost an acknowledged event"

    history = hub.history(topic)
    position = {event["id"]: number for number, event in enumerate(history)}
    assert len(position) == len(history), "an id was given twice"
    data = {event["id"]: event["data"] for event in history}
    for one in acknowledged:
        assert [data[id] for id, _ in one] == [text for _, text in one]
        places = [position[id] for id, _ in one]
        assert places == sorted(places)
    assert len(set(data.values())) == len(history), "an event was stored twice"
    lives = [int(text.split("/")[0]) for text in data.values()]
    assert lives == sorted(lives)

    with EventStream.of(hub.port, topic, last_event_id=last) as stream:
        streamed += stream.take(len(history) - len(streamed))
        assert [message.type for message in streamed] == ["message"] * len(history), "there was no gap"
        assert [message.id for message in streamed] == [event["id"] for event in history]
    figure(f"{sum(map(len, acknowledged))} acknowledged of {len(history)} stored, none lost, in ten lives")


def test_events_of_any_kind_survive(hub, topic):
    posts = [(b"", None), (bytes(range(256)), "binary"), ("é\r\n".encode(), "text"), (b"x" * (1 << 20), None)]
    receipts = [
        hub.post(topic, data, type=type, headers={"Content-Type": "application/x-test; a=b"}) for data, type in posts]
    before = hub.history(topic)
    hub.kill()
    hub.restart()
    assert hub.history(topic) == before
    for receipt, (data, type) in zip(receipts, posts):
        response = hub.get(f"{events_path(topic)}/{receipt['id']}")
        assert response.content == data
        assert response.headers.get("Event-Type") == type
        assert response.headers["Content-Type"] == "application/x-test; a=b"


def test_ids_are_not_given_again(hub, topic):
    ids = [hub.post(topic)["id"]]
    for end in (hub.kill, hub.stop, hub.kill):
        end()
        hub.restart()
        ids.append(hub.post(topic)["id"])
    assert len(set(ids)) == len(ids)
    assert [event["id"] for event in hub.history(topic)] == ids


def test_a_stream_resumes_across_a_restart(hub, topic):
    first = hub.post(topic, "first")["id"]
    with EventStream.of(hub.port, topic, query="since=earliest") as stream:
        assert stream.next().id == first
    for end in (hub.stop, hub.kill):
        hub.post(topic, "before the end")
        end()
        hub.restart()
        hub.post(topic, "after it")
        with EventStream.of(hub.port, topic, last_event_id=first) as stream:
            messages = stream.take(2)
            assert [message.data for message in messages] == ["before the end", "after it"]
            first = messages[-1].id


def test_a_log_in_memory_is_another_one_after_a_restart(start_hub, topic):
    hub = start_hub("--durability", "memory")
    old = hub.post(topic, "forgotten")["id"]
    hub.restart()
    new = hub.post(topic, "new")["id"]
    assert new != old
    with EventStream.of(hub.port, topic, last_event_id=old) as stream:
        gap, message = stream.take(2)
        assert gap.type == "gap"
        assert message.id == new


@pytest.fixture
def small_disk(request, tmp_path):
    """A file system of 5 MB, or of as many as a test says."""
    megabytes = getattr(request, "param", 5)
    folder = tmp_path / "small"
    folder.mkdir()
    if os.geteuid() != 0 or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", folder], capture_output=True).returncode != 0:
        pytest.skip("a small file system cannot be mounted here")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def fill(path):
    """Writes a file until nothing more fits."""
    with open(path, "wb", buffering=0) as file:
        try:
            while file.write(b"x" * 4096):
                pass
        except OSError:
            pass


def make_room_by_a_foreign_file(hub, topic, folder):
    (folder / "foreign").unlink()


def make_room_by_retention(hub, topic, folder):
    response = hub.request("PUT", f"/topics/{topic}", json={"retention": {"events": 3}})
    assert response.status_code == 200, response.text


def make_room_by_deleting(hub, topic, folder):
    assert hub.request("DELETE", f"/topics/{topic}").status_code == 204


@pytest.mark.parametrize("durability", ["process", "disk"])
@pytest.mark.parametrize("make_room, kept", [
    (make_room_by_a_foreign_file, None), (make_room_by_retention, 3), (make_room_by_deleting, 0)])
def test_a_full_disk_refuses_posts_and_loses_nothing(start_hub, clarion, small_disk, topic, durability, make_room, kept):
    hub = start_hub("--data", str(small_disk / "data"), "--durability", durability)
    (small_disk / "foreign").write_bytes(b"x" * 500_000)
    with hub.stream(topic) as stream:
        stored = []
        while True:
            response = hub.request("POST", events_path(topic), data=b"x" * 30_000)
            if response.status_code != 201:
                break
            stored.append(response.json()["id"])
        assert_problem(response, 507, "storage-full")
        assert len(stored) > 20
        assert [message.id for message in stream.take(len(stored))] == stored
        # And now somebody else takes the rest.
        fill(small_disk / "more")
        for _ in range(3):
            assert_problem(hub.request("POST", events_path(topic), data=b"x" * 30_000), 507, "storage-full")
        assert [event["id"] for event in hub.history(topic)] == stored
        assert hub.get("/healthz").status_code == 200
        assert_problem(hub.get("/readyz"), 503, "storage-full")
        [line] = [line for line in hub.log.splitlines() if "disk is full" in line]
        assert "warning" in line, "once, however many are refused"

        make_room(hub, topic, small_disk)
        last = wait_until(
            lambda: (lambda answer: answer.status_code == 201 and answer.json()["id"])(
                hub.request("POST", events_path(topic + ".more"), data=b"x" * 30_000)),
            what="a post that is taken again")
        assert hub.get("/readyz").status_code == 200
    stored = stored if kept is None else stored[len(stored) - kept:]
    wait_until(lambda: [event["id"] for event in hub.history(topic)] == stored, what="what is kept")
    hub.restart()
    assert [event["id"] for event in hub.history(topic)] == stored
    assert [event["id"] for event in hub.history(topic + ".more")] == [last]
    hub.stop()
    assert clarion("check", "--data", small_disk / "data").stdout.endswith("\nok\n")


def test_a_webhook_that_is_gone_is_disabled_when_there_is_room_again(start_hub, receiver, small_disk, topic):
    hub = start_hub(
        "--data", str(small_disk / "data"), "--durability", "process", "--allow-egress", "127.0.0.0/8", "--webhooks-retry",
        ",".join(["100ms"] * 600))
    receiver.answer = lambda delivery: 500
    webhook = hub.register(receiver.url(), topic)
    hub.post(topic, "x")
    receiver.wait_for(1)
    (small_disk / "foreign").write_bytes(b"x" * 500_000)
    while hub.request("POST", events_path("other"), data=b"x" * 30_000).status_code == 201:
        pass
    fill(small_disk / "more")
    receiver.answer = lambda delivery: 410
    wait_until(lambda: "cannot disable a webhook" in hub.log, what="an attempt to disable it")
    assert hub.observer(webhook["id"])["state"] == "active"
    (small_disk / "foreign").unlink()
    (small_disk / "more").unlink()
    wait_until(lambda: hub.observer(webhook["id"])["state"] == "disabled")
    wait_until(lambda: hub.observer(webhook["id"])["stats"]["pending"] == 0)


def test_a_webhook_is_deleted_on_a_full_disk_and_not_made_by_half(start_hub, clarion, small_disk, topic):
    hub = start_hub("--data", str(small_disk / "data"), "--durability", "process")
    body = {"topics": [topic], "url": "http://127.0.0.1:65530/", "enabled": False}
    for id in ("old", "other"):
        assert hub.request("PUT", f"/observers/{id}", json=body).status_code == 201
    # More deliveries than are deleted at a time, by far.
    for _ in range(3):
        lines = "".join(f"{number}\n" for number in range(1_000))
        response = hub.request("POST", events_path(topic), data=lines, headers={"Content-Type": "application/x-ndjson"})
        assert response.status_code == 201
    (small_disk / "foreign").write_bytes(b"x" * 300_000)
    while hub.request("POST", events_path("other"), data=b"x" * 30_000).status_code == 201:
        pass
    fill(small_disk / "more")
    assert_problem(hub.request("PUT", "/observers/new", json=body), 507, "storage-full")
    assert_problem(hub.request("PATCH", "/observers/other", json={"enabled": True}), 507, "storage-full")
    assert hub.observer("other")["state"] == "paused" and hub.observer("other")["stats"]["pending"] == 3_000
    assert hub.request("DELETE", "/observers/old").status_code == 204
    for id in ("old", "new"):
        assert hub.get(f"/observers/{id}").status_code == 404
        assert hub.request("DELETE", f"/observers/{id}").status_code == 404
    assert [observer["id"] for observer in hub.observers()] == ["other"]
    (small_disk / "foreign").unlink()
    (small_disk / "more").unlink()
    wait_until(lambda: hub.get("/readyz").status_code == 200, what="a hub that is ready")
    assert hub.request("PUT", "/observers/old", json=body, headers={"If-None-Match": "*"}).status_code == 201
    assert hub.observer("old")["stats"]["pending"] == 0
    hub.restart()
    assert [observer["id"] for observer in hub.observers()] == ["other", "old"]
    hub.stop()
    assert clarion("check", "--data", small_disk / "data").stdout.endswith("\nok\n")


def test_a_hub_is_ready_again_without_a_post(start_hub, small_disk, topic):
    hub = start_hub("--data", str(small_disk / "data"))
    assert hub.get("/readyz").status_code == 200
    fill(small_disk / "foreign")
    wait_until(lambda: hub.get("/readyz").status_code == 503, what="a hub that is not ready")
    problem = assert_problem(hub.get("/readyz"), 503, "storage-full")
    assert "disk space" in problem["detail"] and hub.get("/readyz").headers["Retry-After"]
    assert_problem(hub.request("POST", events_path(topic), data=b"x"), 507, "storage-full")
    (small_disk / "foreign").unlink()
    wait_until(lambda: hub.get("/readyz").status_code == 200, what="a hub that is ready")
    hub.post(topic)


# SQLite's command line makes such a file, and every command takes it.
@pytest.mark.parametrize("small_disk", [24], indirect=True)
@pytest.mark.parametrize("page_size", [512, 65_536])
def test_pages_of_another_size_are_no_full_disk_and_a_full_one_can_be_left(start_hub, clarion, small_disk, topic, page_size):
    hub = start_hub("--data", str(small_disk / "data"), "--durability", "process")
    for _ in range(30):
        hub.post(topic, b"x" * 100_000)
    hub.stop()
    with sqlite3.connect(small_disk / "data" / "clarion.db", isolation_level=None) as database:
        database.execute("PRAGMA journal_mode = DELETE")
        database.execute(f"PRAGMA page_size = {page_size}")
        database.execute("VACUUM")
        assert database.execute("PRAGMA page_size").fetchone() == (page_size,)
    database.close()
    hub.restart()
    for _ in range(20):
        hub.post("small", b"x" * 1_000)
    count = 0
    while hub.request("POST", events_path(topic), data=b"x" * 100_000).status_code == 201:
        count += 1
    assert count > 50
    fill(small_disk / "foreign")
    wait_until(lambda: hub.get("/readyz").status_code == 503, what="a disk that is full")
    make_room_by_deleting(hub, topic, small_disk)
    wait_until(lambda: hub.get("/readyz").status_code == 200, what="a hub that is ready")
    hub.post("small", b"x" * 1_000)
    assert len(hub.history("small")) == 21
    hub.stop()
    assert clarion("check", "--data", small_disk / "data").stdout.endswith("\nok\n")


def test_the_reserve_overwrites_nothing_that_a_link_leads_to(start_hub, tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    (tmp_path / "precious").write_text("precious")
    (data / "clarion.reserve").symlink_to(tmp_path / "precious")
    hub = start_hub(data=data)
    hub.post("a", b"1")
    assert (tmp_path / "precious").read_text() == "precious"
    reserve = data / "clarion.reserve"
    assert not reserve.is_symlink() and reserve.stat().st_size == 1 << 20


def test_starting_on_a_full_disk_says_what_to_do(clarion, small_disk):
    fill(small_disk / "foreign")
    result = clarion("serve", "--port", "0", "--data", small_disk / "data")
    assert result.returncode == 1
    assert "Make room" in result.stderr and len(result.stderr.splitlines()) == 1


def test_the_reserve_of_a_hub_that_runs_is_not_given_up_for_another(start_hub, clarion, small_disk):
    start_hub("--data", str(small_disk / "data")).post("a", b"1")
    fill(small_disk / "foreign")
    # For what the hub that runs writes of its own: on a full disk it gives up the reserve itself.
    os.truncate(small_disk / "foreign", os.path.getsize(small_disk / "foreign") - 300_000)
    # By which it would be told that the folder is in use.
    (small_disk / "data" / "clarion.lock").unlink()
    (small_disk / "data" / "clarion.lock").touch()
    result = clarion("serve", "--port", "0", "--data", small_disk / "data")
    assert result.returncode == 1 and "clarion.db open" in result.stderr
    assert (small_disk / "data" / "clarion.reserve").stat().st_size == 1 << 20


def test_a_kill_leaves_no_lock_behind(hub, topic):
    for _ in range(3):
        hub.kill()
        hub.restart()
        hub.post(topic)
    assert len(hub.history(topic)) == 3


def test_observers_survive_and_streams_do_not(hub, topic):
    webhook = hub.register("https://example.com/hook", topic, description="kept", headers={"X-A": "b"}, types=["c"])
    deleted = hub.register("https://example.com/hook", topic)
    path = f"/observers/{webhook['id']}"
    assert hub.request("PATCH", path, json={"maxInFlight": 7}).status_code == 200
    assert hub.request("DELETE", f"/observers/{deleted['id']}").status_code == 204
    before = hub.get(path)
    for end in (hub.kill, hub.stop):
        stream = hub.stream(topic)
        end()
        hub.restart()
        after = hub.get(path)
        assert (after.json(), after.headers["ETag"]) == (before.json(), before.headers["ETag"])
        assert [one["id"] for one in hub.observers()] == [webhook["id"]]
        stream.close()


def test_observers_registered_just_before_a_kill_survive(hub, topic):
    ids = set()
    for _ in range(5):
        ids |= {hub.register("https://example.com/hook", topic)["id"] for _ in range(5)}
        hub.kill()
        hub.restart()
        assert {one["id"] for one in hub.observers()} == ids
