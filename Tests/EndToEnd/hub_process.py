"""The executable under test, as a child process."""

import os
import re
import signal
import subprocess
import threading
import time
from pathlib import Path
from urllib.parse import quote

import requests

import one_node_cluster
from event_stream import EventStream
from waiting import DEADLINE, wait_until

#: Three folders up from this one.
REPOSITORY = Path(__file__).resolve().parents[2]

#: The line that tells that the hub can be reached.
LISTENING = re.compile(r"Clarion (\S+) is listening on (https?://(\S+):([0-9]+))\n")


def executable_path():
    """What is tested: CLARION_EXECUTABLE, or what was built last in this repository, release first."""
    named = os.environ.get("CLARION_EXECUTABLE")
    candidates = [Path(named)] if named else [REPOSITORY / ".build" / kind / "clarion" for kind in ("release", "debug")]
    return next((path.resolve() for path in candidates if os.access(path, os.X_OK)), None)


def environment_without_settings(**settings):
    """This process's environment without settings of a hub, and with those that are given."""
    environment = {name: value for name, value in os.environ.items() if not name.upper().startswith("CLARION_")}
    return {**environment, **settings}


class HubProcess:
    """One hub and its data folder; it may be killed and started again."""

    def __init__(self, executable, data, options=(), environment=None, folder=None, prefix=()):
        self.executable = executable
        self.data = Path(data)
        self.options = list(options)
        self.environment = environment_without_settings(**(environment or {}))
        #: Where the child writes its log, one file for all its lives.
        self.log_path = Path(f"{data}.log")
        self.folder = folder or REPOSITORY
        #: What stands before the command: of a ``Machine``.
        self.prefix = prefix
        self.process = None
        self.port = None
        self.url = None
        self.version = None
        #: What it printed when it could be reached, and since.
        self.announcement = []
        #: Set while nobody expects the process to be alive.
        self.is_down = True

    # Life

    def start(self, port=None, deadline=2 * DEADLINE):
        """Starts the child and waits until it listens."""
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                self.command(port), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log,
                env=self.environment, cwd=self.folder, text=True)
        self.is_down = False
        self.announcement = lines = []
        heard = threading.Event()

        def listen(stdout):
            # To the end, so that the child never blocks on a full pipe.
            for line in stdout:
                lines.append(line)
                heard.set()
            heard.set()

        threading.Thread(target=listen, args=(self.process.stdout,), daemon=True).start()
        heard.wait(deadline)
        match = LISTENING.fullmatch(lines[0]) if lines else None
        if not match:
            self.process.kill()
            self.process.wait()
            self.is_down = True
            raise AssertionError(f"the hub did not start: {lines} exit {self.process.returncode}\n{self.log}")
        self.version, self.url, _, port_text = match.groups()
        self.port = int(port_text)
        self.session = requests.Session()
        # The environment's proxies have no business here.
        self.session.trust_env = False
        return self

    def command(self, port=None):
        """What it is started with."""
        options = list(self.options)
        if "--port" not in options and "CLARION_PORT" not in self.environment:
            options += ["--port", str(port or 0)]
        if "--data" not in options and "CLARION_DATA" not in self.environment:
            options += ["--data", str(self.data)]
        if one_node_cluster.IS_ON and "--log" not in options:
            options = [*one_node_cluster.options(options), "--log", one_node_cluster.log(self.data)]
        return [*self.prefix, str(self.executable), "serve", *options]

    def stop(self, number=signal.SIGTERM, deadline=10):
        """Has the hub stop in order; fails unless it exits 0 in time. Returns how many seconds it took."""
        assert self.process.poll() is None, f"the hub has ended by itself: {self.process.returncode}\n{self.log}"
        self.is_down = True
        began = time.monotonic()
        self.process.send_signal(number)
        return self.wait_for_exit(began, deadline)

    def wait_for_exit(self, began, deadline=10):
        self.is_down = True
        try:
            status = self.process.wait(deadline)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"the hub was still running {deadline} s after it was told to stop\n{self.log}") from None
        assert status == 0, f"the hub exited {status}\n{self.log}"
        return time.monotonic() - began

    def kill(self):
        """kill -9."""
        self.is_down = True
        self.process.kill()
        self.process.wait()

    def restart(self):
        """Starts again at the same port with the same data; stops the hub first if it runs."""
        if not self.is_down:
            self.stop()
        return self.start(self.port)

    def finish(self):
        """The end of a test: the hub must still be well, unless the test has ended it itself."""
        if not self.is_down:
            self.stop()

    # What the system knows of it

    @property
    def log(self):
        """What the hub wrote to standard error, the end of it if it is much."""
        text = self.log_path.read_text(errors="replace")
        return text if len(text) < 20_000 else "…" + text[-20_000:]

    def stored(self):
        """Every byte that is kept of its log while it does not run."""
        folder = one_node_cluster.folder(self.data) if one_node_cluster.IS_ON else self.data
        return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())

    def assert_sound(self):
        """What `clarion check` says of the log. That of a cluster is no folder which could be checked."""
        if not one_node_cluster.IS_ON:
            check = subprocess.run(
                [str(self.executable), "check", "--data", str(self.data)], capture_output=True, text=True, timeout=60)
            assert check.returncode == 0 and check.stdout.endswith("ok\n"), check.stdout + check.stderr

    def rss(self):
        """Resident memory in bytes (proc(5), VmRSS)."""
        return self._memory("VmRSS")

    def peak_rss(self):
        """The most resident memory that it has ever had, in bytes (proc(5), VmHWM)."""
        return self._memory("VmHWM")

    def _memory(self, name):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(name + r":\s+([0-9]+) kB", status).group(1)) * 1024

    def processor_time(self):
        """How many seconds its threads have run (proc(5), stat)."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def descriptors(self):
        """How many files the process has open."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def sockets(self):
        """How many of them are sockets: the log opens files to read with when it needs them."""
        return len(self._sockets())

    def sockets_closed_by_others(self):
        """How many of those are connections that wait for the hub to close them (CLOSE_WAIT, proc(5))."""
        return sum(row[3] == "08" for row in self.connections())

    def connections(self):
        """The rows of its sockets in the kernel's table of connections, for people; one that was reset is in it no more."""
        rows = [line.split() for line in Path(f"/proc/{self.process.pid}/net/tcp").read_text().splitlines()[1:]]
        own = set(self._sockets())
        return [row for row in rows if f"socket:[{row[9]}]" in own]

    def _sockets(self):
        folder = f"/proc/{self.process.pid}/fd"
        links = []
        for name in os.listdir(folder):
            try:
                links.append(os.readlink(f"{folder}/{name}"))
            except FileNotFoundError:
                # It was closed between the two looks.
                pass
        return [link for link in links if link.startswith("socket:")]

    # What a client does

    def request(self, method, path, **options):
        options.setdefault("timeout", DEADLINE)
        return self.session.request(method, self.url + path, **options)

    def get(self, path, **options):
        return self.request("GET", path, **options)

    def post(self, topic, data=b"", *, type=None, headers=None):
        """Posts an event that must be taken, and returns the receipt."""
        fields = {"Content-Type": "text/plain", **(headers or {})}
        if type is not None:
            fields["Event-Type"] = type
        response = self.request("POST", events_path(topic), data=data, headers=fields)
        assert response.status_code == 201, f"{response.status_code}: {response.text}"
        return response.json()

    def stream(self, topic, **options):
        """Opens a stream and waits until it hears."""
        return EventStream.of(self.port, topic, **options).wait_for_comment()

    def history(self, topic, limit=1000):
        """Every event of a topic or pattern, page by page."""
        events = []
        after = None
        while True:
            query = {"limit": limit} | ({"after": after} if after else {"since": "earliest"})
            response = self.get(events_path(topic), params=query)
            assert response.status_code == 200, f"{response.status_code}: {response.text}"
            page = response.json()
            events += page["events"]
            after = page["next"]
            if after is None:
                return events

    def register(self, url, *topics, **members):
        """Registers a webhook that must be taken, and returns it with its secret."""
        response = self.request("POST", "/observers", json={"topics": list(topics), "url": url, **members})
        assert response.status_code == 201, f"{response.status_code}: {response.text}"
        return response.json()

    def observer(self, id):
        response = self.get(f"/observers/{id}")
        assert response.status_code == 200, f"{response.status_code}: {response.text}"
        return response.json()

    def observers(self, **query):
        """Every observer, page by page."""
        observers = []
        while True:
            response = self.get("/observers", params=query)
            assert response.status_code == 200, f"{response.status_code}: {response.text}"
            page = response.json()
            observers += page["observers"]
            if page["next"] is None:
                return observers
            query = {**query, "cursor": page["next"]}

    def wait_for_observers(self, count, deadline=DEADLINE, **query):
        """Waits until there are exactly so many, and returns them."""
        def listed():
            observers = self.observers(**query)
            # A list of none is what may be waited for, too.
            return (observers,) if len(observers) == count else None

        return wait_until(listed, deadline, f"{count} observers")[0]


def events_path(topic):
    return f"/topics/{quote(topic, safe='')}/events"
