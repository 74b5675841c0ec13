"""`clarion export`, `import` and `backup`: copies that are equal, of hubs that run."""

import base64
import json
import os
import pty
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
from urllib.parse import quote

import pytest

from figures import ENFORCED
from hub_process import environment_without_settings
from metrics import Reading
from strange_server import strange_server
from waiting import wait_until


@pytest.fixture
def run(executable, tmp_path):
    def run(hub, *arguments, input=None):
        return subprocess.run(
            [str(executable), *map(str, arguments)], input=input, capture_output=True, timeout=60, cwd=tmp_path,
            stdin=subprocess.DEVNULL if input is None else None, env=environment_without_settings(CLARION_URL=hub.url))
    return run


def done(result):
    assert result.returncode == 0, result
    return result.stdout


def essence(events):
    """What an import keeps of history: not the id, the time, and the trace in which it was posted."""
    return [{name: value for name, value in event.items() if name not in ("id", "time", "traceparent")} for event in events]


def cloud_events(hub):
    """What an import keeps of the events as CloudEvents: also their own ids and times, but not the hub's."""
    answer = hub.get("/events", params={"topic": "**", "envelope": "cloudevents", "limit": 1000},
                     headers={"Accept": "application/x-ndjson"})
    events = [json.loads(line) for line in answer.content.splitlines()]
    return [{name: value for name, value in event.items() if name not in ("clarionid", "clariontopic", "traceparent")} for event in events]


def fill(hub):
    """Events of every kind, on topics that take turns."""
    chance = random.Random(1)
    for number in range(120):
        topic = chance.choice(["a", "a.b", "https://x/y?z#ü", "a", "a"])
        kind = number % 12
        if kind == 0:
            hub.post(topic, f"text {number}\n\x07\u2028\t".encode())
        elif kind == 1:
            hub.post(topic, json.dumps({"n": number, "x": "ü\x01"}).encode(), headers={"Content-Type": "application/json"})
        elif kind == 2:
            hub.post(topic, bytes(range(256)), headers={"Content-Type": "application/octet-stream"}, type="bin")
        elif kind == 3:
            hub.post(topic, b"{broken", headers={"Content-Type": "application/json"})
        elif kind == 4:
            hub.post(topic, b"", type="empty")
        elif kind == 5:
            hub.post(topic, b'{"total": 12.50, "big": 12345678901234567890}', type="created", headers={
                "Content-Type": "application/json", "ce-specversion": "1.0", "ce-id": str(number), "ce-source": "/shop",
                "ce-type": "created", "ce-buyer": "J%C3%BCrgen", "ce-time": "2020-01-01T00:00:00Z"} | {"Event-Type": "created"})
        elif kind == 6:
            assert hub.request("POST", "/topics/a/events", headers={"Content-Type": "application/cloudevents+json"}, data=json.dumps({
                "specversion": "1.0", "id": str(number), "source": "/s", "type": "t", "count": 5, "flag": True,
                "datacontenttype": "image/png", "data_base64": base64.b64encode(b"\x89PNG").decode()})).status_code == 201
        elif kind == 7:
            # What no CloudEvent can have: a control character in the type, a content type that is none.
            hub.post(topic, b"odd", type="a\tb", headers={"Content-Type": "odd"})
        elif kind == 8:
            hub.post(topic, b'"a string"', headers={"Content-Type": "application/vnd.x+json"})
        elif kind == 9:
            hub.post(topic, b"<a/>", headers={"Content-Type": "application/xml; charset=utf-8"})
        elif kind == 10:
            # Deeper than what stands in another document may be.
            hub.post(topic, b"[" * 63 + b"]" * 63, headers={"Content-Type": "application/json"})
        else:
            hub.post(topic, b"same as before", headers={"traceparent": "00-" + "a" * 32 + "-" + "b" * 16 + "-01"})
    # The same CloudEvent again, and another under its source and id: under keys of their own they are three events.
    for number, data in enumerate(["1", "1", "2"]):
        hub.post("a", data.encode(), headers={
            "Content-Type": "application/json", "ce-specversion": "1.0", "ce-id": "again", "ce-source": "/shop", "ce-type": "t",
            "Idempotency-Key": f"again-{number}"})
    # As large as may be, and larger still in another form.
    hub.post("large", b"\xff" * (1 << 20), headers={"Content-Type": "application/octet-stream"})
    hub.post("large", b'"\n' * (1 << 19))


def test_an_export_imported_into_a_fresh_hub_is_equal(start_hub, run, tmp_path):
    old, new = start_hub("--durability", "process"), start_hub("--durability", "process")
    fill(old)
    old.register("http://example.com/", "a")
    export = done(run(old, "export"))
    lines = [json.loads(line) for line in export.splitlines()]
    assert all(line["specversion"] == "1.0" for line in lines)
    assert [line["clariontopic"] for line in lines] == [event["topic"] for event in old.history("**")
                                                        if not event["topic"].startswith("clarion.")]
    done(run(new, "import", input=export))
    wanted = [event for event in old.history("**") if not event["topic"].startswith("clarion.")]
    assert essence(new.history("**")) == essence(wanted)
    # An import again changes nothing, and what was imported is exported again the same.
    done(run(new, "import", input=export))
    assert len(new.history("**")) == len(wanted)
    odd = lambda event: event.get("datacontenttype") == "odd" or len(json.dumps(event)) > 1 << 20 or "[" * 60 in str(event.get("data"))
    before, after = ([event for event in cloud_events(hub) if not odd(event)] for hub in (old, new))
    assert [event for event in before if not event["source"] == "/topics/clarion.observers"] == after
    new.stop()
    new.assert_sound()


def test_files_and_patterns(start_hub, run, tmp_path):
    old, new = start_hub(), start_hub()
    for number in range(5):
        old.post("a", str(number).encode())
        old.post("b", str(number).encode())
    done(run(old, "export", "a.ndjson", "--topic", "a"))
    assert (tmp_path / "a.ndjson").read_text().count("\n") == 5
    done(run(new, "import", "a.ndjson"))
    assert [event["data"] for event in new.history("**")] == ["0", "1", "2", "3", "4"]
    assert run(new, "import", "none.ndjson").returncode == 66
    (tmp_path / "link").symlink_to("nothing")
    for name in ["no/such/folder", ".", "link"]:
        assert run(old, "export", name).returncode == 73
    assert run(old, "export", "--topic", "a*", "left").returncode == 1
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith("left")], "what failed leaves nothing"


@pytest.mark.parametrize("status, content_type, body", [
    (204, None, b""), (200, "text/html", b"<p>Welcome"), (200, "application/json", b"null"), (200, "application/json", b"{}"),
    (200, "text/plain", b"")])
def test_a_good_export_is_not_replaced_by_the_answer_of_what_is_no_hub(shared_hub, run, topic, tmp_path, status, content_type, body):
    shared_hub.post(topic)
    done(run(shared_hub, "export", "copy", "--topic", topic))
    before = (tmp_path / "copy").read_bytes()
    assert before.count(b"\n") == 1
    with strange_server(status, content_type, body) as url:
        result = run(shared_hub, "export", "copy", "--hub", url)
    assert result.returncode == 1 and b"is no hub" in result.stderr
    assert (tmp_path / "copy").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("copy")] == ["copy"]


def test_an_export_is_written_through_pipes_by_any_name(shared_hub, executable, topic, tmp_path):
    for number in range(3):
        shared_hub.post(topic, str(number).encode())
    for command in ["export /dev/stdout --topic TOPIC | cat", "export >(cat) --topic TOPIC | cat"]:
        result = subprocess.run(
            ["/bin/bash", "-c", f"set -o pipefail; {executable} {command.replace('TOPIC', topic)}"], capture_output=True,
            timeout=20, env=environment_without_settings(CLARION_URL=shared_hub.url))
        assert (result.returncode, result.stderr) == (0, b""), result
        assert [json.loads(line)["data"] for line in result.stdout.splitlines()] == ["0", "1", "2"]


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "-"])
def test_an_export_is_added_to_what_the_shell_adds_to(shared_hub, executable, topic, tmp_path, name):
    shared_hub.post(topic, b"0")
    (tmp_path / "all").write_text("before\n")
    with open(tmp_path / "all", "a", encoding="ascii") as file:
        subprocess.run([executable, "export", name, "--topic", topic], stdout=file, check=True, timeout=20,
                       env=environment_without_settings(CLARION_URL=shared_hub.url))
    first, second = (tmp_path / "all").read_text().splitlines()
    assert first == "before" and json.loads(second)["data"] == "0"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("all")] == ["all"]


@pytest.mark.parametrize("line, words", [
    (b"{}", "line 2"), (b"no json", "line 2"), (b'{"specversion":"1.0","id":"1","source":"/a","type":"t"}', "line 2"),
    (b'{"specversion":"1.0","id":"1","type":"t","clariontopic":"a"}', "line 2")] + [
    (json.dumps({"specversion": "1.0", "id": "1", "source": "/a", "type": "t", "clariontopic": "a", name: "x"}).encode(), "line 2: ")
    for name in ["", "Name", "a_b", "ü", "x: 1\r\nIdempotency-Key"]])
def test_a_line_that_is_no_event_is_named(shared_hub, run, topic, line, words):
    good = json.dumps({"specversion": "1.0", "id": topic, "source": "/a", "type": "t", "clariontopic": topic}).encode()
    result = run(shared_hub, "import", input=good + b"\n" + line + b"\n" + good + b"\n")
    assert result.returncode in (1, 65) and words in result.stderr.decode()
    assert b"same import again" in result.stderr


@pytest.mark.parametrize("members, words", [
    ({"data_base64": "!Q=="}, "data_base64"), ({"data_base64": "e A=="}, "data_base64"), ({"data_base64": "eA"}, "data_base64"),
    ({"data_base64": 5}, "data_base64"), ({"data_base64": ["eA=="]}, "data_base64"), ({"data_base64": "eA==", "data": "x"}, "both"),
    ({"extension": {"a": 1}}, '"extension"'), ({"extension": []}, '"extension"'), ({"subject": {}}, '"subject"'),
    ({"specversion": None}, "no CloudEvent"), ({"specversion": 1.0}, "no CloudEvent")])
def test_a_line_that_was_damaged_is_not_imported_as_something_else(shared_hub, run, topic, members, words):
    line = {"specversion": "1.0", "id": topic, "source": "/a", "type": "t", "clariontopic": topic} | members
    good = line | {"extension": True, "data_base64": None, "data": None, "subject": "s", "specversion": "1.0"}
    result = run(shared_hub, "import", input=(json.dumps(good) + "\n" + json.dumps(line)).encode())
    assert result.returncode == 65 and "line 2" in result.stderr.decode() and words in result.stderr.decode(), result
    assert shared_hub.history(topic) == []
    done(run(shared_hub, "import", input=json.dumps(good).encode()))
    assert len(shared_hub.history(topic)) == 1


def test_a_file_posts_its_events_and_asks_for_nothing_else(shared_hub, run, topic):
    """The name of an attribute is a header's where an event is posted as its data: it begins no request of its own."""
    shared_hub.post(topic, b"precious")
    name = f"x: 1\r\nContent-Length: 0\r\n\r\nDELETE /topics/{topic} HTTP/1.1\r\nHost: 127.0.0.1:{shared_hub.port}\r\nX-Rest"
    line = {"specversion": "1.0", "id": topic, "source": "/a", "type": "t", "clariontopic": f"{topic}.b", "data": "x",
            "datacontenttype": "text/plain", name: "v"}
    result = run(shared_hub, "import", input=json.dumps(line).encode())
    assert result.returncode == 65 and b"line 1" in result.stderr
    assert [event["data"] for event in shared_hub.history(topic)] == ["precious"]


def test_names_that_differ_in_bytes_alone_are_kept_apart(shared_hub, run, topic):
    """`é` in one code point and in two: a hub compares bytes, and Swift's strings do not."""
    topics = [f"{topic}.\u00e9", f"{topic}.e\u0301"]
    for number in range(6):
        shared_hub.post(topics[number % 2], str(number).encode())
    for id in ["\u00e9", "e\u0301"]:
        shared_hub.post(topics[0], id.encode(), headers={
            "ce-specversion": "1.0", "ce-id": quote(id), "ce-source": "/a", "ce-type": "t"})
    export = done(run(shared_hub, "export", "--topic", topic + ".*"))
    before = {name: [event["data"] for event in shared_hub.history(name)] for name in topics}
    assert before == {topics[0]: ["0", "2", "4", "\u00e9", "e\u0301"], topics[1]: ["1", "3", "5"]}
    renamed = export.replace(topic.encode(), f"{topic}-new".encode())
    done(run(shared_hub, "import", input=renamed))
    for name, data in before.items():
        assert [event["data"] for event in shared_hub.history(name.replace(topic, f"{topic}-new"))] == data


def test_an_import_that_was_interrupted_is_done_again(start_hub, run):
    hub = start_hub()
    lines = [json.dumps({"specversion": "1.0", "id": str(number), "source": "/a", "type": "t", "clariontopic": "abc"[number // 7 % 3],
                         "datacontenttype": "text/plain", "data": str(number)}) for number in range(2500)]
    done(run(hub, "import", input="\n".join(lines[:1234]).encode()))
    done(run(hub, "import", input="\n".join(lines).encode()))
    assert [event["data"] for event in hub.history("**")] == [str(number) for number in range(2500)]


def test_what_a_hub_does_not_take_together_is_imported_in_few_parts(start_hub, run):
    hub = start_hub("--max-body", "64KiB")
    texts = [str(number) for number in range(1000)]
    # Too large for a CloudEvent, in which each character has six bytes; not so as data.
    texts[700] = "\x1b" * 11_000
    lines = [json.dumps({"specversion": "1.0", "id": str(number), "source": "/a", "type": "t", "clariontopic": "a",
                         "datacontenttype": "text/plain", "data": text}) for number, text in enumerate(texts)]
    done(run(hub, "import", input="\n".join(lines).encode()))
    assert [event["data"] for event in hub.history("a")] == texts
    assert Reading.of(hub).value("clarion_http_requests_total", route="/topics/{topic}/events", method="POST", status="201") < 50


def test_events_of_any_size_that_a_hub_takes_are_copied_and_heard(start_hub, run):
    """What a client reads of an event was bound to 64 MiB, and an export with a larger one failed."""
    hubs = [start_hub("--max-body", "90MiB", "--durability", "process") for _ in range(2)]
    large = "x" * (82 << 20)
    first = hubs[0].post("a", "first")
    hubs[0].post("a", large)
    export = done(run(hubs[0], "export"))
    done(run(hubs[1], "import", input=export))
    assert hubs[1].get("/topics/a/value").text == large
    heard = run(hubs[0], "listen", "a", "--last-event-id", first["id"], "--exec", "wc -c; kill $PPID")
    assert heard.stdout.split() == [b"%d" % len(large)]


def test_an_import_whose_connection_ends_says_so(executable, tmp_path):
    """In the middle of the second post over one connection, which libcurl would have liked to begin anew."""
    def serve(listener):
        connection, _ = listener.accept()
        with connection:
            request = b""
            while not request.endswith(b"]"):
                request += connection.recv(1 << 16)
            answer = b'{"id": "x-1", "time": "t"}'
            connection.sendall(b"HTTP/1.1 201 Created\r\nContent-Length: %d\r\n\r\n%s" % (len(answer), answer))
            connection.recv(100)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(1 << 16):
                pass

    lines = [json.dumps({"specversion": "1.0", "id": topic, "source": "/a", "type": "t", "clariontopic": topic, "data": "x" * 100_000})
             for topic in "ab"]
    (tmp_path / "lines").write_text("\n".join(lines))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        serving = threading.Thread(target=serve, args=(listener,))
        serving.start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        result = subprocess.run([executable, "import", tmp_path / "lines", "--hub", url], capture_output=True, text=True, timeout=20,
                                env=environment_without_settings())
        serving.join()
    assert result.returncode == 2 and "cannot be reached: the connection ended while the request was sent." in result.stderr, result


def test_an_import_waits_as_long_as_the_hub_says(start_hub, run):
    hub = start_hub("--rate", "5")
    lines = [json.dumps({"specversion": "1.0", "id": str(number), "source": "/a", "type": "t", "clariontopic": "ab"[number % 2]})
             for number in range(15)]
    done(run(hub, "import", input="\n".join(lines).encode()))
    assert len(hub.history("**")) == 15


def test_a_backup_under_load_passes_the_check(start_hub, clarion, run, tmp_path):
    hub = start_hub("--durability", "process")
    ended = threading.Event()
    posted = []

    def post(name):
        with hub.session.__class__() as session:
            session.trust_env = False
            while not ended.is_set():
                answer = session.post(f"{hub.url}/topics/{name}/events", data=b"x" * 500, timeout=10)
                posted.append(answer.status_code)

    posters = [threading.Thread(target=post, args=(f"t{number}",)) for number in range(4)]
    for poster in posters:
        poster.start()
    try:
        for number in range(10 if ENFORCED else 3):
            before = wait_until(lambda: len(posted) if len(posted) > 200 * (number + 1) else 0, 30)
            folder = tmp_path / f"copy{number}"
            folder.mkdir()
            done(run(hub, "backup", folder, "--data", hub.data))
            assert [path.name for path in folder.iterdir()] == ["clarion.db"]
            assert (folder / "clarion.db").stat().st_mode & 0o777 == 0o600
            checked = clarion("check", "--data", folder)
            assert checked.returncode == 0 and checked.stdout.endswith("ok\n"), checked
            [events] = sqlite3.connect(folder / "clarion.db").execute("SELECT count(*) FROM event").fetchone()
            assert before <= events <= len(posted) + len(posters), "what was acknowledged before is in it"
    finally:
        ended.set()
        for poster in posters:
            poster.join()
    assert set(posted) == {201}
    # A hub goes on with it.
    again = start_hub(data=folder)
    assert len(again.history("t0")) > 0
    again.post("t0", b"more")


def test_a_copy_takes_the_place_of_no_file_that_a_log_has(start_hub, clarion, tmp_path):
    hub, other = start_hub(), start_hub()
    hub.post("a", b"1")
    other.post("b", b"1")
    for folder in [hub.data, other.data]:
        names = {path.name for path in folder.iterdir()}
        assert names >= {"clarion.db", "clarion.db-wal", "clarion.db-shm", "clarion.lock"}
        for name in names | {"clarion.db-journal", "clarion.reserve", "clarion.db.new"}:
            result = clarion("backup", folder / name, "--data", hub.data)
            assert result.returncode == 1 and result.stdout == "", name
        assert {path.name for path in folder.iterdir()} == names
    # Beside them is a place like any other.
    assert clarion("backup", hub.data / "copy.db", "--data", hub.data).returncode == 0
    for one, topic in [(hub, "a"), (other, "b")]:
        one.post(topic, b"2")
        one.kill()
        one.restart()
        assert len(one.history(topic)) == 2


def test_a_former_copy_that_was_in_use_is_not_half_replaced(start_hub, clarion, tmp_path):
    hub = start_hub()
    hub.post("a", b"1")
    folder = tmp_path / "copy"
    folder.mkdir()
    assert clarion("backup", folder, "--data", hub.data).returncode == 0
    tried = start_hub(data=folder)
    tried.post("b", b"1")
    result = clarion("backup", folder, "--data", hub.data)
    assert result.returncode == 1 and "clarion.db-wal" in result.stderr, result
    tried.kill()
    result = clarion("backup", folder, "--data", hub.data)
    assert result.returncode == 1 and "remove both" in result.stderr, result
    tried.restart()
    assert len(tried.history("b")) == 1
    # One that was stopped in order is a file like any other.
    tried.stop()
    hub.post("a", b"2")
    assert clarion("backup", folder, "--data", hub.data).returncode == 0
    assert len(start_hub(data=folder).history("a")) == 2


def test_what_cannot_be_backed_up(start_hub, clarion, run, tmp_path):
    hub = start_hub()
    hub.post("a", b"x")
    for arguments, words in [
            (["copy", "--data", tmp_path / "none"], "no log"), ([hub.data / "clarion.db", "--data", hub.data], "the log itself"),
            ([hub.data, "--data", hub.data], "the log itself"), ([tmp_path / "no" / "copy", "--data", hub.data], "cannot be made")]:
        result = clarion("backup", *arguments)
        assert (result.returncode, result.stdout) == (1, "") and words in result.stderr, result
    assert len(hub.history("a")) == 1
    hub.stop()
    # Of a hub that does not run, and over a former copy.
    for _ in range(2):
        assert clarion("backup", tmp_path / "copy.db", "--data", hub.data).returncode == 0
    assert sorted(path.name for path in hub.data.iterdir()) == sorted(
        path.name for path in hub.data.iterdir() if not path.name.endswith(".part"))


@pytest.mark.parametrize("command, name", [("export", "copy"), ("backup", "copy.db")])
def test_what_was_left_by_one_that_was_killed_is_in_nobodys_way(executable, hub, tmp_path, command, name):
    """In a container each process has the same number, and its draft the same name."""
    hub.post("a", b"x")
    arguments = [name] if command == "export" else [name, "--data", str(hub.data)]
    ends = [""] if command == "export" else ["", "-wal", "-shm", "-journal"]
    script = "".join(f"echo left > {name}.$$.part{end}; " for end in ends) + 'exec "$@"'
    result = subprocess.run(["sh", "-c", script, "sh", executable, command, *arguments], capture_output=True, timeout=20, cwd=tmp_path,
                            env=environment_without_settings(CLARION_URL=hub.url))
    assert result.returncode == 0, result
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("copy")] == [name]
    assert b"left" not in (tmp_path / name).read_bytes()


@pytest.mark.parametrize("command, status", [("export", 73), ("backup", 1)])
def test_what_another_is_writing_stays_its_own(executable, hub, tmp_path, command, status):
    arguments = ["copy"] if command == "export" else ["copy", "--data", str(hub.data)]
    # The lock of who writes it: of an opening, so that it is another's although the process becomes the command.
    script = """if True:
        import fcntl, os, struct, sys
        draft = os.open(f"copy.{os.getpid()}.part", os.O_WRONLY | os.O_CREAT, 0o600)
        fcntl.fcntl(draft, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 1 << 62, 1, 0))
        os.set_inheritable(draft, True)
        os.execv(sys.argv[1], sys.argv[1:])"""
    result = subprocess.run([sys.executable, "-c", script, executable, command, *arguments], capture_output=True, timeout=20, cwd=tmp_path,
                            env=environment_without_settings(CLARION_URL=hub.url))
    assert result.returncode == status and b".part" in result.stderr and b"another process" in result.stderr, result
    assert [path.suffix for path in tmp_path.iterdir() if path.name.startswith("copy")] == [".part"]


@pytest.mark.skipif(os.geteuid() != 0, reason="needs a namespace of its own")
def test_the_first_process_of_a_container_ends_by_a_signal(executable, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        child = subprocess.Popen(
            ["unshare", "--pid", "--fork", executable, "export", "copy", "--hub", f"http://127.0.0.1:{silent.getsockname()[1]}"],
            cwd=tmp_path, env=environment_without_settings())
        try:
            wait_until(lambda: (tmp_path / "copy.1.part").exists(), what="the draft")
            [first] = open(f"/proc/{child.pid}/task/{child.pid}/children").read().split()
            os.kill(int(first), signal.SIGTERM)
            assert child.wait(10) == 128 + signal.SIGTERM
        finally:
            child.kill()
            child.wait()
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith("copy")]


@pytest.mark.parametrize("lines", [0, 1])
def test_a_history_without_an_end_is_not_exported_for_ever(shared_hub, run, tmp_path, lines):
    event = {"specversion": "1.0", "id": "1", "source": "/a", "type": "t", "clariontopic": "a"}
    body = (json.dumps(event) + "\n").encode() * lines
    with strange_server(200, "application/x-ndjson", body, [("Link", '<?after=x-1>; rel="next"')]) as url:
        result = run(shared_hub, "export", "copy", "--hub", url)
    assert result.returncode == 1 and len(result.stderr.splitlines()) == 1, result
    assert not (tmp_path / "copy").exists()


def test_an_export_commands_no_terminal(hub, executable):
    hub.post("a", "\x9b31m\u202etfel".encode())
    near, far = pty.openpty()
    subprocess.run([executable, "export", "/dev/stderr"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=far, timeout=20,
                   check=True, env=environment_without_settings(CLARION_URL=hub.url))
    os.close(far)
    shown = os.read(near, 4096).decode()
    os.close(near)
    assert "\\u009b31m\\u202etfel" in shown and not set(shown) & set("\x9b\u202e")


def test_histories_are_given_as_cloud_events(shared_hub, topic):
    shared_hub.post(topic, b'{"a":1}', type="t", headers={"Content-Type": "application/json"})
    page = shared_hub.get(f"/topics/{topic}/events", params={"envelope": "cloudevents"}).json()
    [event] = page["events"]
    assert (event["specversion"], event["type"], event["subject"], event["data"]) == ("1.0", "t", topic, {"a": 1})
    plain = shared_hub.get(f"/topics/{topic}/events", params={"envelope": "json"}).json()
    assert plain == shared_hub.get(f"/topics/{topic}/events").json()
