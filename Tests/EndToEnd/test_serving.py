"""`clarion serve` as an operator meets it: options, environment, refusals, the way it stops."""

import json
import os
import random
import re
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

import pytest

from event_stream import EventStream, StreamEnded, StreamRefused
from ports import free_port
from raw_http import RawConnection, request
from waiting import wait_until


def has_ipv6():
    try:
        with socket.create_server(("::1", 0), family=socket.AF_INET6):
            return True
    except OSError:
        return False


def refusal(result, *words):
    """Asserts that the program said in one line why it does not run."""
    assert result.returncode in (1, 64), f"exit {result.returncode}: {result.stderr}"
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert len(lines) == 1, result.stderr
    for word in words:
        assert word.lower() in lines[0].lower(), f"{word!r} is not in {lines[0]!r}"
    return result.returncode


# What it says of itself

def announced(hub, count):
    """The first lines of its standard output, without the first, which every test reads."""
    wait_until(lambda: len(hub.announcement) >= count, what="the announcement")
    return [line.strip() for line in hub.announcement[1:]]


def test_the_start_tells_where_the_log_and_the_console_are(start_hub, tmp_path):
    hub = start_hub("--data", "kept here", folder_of_process=tmp_path)
    log, = [line for line in announced(hub, 2) if line.startswith("log ")]
    assert str(tmp_path / "kept here") in log and "disk" in log
    # Nobody can press a key in a pipe.
    assert not any("Ctrl-C" in line for line in announced(hub, 2))


def test_the_start_tells_of_the_console_only_if_there_is_one(start_hub, tmp_path):
    (tmp_path / "site").mkdir()
    hub = start_hub("--public", str(tmp_path / "site"))
    assert f"console  {hub.url}/" in announced(hub, 3)


def test_the_start_tells_that_memory_keeps_nothing(start_hub):
    assert "memory" in announced(start_hub("--durability", "memory"), 2)[0]


def test_help_names_every_option_and_the_curl_tour(clarion):
    overview = clarion("--help")
    assert overview.returncode == 0
    assert "serve" in overview.stdout and "curl" in overview.stdout
    details = clarion("serve", "--help")
    assert details.returncode == 0
    for option in ("host", "port", "data", "durability", "allow-egress", "webhooks-retry", "keep-alive", "max-body",
                   "log-level", "open", "public", "config"):
        assert f"--{option}" in details.stdout
    assert "CLARION_" in details.stdout


def test_version_is_the_one_it_announces(clarion, shared_hub):
    result = clarion("--version")
    assert result.returncode == 0
    assert result.stdout.strip() == shared_hub.version


def test_health_and_readiness(shared_hub):
    assert shared_hub.get("/healthz").status_code == 200
    assert shared_hub.get("/readyz").status_code == 200


def test_every_answer_names_the_server_and_the_request(shared_hub):
    for path in ("/healthz", "/observers", "/no/such/route", "/topics/a/events"):
        response = shared_hub.get(path)
        assert response.headers["Server"] == "clarion"
        assert re.fullmatch(r"[A-Za-z0-9._~:/+=-]{1,128}", response.headers["Request-Id"])
    first, second = (shared_hub.get("/healthz").headers["Request-Id"] for _ in range(2))
    assert first != second


def test_a_sane_request_id_is_echoed_and_any_other_replaced(shared_hub):
    assert shared_hub.get("/healthz", headers={"Request-Id": "job-42/a.b"}).headers["Request-Id"] == "job-42/a.b"
    for id in ("", "a b", "x" * 129, '"><script>', "é".encode()):
        assert shared_hub.get("/healthz", headers={"Request-Id": id}).headers["Request-Id"] != id


# Refusals

def test_a_busy_port(clarion, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        result = clarion("serve", "--port", port, "--data", tmp_path / "data")
    assert refusal(result, str(port), "in use") == 1


@pytest.mark.parametrize("place", ["below a file", "a file", "below a folder that nothing can be made in"])
def test_a_data_folder_that_cannot_be_written(clarion, tmp_path, place):
    file = tmp_path / "file"
    file.write_text("not a folder")
    # /proc takes no folder from anyone, not even from root.
    data = {"below a file": file / "data", "a file": file}.get(place, "/proc/clarion/data")
    assert refusal(clarion("serve", "--port", "0", "--data", data), str(data)) == 1


@pytest.mark.parametrize("name, words", [
    ("dangling", "is a symbolic link to what is not there"), ("loop", "Too many levels of symbolic links"),
    ("dangling/below", "is a symbolic link to what is not there"), ("x" * 300, "File name too long"),
    ("/dev/null", "/dev/null is no directory"), ("linked", "is a file, not a directory"),
    ("file/below", "Not a directory")])
def test_why_there_is_no_data_folder(clarion, tmp_path, name, words):
    (tmp_path / "file").write_text("")
    (tmp_path / "dangling").symlink_to(tmp_path / "nothing")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "linked").symlink_to(tmp_path / "file")
    result = clarion("serve", "--port", "0", "--data", tmp_path / name)
    assert refusal(result, words, ". Name a folder with --data that this user may write.") == 1
    assert not (tmp_path / "nothing").exists()


def test_a_name_of_a_data_folder_that_cannot_be(clarion, tmp_path):
    (tmp_path / "settings.json").write_text(json.dumps({"data": f"{tmp_path}/a\0b"}))
    result = clarion("serve", "--port", "0", "--config", tmp_path / "settings.json")
    refusal(result, "contains a NUL. Name a folder")
    assert not (tmp_path / "a").exists()


@pytest.fixture
def disk(tmp_path):
    """Mounts a file system in memory, with options."""
    folder = tmp_path / "disk"
    folder.mkdir()

    def mount(options):
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder]
        if os.geteuid() != 0 or subprocess.run(command, capture_output=True).returncode != 0:
            pytest.skip("a file system cannot be mounted here")
        return folder

    yield mount
    subprocess.run(["umount", "-l", folder], capture_output=True)


def test_a_disk_that_may_only_be_read(clarion, disk):
    folder = disk("ro,size=1m")
    result = clarion("serve", "--port", "0", "--data", folder / "data")
    refusal(result, "Read-only file system", "Name a folder with --data that this user may write")


@pytest.mark.parametrize("left", range(5))
def test_a_disk_without_inodes_is_a_full_one(clarion, disk, left):
    # The root takes one. With few more the hub comes so far as to make its folder, its lock, its log.
    folder = disk(f"size=10m,nr_inodes={1 + left}")
    result = clarion("serve", "--port", "0", "--data", folder / "data")
    refusal(result, "Make room on the disk of the data folder", "df -i")


def test_a_system_without_proc(executable, tmp_path):
    without = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs tmpfs /proc && exec "$@"', "sh"]
    if subprocess.run([*without, "true"], capture_output=True).returncode != 0:
        pytest.skip("/proc cannot be hidden here")
    command = [*without, executable, "serve", "--port", "0", "--data", tmp_path / "data"]
    refusal(subprocess.run(command, capture_output=True, text=True, timeout=10), "/proc", "mount -t proc")
    assert not (tmp_path / "data").exists()


def test_a_data_folder_in_use_by_another_hub(clarion, hub, topic):
    refusal(clarion("serve", "--port", "0", "--data", hub.data))
    hub.post(topic, "still here")
    assert [event["data"] for event in hub.history(topic)] == ["still here"]


def test_a_data_folder_whose_files_are_no_log(clarion, hub, topic):
    hub.post(topic, "soon to be lost")
    hub.stop()
    for path in hub.data.iterdir():
        if path.is_file():
            path.write_bytes(b"This was a log once. " * 1000)
    refusal(clarion("serve", "--port", "0", "--data", hub.data))


BAD_OPTIONS = [
    ("--port", "abc"), ("--port", "70000"), ("--port", "80x"), ("--durability", "sometimes"),
    ("--allow-egress", "300.0.0.0/8"), ("--allow-egress", "127.0.0.1/40"), ("--allow-egress", "everywhere"),
    ("--webhooks-retry", "soon"), ("--webhooks-retry", "5s,-1s"), ("--keep-alive", "0"), ("--keep-alive", "long"),
    ("--max-body", "0"), ("--max-body", "1MB"), ("--max-body", "1GiB"), ("--log-level", "loud"), ("--config", "/no/such/file.json"),
    ("--connection-memory", "1"),
]


@pytest.mark.parametrize("option, value", BAD_OPTIONS)
def test_an_option_with_a_bad_value(clarion, tmp_path, option, value):
    port = () if option == "--port" else ("--port", "0")
    result = clarion("serve", *port, "--data", tmp_path / "data", f"{option}={value}")
    assert refusal(result, option) == 64
    assert not (tmp_path / "data").exists(), "nothing is made before the settings are checked"


@pytest.mark.parametrize("arguments", [("--nonsense",), ("serve", "--nonsense"), ("serve", "--port"), ("serve", "extra"),
                                       ("frobnicate",)], ids=lambda arguments: " ".join(arguments))
def test_arguments_that_make_no_sense(clarion, arguments):
    result = clarion(*arguments)
    assert result.returncode == 64
    assert result.stdout == ""
    # The reason first; how to call it may follow.
    assert arguments[-1] in result.stderr.splitlines()[0]


@pytest.mark.parametrize("setting", [("CLARION_PORT", "abc"), ("CLARION_DURABILITY", "never"),
                                     ("CLARION_LOG_LEVEL", "loud"), ("CLARION_MAX_BODY", "-1"),
                                     ("CLARION_OPEN", "perhaps")], ids=lambda setting: "=".join(setting))
def test_a_bad_value_in_the_environment(clarion, tmp_path, setting):
    name, value = setting
    environment = {"CLARION_DATA": str(tmp_path / "data"), "CLARION_PORT": "0", name: value}
    if name == "CLARION_OPEN":
        environment["CLARION_HOST"] = "0.0.0.0"
    refusal(clarion("serve", environment=environment))


@pytest.mark.parametrize("text", ["{", "[]", '{"port": "abc"}', '{"durability": 7}'])
def test_a_file_of_settings_that_cannot_be_used(clarion, tmp_path, text):
    file = tmp_path / "settings.json"
    file.write_text(text)
    arguments = () if "port" in text else ("--port", "0")
    assert refusal(clarion("serve", *arguments, "--data", tmp_path / "data", "--config", file)) == 64


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "example.com"])
def test_another_host_than_loopback_is_refused_without_open(clarion, tmp_path, host):
    result = clarion("serve", "--host", host, "--port", "0", "--data", tmp_path / "data")
    refusal(result, "--open", host)


def test_an_address_that_this_machine_lacks(clarion, tmp_path):
    result = clarion("serve", "--host", "192.0.2.7", "--open", "--port", "0", "--data", tmp_path / "data")
    assert refusal(result, "192.0.2.7") == 1


# Where settings come from

def test_open_listens_on_every_address(start_hub):
    hub = start_hub("--host", "0.0.0.0", "--open")
    with socket.create_connection(("127.0.0.1", hub.port), timeout=10):
        pass
    hub.url = f"http://127.0.0.1:{hub.port}"
    assert hub.get("/healthz").status_code == 200


def test_localhost_is_loopback(start_hub):
    assert start_hub("--host", "localhost").get("/healthz").status_code == 200


@pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6 loopback")
def test_ipv6_loopback(start_hub, topic):
    hub = start_hub("--host", "::1")
    assert hub.url == f"http://[::1]:{hub.port}"
    hub.post(topic, "six")
    with EventStream.of(hub.port, topic, host="::1"):
        [stream] = hub.wait_for_observers(1)
        assert stream["remoteAddress"].startswith("[::1]:")


def test_the_environment_sets_what_options_do_not(start_hub, tmp_path, topic):
    port = free_port()
    hub = start_hub(environment={
        "CLARION_PORT": str(port), "CLARION_DATA": str(tmp_path / "elsewhere"), "CLARION_MAX_BODY": "10",
        "CLARION_HOST": "0.0.0.0", "CLARION_OPEN": "true"})
    assert hub.url == f"http://0.0.0.0:{port}"
    hub.url = f"http://127.0.0.1:{port}"
    hub.post(topic, b"x" * 10)
    assert hub.request("POST", f"/topics/{topic}/events", data=b"x" * 11).status_code == 413
    assert list((tmp_path / "elsewhere").iterdir())


def test_option_over_environment_over_file(start_hub, tmp_path, topic):
    file = tmp_path / "settings.json"
    file.write_text(json.dumps({"max-body": 10, "host": "localhost", "keep-alive": 1}))
    hub = start_hub("--max-body", "30", "--config", str(file), environment={"CLARION_MAX_BODY": "20"})
    hub.post(topic, b"x" * 30)
    assert hub.request("POST", f"/topics/{topic}/events", data=b"x" * 31).status_code == 413
    hub.stop()
    hub.options = ["--config", str(file)]
    hub.start()
    hub.post(topic, b"x" * 20)
    assert hub.request("POST", f"/topics/{topic}/events", data=b"x" * 21).status_code == 413
    hub.stop()
    hub.environment.pop("CLARION_MAX_BODY")
    hub.start()
    hub.post(topic, b"x" * 10)
    assert hub.request("POST", f"/topics/{topic}/events", data=b"x" * 11).status_code == 413
    assert hub.url == f"http://localhost:{hub.port}"


def test_the_file_may_be_named_in_the_environment(start_hub, tmp_path, topic):
    file = tmp_path / "settings.json"
    file.write_text(json.dumps({"max-body": 10}))
    hub = start_hub(environment={"CLARION_CONFIG": str(file)})
    assert hub.request("POST", f"/topics/{topic}/events", data=b"x" * 11).status_code == 413


def test_the_data_folder_is_made_if_it_is_missing(start_hub, tmp_path, topic):
    hub = start_hub("--data", str(tmp_path / "a" / "b" / "c"))
    hub.post(topic)
    assert list((tmp_path / "a" / "b" / "c").iterdir())


def test_memory_leaves_nothing_behind(start_hub, tmp_path, topic):
    hub = start_hub("--durability", "memory", folder_of_process=tmp_path)
    hub.post(topic, "gone soon")
    assert [event["data"] for event in hub.history(topic)] == ["gone soon"]
    assert not hub.data.exists()
    assert not (tmp_path / "data").exists()
    hub.restart()
    assert hub.history(topic) == []


def test_a_quiet_hub_logs_nothing_at_its_default_level_of_detail(hub, topic):
    hub.post(topic, "x")
    hub.stream(topic).close()
    hub.wait_for_observers(0)
    hub.get("/no/such/route")
    hub.stop()
    assert " error " not in hub.log and " critical " not in hub.log


# Stopping

@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_an_idle_hub(hub, number):
    hub.stop(number)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_in_order_whoever_answers_already(serving, number):
    """What asks `/healthz`, as probes do, has not read what it says once it waits for signals."""
    port = free_port()
    for _ in range(12):
        with serving("--port", str(port)) as process:
            while process.poll() is None:
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                except OSError:
                    continue
            process.send_signal(number)
            assert process.wait(10) == 0, process.stderr.read()


def test_a_signal_ends_a_start_that_takes_long(serving):
    """Servers of a cluster that are silent are waited for longer than that."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(10)
        with serving("--port", "0", "--log", f"nats://127.0.0.1:{silent.getsockname()[1]}") as process:
            silent.accept()
            began = time.monotonic()
            process.send_signal(signal.SIGTERM)
            assert process.wait(10) == 0
            assert time.monotonic() - began < 5 and process.stdout.read() == ""


@pytest.fixture
def serving(executable, tmp_path):
    """Starts a hub of which nothing is read before it is stopped."""
    def start(*options):
        return subprocess.Popen([executable, "serve", "--data", str(tmp_path / "data"), *options], text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={"PATH": os.environ["PATH"]})
    return start


def test_it_stops_with_open_streams_and_ends_each_in_order(hub, topic, figure):
    streams = [hub.stream(topic) for _ in range(50)]
    for number in range(20):
        hub.post(topic, f"event {number}\nof two lines")
    seconds = hub.stop()
    figure(f"{seconds:.2f} s from SIGTERM to exit 0 with 50 open streams")
    retries = set()
    for stream in streams:
        messages = stream.read_to_end()
        assert [message.data for message in messages] == [f"event {number}\nof two lines" for number in range(20)]
        assert 1000 <= stream.parser.retry <= 5000
        retries.add(stream.parser.retry)
    assert len(retries) > 1, "clients are told to come back at different times"


def test_it_stops_with_streams_that_nobody_reads(start_hub, topic):
    hub = start_hub()
    with EventStream.of(hub.port, topic, receive_buffer=4096):
        for _ in range(40):
            hub.post(topic, b"x" * 500_000)
        hub.stop()


def test_it_stops_with_idle_connections_and_unfinished_requests(hub, topic):
    idle = RawConnection(hub.port)
    idle.send(request("GET", "/healthz"))
    assert idle.receive().status == 200
    half_a_head = RawConnection(hub.port)
    half_a_head.send(b"GET /healthz HTTP/1.1\r\nHos")
    half_a_body = RawConnection(hub.port)
    half_a_body.send(request("POST", f"/topics/{topic}/events", {"Content-Length": "100"}, b"x" * 50))
    hub.stop()
    for connection in (idle, half_a_head, half_a_body):
        connection.close()


def test_quitting_ends_it_at_once(hub):
    """Swift's runtime takes it for a crash, reports that, and goes on."""
    hub.is_down = True
    hub.process.send_signal(signal.SIGQUIT)
    assert hub.process.wait(10) == -signal.SIGQUIT
    assert "crash" not in hub.log.lower()


def test_quitting_ends_a_containers_first_process_at_once(start_hub):
    """The kernel carries out no default action for it."""
    alone = ["unshare", "--pid", "--fork", "--mount-proc"]
    if subprocess.run([*alone, "true"], capture_output=True).returncode != 0:
        pytest.skip("no process can be the first of a namespace here")
    hub = start_hub(prefix=alone)
    hub.is_down = True
    [first] = Path(f"/proc/{hub.process.pid}/task/{hub.process.pid}/children").read_text().split()
    os.kill(int(first), signal.SIGQUIT)
    assert hub.process.wait(10) == 128 + signal.SIGQUIT


def test_two_signals_stop_it_once(hub, topic):
    stream = hub.stream(topic)
    hub.is_down = True
    began = time.monotonic()
    hub.process.send_signal(signal.SIGTERM)
    hub.process.send_signal(signal.SIGTERM)
    hub.wait_for_exit(began)
    stream.read_to_end()


def test_posts_during_the_stop_are_either_stored_or_refused(hub, topic):
    acknowledged, odd = [], []
    enough = threading.Event()

    def post(number):
        with RawConnection(hub.port) as connection:
            while True:
                sent = connection.send(request("POST", f"/topics/{topic}/events", body=b"x"))
                response = connection.receive() if sent else None
                if response is None:
                    return
                if response.status == 201:
                    acknowledged.append(response.json()["id"])
                    if len(acknowledged) > 100:
                        enough.set()
                elif response.status == 503 and response.json()["code"] == "draining":
                    assert int(response.headers["retry-after"]) >= 1
                    return
                else:
                    odd.append(response)
                    return

    threads = [threading.Thread(target=post, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    assert enough.wait(15)
    hub.stop()
    for thread in threads:
        thread.join(15)
        assert not thread.is_alive()
    assert odd == []
    hub.start()
    stored = {event["id"] for event in hub.history(topic)}
    assert set(acknowledged) <= stored


@pytest.mark.parametrize("seed", range(5))
def test_it_stops_in_the_middle_of_everything(start_hub, receiver, topic, seed):
    """Posts, streams that come, go, replay and stand still, lists and deliveries: at a moment of chance it must end."""
    hub = start_hub("--durability", "process", "--allow-egress", "127.0.0.0/8")
    hub.register(receiver.url(), topic)
    source = random.Random(seed)

    def post():
        with RawConnection(hub.port) as connection:
            while connection.send(request("POST", f"/topics/{topic}/events", body=b"x" * source.choice([1, 1000, 100_000]))):
                if connection.receive() is None:
                    return

    def subscribe():
        while True:
            stream = EventStream.of(
                hub.port, topic, query=source.choice(["since=earliest", "type=none", ""]),
                receive_buffer=source.choice([4096, None]))
            stream.take_for(source.random() / 20)
            source.choice((EventStream.close, EventStream.reset))(stream)

    def look():
        with RawConnection(hub.port) as connection:
            while connection.send(request("GET", "/observers")) and connection.receive():
                pass

    def until_the_end(work):
        try:
            work()
        except (OSError, StreamEnded, StreamRefused):
            # The hub is going.
            pass

    threads = [
        threading.Thread(target=until_the_end, args=(work,)) for work in (post, post, post, subscribe, subscribe, look)]
    for thread in threads:
        thread.start()
    still = [EventStream.of(hub.port, topic, receive_buffer=4096) for _ in range(20)]
    for _ in range(source.randrange(5, 60)):
        hub.post(topic)
    hub.stop()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()
    for stream in still:
        stream.close()


def test_the_port_is_free_after_the_stop(hub):
    hub.get("/healthz")
    port = hub.port
    hub.restart()
    assert hub.port == port
    assert hub.get("/healthz").status_code == 200
