"""`clarion post`, `observers`, `topics`, `health`: what they print, and what they exit with."""

import json
import os
import pty
import re
import socket
import subprocess
import threading
import time

import pytest

from hub_process import REPOSITORY, environment_without_settings
from ports import free_port
from strange_server import strange_server
from waiting import wait_until


@pytest.fixture
def run(executable, shared_hub, tmp_path):
    """Runs a command against the hub."""
    def run(*arguments, input=b"", environment=None, hub=shared_hub):
        return subprocess.run(
            [str(executable), *map(str, arguments)], input=input, capture_output=True, timeout=20, cwd=tmp_path,
            env=environment_without_settings(**{"CLARION_URL": hub.url} | (environment or {})))
    return run


def said(result, status=0):
    assert result.returncode == status, result
    if status == 0:
        assert result.stderr == b""
        return result.stdout.decode()
    assert result.stdout == b""
    [line] = result.stderr.decode().splitlines()
    assert line.startswith("clarion: ")
    return line


@pytest.mark.parametrize("arguments, input, data, content_type", [
    (["hello"], b"", b"hello", "text/plain; charset=utf-8"), (['{"a": 1}'], b"", b'{"a": 1}', "application/json"),
    (["-"], b"\x00\xff", b"\x00\xff", "application/octet-stream"), ([], b"piped", b"piped", "text/plain; charset=utf-8"),
    ([""], b"not read", b"", "text/plain; charset=utf-8"), (["--", "-5"], b"", b"-5", "text/plain; charset=utf-8"),
    (["@file"], b"", b"of a file\n", "text/plain; charset=utf-8"),
    (["<a/>", "--content-type", "application/xml"], b"", b"<a/>", "application/xml"),
])
def test_an_event_is_posted_as_it_is(run, shared_hub, topic, tmp_path, arguments, input, data, content_type):
    (tmp_path / "file").write_bytes(b"of a file\n")
    id = said(run("post", topic, "--type", "a t", *arguments, input=input)).strip()
    event = shared_hub.get(f"/topics/{topic}/events/{id}")
    assert (event.content, event.headers["Content-Type"], event.headers["Event-Type"]) == (data, content_type, "a t")


def test_names_that_mean_something_in_urls(run, shared_hub):
    for topic in ["https://a/b?c#d%2F&e", "a..b", "ü.→", "a+b"]:
        id = said(run("post", topic, "x")).strip()
        assert json.loads(said(run("topics", "show", topic, "--json")))["lastId"] == id


def test_a_key_is_stored_once(run, shared_hub, topic):
    assert said(run("post", topic, "x", "--key", "k")) == said(run("post", topic, "x", "--key", "k"))
    assert "idempotency-conflict" in said(run("post", topic, "y", "--key", "k"), 1)
    assert len(shared_hub.history(topic)) == 1


def test_lines_are_events_in_batches(run, shared_hub, topic):
    lines = b'one\r\n{"two": 2}\n\n[3]\n42\n"five"\n{broken\n\xff\nlast without end'
    ids = said(run("post", topic, "--lines", "--type", "t", input=lines)).split()
    events = shared_hub.history(topic)
    assert [event["id"] for event in events] == ids and {event["type"] for event in events} == {"t"}
    assert [event.get("data", event.get("dataBase64")) for event in events] == [
        "one", {"two": 2}, [3], "42", '"five"', "{broken", "/w==", "last without end"]
    many = b"".join(b"%d\n" % number for number in range(5000))
    said(run("post", topic + ".many", "--lines", input=many))
    assert [event["data"] for event in shared_hub.history(topic + ".many")] == [str(number) for number in range(5000)]


LINES = {
    "short ones": [f"{number:09}" for number in range(20_000)],
    "documents": [json.dumps({"number": number, "text": "x" * 80}) for number in range(2000)],
}


@pytest.mark.parametrize("kind", LINES)
def test_lines_are_as_many_at_once_as_the_hub_takes(run, start_hub, topic, kind):
    hub = start_hub("--max-body", "64KiB", "--durability", "process")
    ids = said(run("post", topic, "--lines", input="\n".join(LINES[kind]).encode(), hub=hub)).split()
    events = hub.history(topic)
    assert [event["id"] for event in events] == ids
    expected = list(map(json.loads, LINES[kind])) if kind == "documents" else LINES[kind]
    assert [event["data"] for event in events] == expected


def test_lines_that_are_too_many_at_once_keep_their_keys(run, start_hub, topic):
    hub = start_hub("--max-body", "64KiB", "--durability", "process")
    lines = "\n".join(LINES["short ones"][:1500]).encode()
    ids = said(run("post", topic, "--lines", "--key", "k", input=lines, hub=hub))
    assert said(run("post", topic, "--lines", "--key", "k", input=lines + b"\nmore", hub=hub)).startswith(ids)
    assert [event["data"] for event in hub.history(topic)] == [*LINES["short ones"][:1500], "more"]


@pytest.mark.parametrize("lines", [
    # With what is behind it, it is more than a post may be.
    ["B" * 786_500] + [f"{number} " + "s" * 200 for number in range(5000)],
    # In JSON each takes six bytes.
    [f"{number} " + "\x1b" * 250 for number in range(2000)],
], ids=["a long one and many", "control characters"])
def test_lines_of_any_size_arrive_in_order(run, shared_hub, topic, tmp_path, lines):
    (tmp_path / "lines").write_text("\n".join(lines))
    ids = said(run("post", topic, "@lines", "--lines")).split()
    events = shared_hub.history(topic)
    assert [event["id"] for event in events] == ids
    assert [event["data"] for event in events] == lines


def test_a_line_that_is_too_large_alone_is_where_it_ends(run, start_hub, topic, tmp_path):
    hub = start_hub("--max-body", "64KiB")
    (tmp_path / "lines").write_text("one\ntwo\n" + "x" * 70_000 + "\nthree\n")
    result = run("post", topic, "@lines", "--lines", hub=hub)
    assert result.returncode == 1
    [line] = result.stderr.decode().splitlines()
    assert line.startswith("clarion: line 3, ") and "65536 bytes" in line and "body-too-large" in line
    events = hub.history(topic)
    assert [event["data"] for event in events] == ["one", "two"]
    assert result.stdout.decode().split() == [event["id"] for event in events]


@pytest.mark.parametrize("line", [b"x" * (1 << 20), b'"' * 600_000, b"\xff" * 800_000], ids=["large", "quotes", "bytes"])
def test_a_line_that_is_too_large_as_a_cloud_event_is_posted_as_it_is(run, shared_hub, topic, tmp_path, line):
    (tmp_path / "lines").write_bytes(b"one\n" + line + b"\nthree\n")
    arguments = ["post", topic, "@lines", "--lines", "--type", "t", "--key", "k"]
    ids = said(run(*arguments)).split()
    assert said(run(*arguments)).split() == ids, "under the key of its number"
    events = shared_hub.history(topic)
    assert [event["id"] for event in events] == ids and {event["type"] for event in events} == {"t"}
    event = shared_hub.get(f"/topics/{topic}/events/{ids[1]}")
    usual = "application/octet-stream" if line[0] == 0xFF else "text/plain; charset=utf-8"
    assert (event.content, event.headers["Content-Type"]) == (line, usual)


def test_lines_that_the_hub_refuses_are_named(run, shared_hub, topic):
    result = run("post", topic, "--lines", "--content-type", "application/json", input=b"1\n\n[2]\n{broken\n4\n")
    assert result.returncode == 1 and result.stderr.startswith(b"clarion: line 4, ")
    assert [event["data"] for event in shared_hub.history(topic)] == [1, [2]]
    assert result.stdout.decode().split() == [event["id"] for event in shared_hub.history(topic)]


@pytest.mark.parametrize("arguments, line", [(["--key", "k"], b"nope"), ([], b'{"b"\r:nope}')])
def test_lines_that_cannot_be_sent_are_named(run, shared_hub, topic, arguments, line):
    """They are refused before the hub sees them, as those that it refuses."""
    result = run("post", topic, "--lines", "--content-type", "application/json", *arguments, input=b"1\n\n[2]\n" + line + b"\n4\n")
    assert result.returncode == 1 and result.stderr.startswith(b"clarion: line 4, "), result
    assert [event["data"] for event in shared_hub.history(topic)] == [1, [2]]
    assert result.stdout.decode().split() == [event["id"] for event in shared_hub.history(topic)]


def test_lines_are_posted_also_if_nobody_reads_the_ids(executable, shared_hub, topic):
    child = subprocess.Popen([executable, "post", topic, "--lines", "--hub", shared_hub.url], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment_without_settings())
    child.stdin.write(b"0\n")
    child.stdin.flush()
    assert child.stdout.readline()
    child.stdout.close()
    for number in range(1, 9000):
        child.stdin.write(b"%d\n" % number)
    child.stdin.close()
    assert (child.wait(30), child.stderr.read()) == (0, b"")
    assert [event["data"] for event in shared_hub.history(topic)] == [str(number) for number in range(9000)]


@pytest.mark.parametrize("redirection", [">/dev/full", ">&-"])
@pytest.mark.parametrize("arguments", ["x", "--lines"])
def test_what_is_posted_and_cannot_be_printed_has_a_status_of_its_own(executable, shared_hub, topic, arguments, redirection):
    result = subprocess.run(
        ["/bin/sh", "-c", f"seq 3000 | {executable} post {topic} {arguments} {redirection}"], capture_output=True, timeout=20,
        env=environment_without_settings(CLARION_URL=shared_hub.url))
    [line] = result.stderr.decode().splitlines()
    assert result.returncode == 74 and "posted" in line and "standard output" in line
    stored = shared_hub.history(topic)
    assert len(stored) == (1 if arguments == "x" else 3000)
    assert arguments == "--lines" or stored[0]["id"] in line


def test_what_is_only_printed_ends_quietly_where_nobody_reads(executable, shared_hub, topic):
    shared_hub.post(topic)
    def status(command, redirection):
        return subprocess.run(["/bin/sh", "-c", f"exec {executable} {command} {redirection}"], capture_output=True, timeout=20,
                              env=environment_without_settings(CLARION_URL=shared_hub.url)).returncode
    reader, writer = os.pipe()
    os.close(reader)
    for command in ["topics", f"topics show {topic}", "health"]:
        child = subprocess.run([executable, *command.split(), "--hub", shared_hub.url], stdout=writer, stderr=subprocess.PIPE,
                               timeout=20, env=environment_without_settings())
        assert (child.returncode, child.stderr) == (0, b"")
        assert status(command, ">/dev/full") == 74
    os.close(writer)


def test_lines_come_when_they_are_written(executable, shared_hub, topic):
    child = subprocess.Popen([executable, "post", topic, "--lines", "--hub", shared_hub.url], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, text=True, env=environment_without_settings())
    for line in ["first", "second"]:
        child.stdin.write(line + "\n")
        child.stdin.flush()
        assert child.stdout.readline().strip() == shared_hub.history(topic)[-1]["id"]
    child.stdin.close()
    assert child.wait(10) == 0


@pytest.mark.parametrize("content_type, data", [
    ("application/x-ndjson", '{"a": 1}\n{"b": 2}'),
    ("application/cloudevents-batch+json", json.dumps([{"specversion": "1.0", "id": id, "source": "/a", "type": "t"} for id in "ab"]))])
def test_each_event_of_a_post_has_its_id_printed(run, shared_hub, topic, content_type, data):
    ids = said(run("post", topic, data, "--content-type", content_type)).split()
    assert len(ids) == 2 and ids == [event["id"] for event in shared_hub.history(topic)]


@pytest.mark.parametrize("content_type, data", [("application/x-ndjson", ""), ("application/x-ndjson", "\n"),
                                                ("application/cloudevents-batch+json", "[]")])
def test_a_post_of_no_events_is_done_with_none(run, shared_hub, topic, content_type, data):
    assert said(run("post", topic, data, "--content-type", content_type)) == ""
    assert shared_hub.history(topic) == []


def test_a_content_type_is_sent_as_it_is_or_refused(run, shared_hub, topic):
    for content_type in ["x\ny", "text/plain\r\nEvent-Type: evil", "a/b\x7f"]:
        assert "content type" in said(run("post", topic, "x", "--content-type", content_type), 64)
    assert shared_hub.history(topic) == []


def test_ids_do_not_command_a_terminal(run):
    evil = json.dumps({"id": "\x1b]0;owned\x07\u202e", "time": "t"}).encode()
    with strange_server(201, "application/json", evil) as url:
        for arguments in [["x"], ["--lines"]]:
            shown = run("post", "t", *arguments, "--hub", url, input=b"{}\n").stdout
            assert b"owned" in shown and not set(shown.decode()) & set("\x1b\x07\u202e")
    evil = json.dumps({"replayed": "\x1b[2J", "id": "a", "secret": "\x1b[2J"}).encode()
    with strange_server(200, "application/json", evil) as url:
        for arguments in [["replay", "a", "--since", "1h"], ["rotate", "a"]]:
            shown = run("observers", *arguments, "--hub", url).stdout
            assert b"[2J" in shown and b"\x1b" not in shown


@pytest.mark.parametrize("status, content_type, body", [
    (200, "application/json", b"{}"), (200, "application/json", b"null"), (200, "text/html", b"<p>Welcome"), (204, None, b"")])
def test_success_of_what_is_no_hub_is_none(run, tmp_path, status, content_type, body):
    with strange_server(status, content_type, body) as url:
        for command in ["topics", "topics show a", "topics set a --events 1", "observers", "observers add http://a/ b",
                        "observers show a", "observers test a", "observers recover a --since 1h", "observers rotate a",
                        "observers deliveries a", "observers deliveries a b", "post a b", "health", "export"]:
            assert "is no hub" in said(run(*command.split(), "--hub", url), 1), command
        if status != 204:
            for command in ["topics delete a", "observers remove a"]:
                assert "is no hub" in said(run(*command.split(), "--hub", url), 1), command


@pytest.mark.parametrize("command, body", [
    ("topics", {"topics": [], "next": "a"}), ("topics", {"topics": [{"name": "a"}], "next": "a"}),
    ("observers", {"observers": [], "next": "a"}), ("observers deliveries a", {"deliveries": [], "next": "a"})])
def test_a_list_without_an_end_is_refused(run, command, body):
    with strange_server(200, "application/json", json.dumps(body).encode()) as url:
        assert "has no end" in said(run(*command.split(), "--hub", url), 1)


def test_a_page_of_history_of_which_all_was_removed_is_not_the_last(run):
    """A hub says that there is more before it reads what it gives (http-api.md, "History"). This one gives no other page."""
    link = ("Link", '<?limit=2&after=e-1>; rel="next"')
    with strange_server(200, "application/x-ndjson", b"", [link]) as url:
        assert "has no end" in said(run("export", "--hub", url), 1)


@pytest.mark.parametrize("command, body, size", [
    ("health", b"ready", 16), ("observers show a", b'{"id":"a","kind":"webhook"}', 16), ("topics", b'{"topics":[],"next":null}', 64)])
def test_an_answer_is_no_larger_than_a_hub_makes_it(run, command, body, size):
    for length, status in [(size << 20, 0), ((size << 20) + 1, 1)]:
        with strange_server(200, "application/json", body.ljust(length)) as url:
            text = said(run(*command.split(), "--hub", url), status)
            assert status == 0 or "is too much" in text


def test_lines_with_a_key_are_stored_once(run, shared_hub, topic):
    first = said(run("post", topic, "--lines", "--key", "k", input=b"a\na\n"))
    assert said(run("post", topic, "--lines", "--key", "k", input=b"a\na\nb\n")).startswith(first)
    assert [event["data"] for event in shared_hub.history(topic)] == ["a", "a", "b"]


@pytest.mark.parametrize("line, other", [(b"one", b"two"), (b'{"a": 1}', b'{"a": 2}'), (b"\xff", b"\xfe")])
def test_another_line_under_its_key_is_where_it_ends(run, shared_hub, topic, line, other):
    first = said(run("post", topic, "--lines", "--key", "k", input=b"same\n" + line)).split()
    stored = shared_hub.history(topic)
    result = run("post", topic, "--lines", "--key", "k", input=b"same\n" + other + b"\nmore\n")
    assert result.returncode == 1 and result.stdout.decode().split() == first[:1], result
    [said_of_it] = result.stderr.decode().splitlines()
    assert said_of_it.startswith("clarion: line 2, ") and "idempotency-conflict" in said_of_it
    assert shared_hub.history(topic) == stored


def test_what_it_exits_with(run, topic, tmp_path):
    nobody = f"http://127.0.0.1:{free_port()}"
    for arguments in [["post", topic, "x"], ["listen", topic], ["topics"], ["observers"], ["health"], ["export"]]:
        assert "cannot be reached" in said(run(*arguments, "--hub", nobody), 2)
    assert "topic-invalid" in said(run("post", "a b", "x"), 1)
    assert "observer-unknown" in said(run("observers", "show", "nobody"), 1)
    assert "topic-unknown" in said(run("topics", "delete", "nothing.here"), 1)
    assert "pattern-invalid" in said(run("listen", "a*"), 1)
    assert "since-invalid" in said(run("listen", "a", "--since", "soon"), 1)
    for types in ("", ","):
        assert f'by the type "{types}"' in said(run("listen", "a", "--type", "b", "--type", types), 64)
    for arguments in [["post", topic, "@none"], ["post", topic, "@none", "--lines"], ["import", "none"]]:
        assert "clarion: none: No such file" in said(run(*arguments), 66)
    (tmp_path / "folder").mkdir()
    for arguments in [["post", topic, "@folder"], ["post", topic, "@folder", "--lines"]]:
        assert "clarion: folder: Is a directory" in said(run(*arguments), 66)
    result = run("import", "folder")
    assert result.returncode == 66 and b"clarion: folder: Is a directory" in result.stderr
    for hub in ["ftp://a", "http://user:secret@a", "http://127.0.0.1:99999", "http://127.0.0.1:0", "http://[::1"]:
        assert "secret" not in said(run("post", topic, "x", "--hub", hub), 64)
    assert run("frobnicate").returncode == 64 and run("post").returncode == 64
    assert said(run("health")) == "ready\n"


def test_every_exit_status_is_listed(run):
    sources = [path.read_text() for path in (REPOSITORY / "Sources/ClarionCommand").rglob("*.swift")]
    used = {0, 1, 2} | {getattr(os, name) for name in re.findall(r"\bEX_[A-Z]+", " ".join(sources))}
    told = (REPOSITORY / "docs/operating.md").read_text().partition("Commands that speak to a hub exit with")[2]
    assert list(map(int, re.findall(r"^- (\d+) ", told.partition("\nWhere nobody")[0], re.M))) == sorted(used)
    help = said(run("--help")).partition("exit")[2].partition("EXAMPLE")[0]
    assert list(map(int, re.findall(r"\bwith\s+(\d+)\b", help))) == sorted(used)


@pytest.mark.parametrize("words, name, meant, within", [
    (["srve", "--port", "0"], "srve", "serve", "clarion"), (["observers", "lst"], "lst", "list", "clarion observers"),
    (["topics", "shw", "a"], "shw", "show", "clarion topics"), (["token", "Sign"], "Sign", "sign", "clarion token"),
    (["frobnicate"], "frobnicate", None, "clarion"), ([""], "", None, "clarion"), (["a\nb"], "a b", None, "clarion")])
def test_an_unknown_command_is_refused_with_the_nearest(run, words, name, meant, within):
    advice = f"Did you mean {meant}? " if meant else ""
    assert said(run(*words), 64) == f'clarion: {name}: there is no such command. {advice}"{within} --help" lists them.'


def test_the_hub_of_the_same_environment_is_asked(run, shared_hub):
    """As by `HEALTHCHECK` of a container that is given CLARION_PORT."""
    port = shared_hub.url.rsplit(":", 1)[1]
    assert said(run("health", environment={"CLARION_URL": "", "CLARION_PORT": port})) == "ready\n"


def test_a_port_of_the_environment_is_one(run, shared_hub, topic):
    for text in ["abc", "65536", "-1", "8080x"]:
        assert "CLARION_PORT" in said(run("post", topic, "x", environment={"CLARION_URL": "", "CLARION_PORT": text}), 64)
        # Where the hub is named nobody asks for it.
        said(run("post", topic, "x", environment={"CLARION_PORT": text}))
    # A service link of Kubernetes: 8080 is asked, whether somebody is there or not.
    assert run("post", topic, "x", environment={"CLARION_URL": "", "CLARION_PORT": "tcp://10.0.0.1:1"}).returncode != 64


@pytest.mark.parametrize("trickles", [False, True])
def test_a_probe_of_a_hub_that_hangs_ends(run, trickles):
    """A hub that takes connections and says nothing, or a byte now and then."""
    ended = threading.Event()

    def trickle(connection):
        with connection:
            for byte in b"HTTP/1.1 200 OK\r\n" + b"X-Field: value\r\n" * 100:
                if ended.wait(0.5):
                    return
                try:
                    if trickles:
                        connection.sendall(bytes([byte]))
                except OSError:
                    return

    def accept(listener):
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=trickle, args=(connection,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=accept, args=(listener,), daemon=True).start()
        start = time.monotonic()
        line = said(run("health", "--hub", f"http://127.0.0.1:{listener.getsockname()[1]}"), 2)
        assert "has not answered within 4 s" in line and time.monotonic() - start < 15
        ended.set()
        listener.shutdown(socket.SHUT_RDWR)


def test_what_answers_is_no_hub(run, topic, receiver):
    assert "is no hub" in said(run("health", "--hub", receiver.url().rsplit("/", 1)[0]), 1)


def test_a_hub_that_stops_is_not_healthy(run, start_hub):
    hub = start_hub()
    assert said(run("health", "--json", hub=hub)) == '{"status":"ready"}\n'
    hub.stop()
    said(run("health", hub=hub), 2)


def test_topics_and_their_bounds(run, shared_hub, topic):
    said(run("post", topic, "x"))
    assert json.loads(said(run("topics", "set", topic, "--events", "5", "--age", "7d", "--bytes", "1MiB", "--json")))[
        "retention"] == {"events": 5, "age": "7d", "bytes": 1 << 20}
    assert f"{topic}\t1\t1\t0\t0\t0\t5 events, 7d, 1048576 bytes" in said(run("topics", "list", "--prefix", topic))
    listed = json.loads(said(run("topics", "--json", "--prefix", topic)))
    assert [entry["name"] for entry in listed["topics"]] == [topic] and listed["next"] is None
    assert json.loads(said(run("topics", "set", topic, "--defaults", "--json")))["retention"] is None
    assert "--events" in said(run("topics", "set", topic), 64)
    assert said(run("topics", "delete", topic)) == ""
    assert json.loads(said(run("topics", "--json", "--prefix", topic)))["topics"] == []


def test_a_webhook_from_its_registration_to_its_end(run, start_hub, topic, receiver):
    hub = start_hub("--allow-egress", "127.0.0.0/8")
    added = json.loads(said(run("observers", "add", receiver.url(), topic, "--id", "w", "--type", "a", "--header", "X-Team: blue",
                                "--ordered", "--json", hub=hub)))
    assert added["topics"] == [topic] and added["types"] == ["a"] and added["headers"] == {"X-Team": "blue"}
    assert added["ordered"] and added["secret"].startswith("whsec_")
    assert "204" in said(run("observers", "test", "w", hub=hub))
    id = said(run("post", topic, "x", "--type", "a", hub=hub)).strip()
    wait_until(lambda: json.loads(said(run("observers", "deliveries", "w", "--json", "--state", "delivered", hub=hub)))["deliveries"],
               what="the delivery")
    assert said(run("observers", "deliveries", "w", hub=hub)).startswith(f"{id}\t{topic}\ta\tdelivered\t1\t204")
    assert json.loads(said(run("observers", "deliveries", "w", id, "--json", hub=hub)))["attemptLog"][0]["status"] == 204
    assert said(run("observers", "replay", "w", "--since", "earliest", hub=hub)) == "1\n"
    assert said(run("observers", "recover", "w", "--since", "1h", hub=hub)) == "0\n"
    rotated = said(run("observers", "rotate", "w", hub=hub)).strip()
    assert rotated.startswith("whsec_") and rotated != added["secret"]
    assert f"w\twebhook\tactive\t{topic}\t" in said(run("observers", hub=hub))
    assert [entry["id"] for entry in json.loads(said(run("observers", "list", "--kind", "webhook", "--json", hub=hub)))["observers"]] == ["w"]
    assert "whsec_" not in said(run("observers", "show", "w", hub=hub))
    assert said(run("observers", "remove", "w", hub=hub)) == ""
    assert "observer-unknown" in said(run("observers", "test", "w", hub=hub), 1)


def test_a_webhook_s_url_behind_its_topics_is_told_its_place(run):
    assert "the URL comes first" in said(run("observers", "add", "orders.*", "https://example.com/hook"), 64)


def test_a_test_that_does_not_arrive_exits_1(run, shared_hub, topic):
    assert b"--allow-egress" in run("observers", "add", "http://127.0.0.1:8/", topic, "--id", topic).stderr
    result = run("observers", "test", topic)
    assert result.returncode == 1 and b"egress-blocked" in result.stdout
    run("observers", "remove", topic)


def test_a_hub_that_asks_for_a_token(run, clarion, start_hub, tmp_path):
    key = clarion("token", "create", "--name", "k", "--publish", "a.**", "--subscribe", "a.**", "--file", tmp_path / "c.json"
                  ).stdout.strip()
    hub = start_hub("--credentials", str(tmp_path / "c.json"))
    line = said(run("post", "a.b", "x", hub=hub), 1)
    assert "credential-required" in line and "CLARION_TOKEN" in line
    assert "credential-invalid" in said(run("post", "a.b", "x", "--token", "clk_wrong", hub=hub), 1)
    said(run("post", "a.b", "x", "--token", key, hub=hub))
    said(run("post", "a.b", "x", environment={"CLARION_TOKEN": key}, hub=hub))
    refused = said(run("post", "b", "x", environment={"CLARION_TOKEN": key}, hub=hub), 1)
    assert "right-missing" in refused and key not in refused
    assert key not in said(run("post", "a", "x", "--token", f"{key}\r\nX: y", hub=hub), 64)
    assert json.loads(said(run("topics", "--json", "--token", key, hub=hub)))["topics"][0]["name"] == "a.b"
    assert said(run("health", hub=hub)) == "ready\n"


def test_without_a_command_it_says_what_to_do(run):
    text = said(run())
    for word in ["clarion serve", "clarion post", "clarion listen", "--help"]:
        assert word in text


@pytest.mark.parametrize("environment, is_coloured", [({"TERM": "xterm"}, True), ({"TERM": "xterm", "NO_COLOR": "1"}, False),
                                                      ({"TERM": "dumb"}, False), ({"TERM": "xterm", "NO_COLOR": ""}, True)])
def test_tables_and_colours_are_for_terminals(executable, shared_hub, topic, environment, is_coloured):
    shared_hub.post(topic)
    near, far = pty.openpty()
    child = subprocess.Popen([executable, "topics", "--prefix", topic, "--hub", shared_hub.url], stdin=subprocess.DEVNULL,
                             stdout=far, stderr=far, env=environment_without_settings(**environment))
    os.close(far)
    shown = b""
    try:
        while part := os.read(near, 4096):
            shown += part
    except OSError:
        pass
    os.close(near)
    assert child.wait() == 0
    lines = shown.decode().splitlines()
    assert ("\x1b[" in lines[0]) == is_coloured and "NAME" in lines[0] and "EVENTS" in lines[0]
    assert lines[1].split()[0] == topic and "\t" not in lines[1]
