"""`clarion listen`: through restarts, gaps and proxies, and what it runs for each event."""

import http.server
import json
import os
import pty
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

from figures import ENFORCED
from hub_process import environment_without_settings
from ports import free_port
from strange_server import strange_server
from waiting import wait_until


class Listener:
    """`clarion listen` as a child, whose output is read as it comes."""

    def __init__(self, executable, hub_url, *arguments, environment=None):
        self.process = subprocess.Popen(
            [str(executable), "listen", *arguments, "--hub", hub_url], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env=environment_without_settings(**(environment or {})),
            # Who starts the tests in the background may have them ignore it.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.lines, self.remarks = [], []
        for stream, lines in ((self.process.stdout, self.lines), (self.process.stderr, self.remarks)):
            threading.Thread(target=self._read, args=(stream, lines), daemon=True).start()

    @staticmethod
    def _read(stream, lines):
        for line in stream:
            lines.append(line.rstrip("\n"))

    def wait_for(self, count, deadline=30):
        wait_until(lambda: len(self.lines) >= count, deadline, f"{count} lines; there are {len(self.lines)}")
        return self.lines

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


@pytest.fixture
def listen(executable):
    """`listen(hub, "orders.**", "--json")`: a listener that hears already."""
    listeners = []

    def start(hub, *arguments, waits=True, **options):
        streams = len(hub.observers(kind="stream")) if waits else 0
        listener = Listener(executable, hub.url, *arguments, **options)
        listeners.append(listener)
        if waits:
            wait_until(lambda: len(hub.observers(kind="stream")) > streams, what="the stream")
        return listener

    yield start
    for listener in listeners:
        listener.end()


def test_each_event_once_and_in_order_through_restarts(start_hub, listen, topic, tmp_path):
    restarts, posts = (10, 10_000) if ENFORCED else (2, 300)
    hub = start_hub("--durability", "process")
    printed = listen(hub, topic, "--json")
    heard = tmp_path / "heard"
    # The command is slower than the posts, so that the hub stops while much is on its way.
    executed = listen(hub, topic, "--exec", f'cat >> {heard}; echo " $CLARION_ID $CLARION_TYPE" >> {heard}')
    stopping = threading.Event()
    posted = []

    def post():
        for number in range(posts):
            while not stopping.is_set():
                try:
                    receipt = hub.request("POST", f"/topics/{topic}/events", data=str(number), timeout=5,
                                          headers={"Event-Type": "n", "Idempotency-Key": f"n-{number}"})
                    if receipt.status_code in (200, 201):
                        posted.append(receipt.json()["id"])
                        break
                except OSError:
                    pass
                # Until the hub is back: not a wait for something that takes a known time.
                time.sleep(0.01)

    poster = threading.Thread(target=post)
    poster.start()
    try:
        for restart in range(restarts):
            wait_until(lambda: len(posted) >= posts * (restart + 1) // (restarts + 1) or not poster.is_alive(), 120)
            if restart % 2:
                hub.kill()
            else:
                hub.stop()
            hub.start(hub.port)
    finally:
        poster.join(240)
        stopping.set()
    assert len(posted) == posts
    events = [json.loads(line) for line in printed.wait_for(posts, 120)]
    wait_until(lambda: heard.exists() and heard.read_text().count("\n") >= posts, 240, "all commands")
    assert [event["id"] for event in events] == posted
    assert [event["data"] for event in events] == [str(number) for number in range(posts)]
    assert heard.read_text().splitlines() == [f"{number} {id} n" for number, id in enumerate(posted)]
    assert any("Trying again" in remark for remark in printed.remarks)


def test_a_command_that_does_not_read_or_fails_holds_up_nothing(hub, listen, topic, tmp_path):
    done = tmp_path / "done"
    listener = listen(hub, topic, "--exec", f'echo "$CLARION_TYPE" >> {done}; exit $CLARION_TYPE')
    for type in ["0", "3", "0"]:
        # More than a pipe holds.
        hub.post(topic, b"x" * 300_000, type=type)
    wait_until(lambda: done.exists() and done.read_text() == "0\n3\n0\n", what="three commands")
    hub.post(topic, b"", type="kill")
    wait_until(lambda: len(listener.remarks) >= 2, what="two remarks")
    [failed] = [remark for remark in listener.remarks if "exited with 3" in remark]
    assert failed.startswith("clarion: ") and hub.history(topic)[1]["id"] in failed
    assert listener.process.poll() is None


def test_what_a_command_is_given(hub, listen, topic, tmp_path):
    result = tmp_path / "result"
    listen(hub, topic, "--exec", f'cat > {result}.data; env | grep ^CLARION_ > {result}; kill -PIPE $$; touch {result}.survived')
    receipt = hub.post(topic, b"\x00\xff\r\nbytes", type="ü t".encode())
    wait_until(lambda: result.exists() and result.read_text().count("\n") >= 4, what="the environment")
    variables = dict(line.split("=", 1) for line in result.read_text().splitlines())
    assert variables == {"CLARION_ID": receipt["id"], "CLARION_TOPIC": topic, "CLARION_TYPE": "ü t",
                         "CLARION_TIME": receipt["time"]}
    assert (tmp_path / "result.data").read_bytes() == b"\x00\xff\r\nbytes"
    # A child has the signals that programs begin with, and not what this program ignores.
    hub.post(topic, b"")
    wait_until(lambda: (tmp_path / "result.data").read_bytes() == b"", what="the next command")
    assert not (tmp_path / "result.survived").exists()


#: Commands that go on, and write the id of the process that does.
LASTING = {"in the foreground": "echo $$ > {}; exec sleep 60", "in the background": "sleep 60 & echo $! > {}"}


@pytest.fixture(params=LASTING)
def lasting(hub, listen, topic, tmp_path, request):
    """A listener, and the id of a process of its command's that goes on."""
    file = tmp_path / "process"
    listener = listen(hub, topic, "--exec", LASTING[request.param].format(file))
    hub.post(topic, b"x")
    process = int(wait_until(lambda: file.exists() and file.read_text(), what="the id of a process"))
    # Until then it is a shell, which has descriptors of its own.
    wait_until(lambda: Path(f"/proc/{process}/comm").read_text() == "sleep\n", what="the program")
    yield listener, process
    os.kill(process, signal.SIGKILL)


def test_a_command_has_no_descriptors_but_the_standard_ones(lasting):
    _, process = lasting
    # While it starts it has its libraries open.
    wait_until(lambda: sorted(os.listdir(f"/proc/{process}/fd"), key=int) == ["0", "1", "2"], what="no other descriptors")


def test_a_command_blocks_no_signals(lasting):
    _, process = lasting
    fields = dict(line.split(":\t") for line in Path(f"/proc/{process}/status").read_text().splitlines())
    assert int(fields["SigBlk"], 16) == 0


def test_a_stream_ends_with_its_listener_though_a_command_goes_on(hub, lasting):
    listener, process = lasting
    listener.process.send_signal(signal.SIGINT)
    assert listener.process.wait(5) == -signal.SIGINT
    hub.wait_for_observers(0, kind="stream", deadline=5)
    assert os.path.exists(f"/proc/{process}")


def test_a_gap_is_said_on_standard_error(hub, listen, topic):
    first = hub.post(topic, b"1")["id"]
    hub.post(topic, b"2")
    assert hub.request("PUT", f"/topics/{topic}", json={"retention": {"events": 1}}).status_code == 200
    wait_until(lambda: len(hub.history(topic)) == 1, what="retention")
    listener = listen(hub, topic, "--last-event-id", first, "--json")
    hub.post(topic, b"3")
    assert json.loads(listener.wait_for(1)[0])["data"] in ("2", "3")
    unknown = listen(hub, topic, "--last-event-id", "other-7", "--json")
    unknown.wait_for(1)
    wait_until(lambda: unknown.remarks, what="the remark")
    assert "gap" in unknown.remarks[0] and "other-7" in unknown.remarks[0]


@pytest.mark.parametrize("arguments, wanted", [
    (["--since", "earliest"], ["1", "2", "3"]), (["--since", "last"], ["3"]), (["--since", "1h"], ["1", "2", "3"]),
    (["--since", "earliest", "--type", "a,c"], ["1", "3"]), (["--since", "earliest", "--type", "a", "--type", "b"], ["1", "2"])])
def test_where_it_begins(shared_hub, listen, topic, arguments, wanted):
    for data, type in [(b"1", "a"), (b"2", "b"), (b"3", "c")]:
        shared_hub.post(topic, data, type=type)
    listener = listen(shared_hub, topic, "--json", *arguments)
    assert [json.loads(line)["data"] for line in listener.wait_for(len(wanted))] == wanted


class Proxy(http.server.BaseHTTPRequestHandler):
    """What stands before a hub that is away, and passes one stream on when it is told to."""
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        server = self.server
        server.asked.append(self.headers["Authorization"])
        answer = server.answers.pop(0) if server.answers else "stream"
        if answer == "stream":
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Clarion-Last-Event-Id", "x-0")
            self.send_header("Connection", "close")
            self.end_headers()
            start = server.last + 1
            # An event, half of another, and the end. The stream as a whole is repeated after an error, too.
            for number in range(max(start - 1, 1), start + 1):
                event = {"id": f"x-{number}", "topic": "a", "type": None, "time": "t", "contentType": "text/plain",
                         "data": str(number)}
                self.wfile.write(f"retry: 20\nid: x-{number}\ndata: {json.dumps(event)}\n\n".encode())
            self.wfile.write(b'id: x-999\ndata: {"id": "x-9')
            server.last = start
        else:
            self.send_response(answer)
            self.send_header("Content-Length", "4")
            if answer == 301:
                self.send_header("Location", server.elsewhere)
            self.end_headers()
            self.wfile.write(b"away")

    def log_message(self, *arguments):
        pass


@pytest.fixture
def proxy():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    server.answers, server.asked, server.last, server.elsewhere = [], [], 0, ""
    server.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()


def test_proxies_that_have_no_hub_and_repeat_themselves(executable, proxy):
    proxy.answers = ["stream", 502, 503, 504, 404, "stream", "stream"]
    listener = Listener(executable, proxy.url, "a", "--json")
    try:
        lines = listener.wait_for(5, 30)[:5]
    finally:
        listener.end()
    assert [json.loads(line)["id"] for line in lines] == [f"x-{number}" for number in range(1, 6)]


EVENT = b'id: x-1\ndata: {"id":"x-1","topic":"a","type":null,"time":"t","contentType":null,"data":"1"}\n\n'


@pytest.mark.parametrize("events", [b"", EVENT], ids=["none", "the same again"])
def test_a_server_that_wishes_no_wait_is_not_asked_all_the_time(executable, events):
    """Without another event the wait doubles up to a second: 10, 20, 40, … ms."""
    with strange_server(200, "text/event-stream", b"retry: 0\n\n" + events) as url:
        listener = Listener(executable, url, "a")
        try:
            wait_until(lambda: any("1.0 s" in remark for remark in listener.remarks), what="a wait of a second")
        finally:
            listener.end()
    assert len(listener.remarks) < 30


def test_a_token_stays_with_the_hub_that_was_named(executable, proxy):
    other = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    other.answers, other.asked, other.last = [], [], 0
    threading.Thread(target=other.serve_forever, daemon=True).start()
    proxy.answers, proxy.elsewhere = [301], f"http://localhost:{other.server_port}/events"
    result = subprocess.run(
        [executable, "listen", "a", "--hub", proxy.url], capture_output=True, text=True, timeout=10,
        env=environment_without_settings(CLARION_TOKEN="clk_secret"))
    other.shutdown()
    assert result.returncode == 1 and "301" in result.stderr
    assert proxy.asked == ["Bearer clk_secret"] and other.asked == []
    assert "clk_secret" not in result.stdout + result.stderr


def test_a_terminal_is_commanded_by_nobody(hub, executable, topic):
    """Colours on a terminal, none with NO_COLOR, and never a control character of somebody's event."""
    evil = "\x1b]0;owned\x07\x9b31m\u202etfel\r\nsecond"
    hub.post(topic, evil.encode(), type="t\x1b[2J")
    for environment, format in [({"TERM": "xterm"}, []), ({"TERM": "xterm", "NO_COLOR": "1"}, []), ({"TERM": "xterm"}, ["--json"])]:
        near, far = pty.openpty()
        child = subprocess.Popen(
            [executable, "listen", topic, "--since", "earliest", "--hub", hub.url, *format], stdin=subprocess.DEVNULL, stdout=far,
            stderr=far, env=environment_without_settings(**environment))
        os.close(far)
        shown = b""
        while b"second" not in shown:
            shown += os.read(near, 4096)
        child.kill()
        child.wait()
        os.close(near)
        text = shown.decode()
        if format:
            assert json.loads(text)["data"] == evil and not set(text.strip()) & set("\x1b\x07\x9b\u202e\r\n"), repr(text)
            continue
        assert ("\x1b[36m" in text) == ("NO_COLOR" not in environment)
        plain = text
        for colour in ("0", "2", "33", "36"):
            plain = plain.replace(f"\x1b[{colour}m", "")
        assert not set(plain.strip()) & set("\x1b\x07\x9b\u202e\r\n"), repr(plain)
        assert "owned" in plain and "\\u{1b}" in plain


def test_a_terminal_is_commanded_by_no_hub(executable):
    """What a hub has made itself is text of a stranger, too: it may be none of ours."""
    evil = "\x1b]0;owned\x07\u202e"
    event = {"id": evil, "topic": evil, "type": evil, "time": evil, "contentType": "text/plain", "data": "end"}
    near, far = pty.openpty()
    with strange_server(200, "text/event-stream", f"data: {json.dumps(event)}\n\n".encode()) as url:
        child = subprocess.Popen([executable, "listen", "a", "--hub", url], stdin=subprocess.DEVNULL, stdout=far, stderr=far,
                                 env=environment_without_settings(TERM="xterm", NO_COLOR="1"))
        os.close(far)
        shown = b""
        while b"end" not in shown:
            shown += os.read(near, 4096)
        child.kill()
        child.wait()
    os.close(near)
    assert "owned" in shown.decode() and not set(shown.decode().strip()) & set("\x1b\x07\u202e"), shown


def test_a_reader_that_stops_reading_costs_little(start_hub, executable, topic):
    hub = start_hub("--durability", "memory")
    child = subprocess.Popen(
        [executable, "listen", topic, "--json", "--hub", hub.url], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        env=environment_without_settings())
    wait_until(lambda: hub.observers(kind="stream"), what="the stream")
    try:
        for _ in range(60):
            hub.post(topic, b"x" * 1_000_000)
        status = open(f"/proc/{child.pid}/status").read()
        [resident] = [int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")]
        assert resident < 50_000, f"{resident} kB for 60 MB that nobody reads"
        for _ in range(60):
            assert len(child.stdout.readline()) > 1_000_000
    finally:
        child.kill()
        child.wait()


def test_nobody_reads_any_more(hub, executable, topic):
    for number in range(3):
        hub.post(topic, str(number).encode())
    script = f"'{executable}' listen {topic} --since earliest --json --hub {hub.url} | head -1"
    child = subprocess.Popen(["bash", "-c", f"set -o pipefail; {script}"], stdout=subprocess.PIPE, text=True,
                             stderr=subprocess.PIPE, env=environment_without_settings())
    assert json.loads(child.stdout.readline())["data"] == "0"
    hub.post(topic, b"more")
    _, errors = child.communicate(timeout=10)
    assert (child.returncode, errors) == (0, "")


def test_a_stream_that_is_unregistered_ends(hub, listen, topic):
    listener = listen(hub, topic)
    [stream] = hub.observers(kind="stream")
    hub.request("DELETE", f"/observers/{stream['id']}")
    wait_until(lambda: any("Trying again" in remark for remark in listener.remarks) or listener.process.poll() is not None,
               what="its end")
    hub.post(topic, b"after")
    assert "after" in listener.wait_for(1)[0]


def test_it_ends_when_it_is_told_to(hub, listen, topic):
    listener = listen(hub, topic)
    listener.process.send_signal(signal.SIGINT)
    assert listener.process.wait(5) == -signal.SIGINT
