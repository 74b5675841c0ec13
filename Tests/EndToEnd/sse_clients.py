"""Clients of server-sent events that others have written, each listening on a thread of its own."""

import functools
import json
import shutil
import subprocess
import threading
import time
from pathlib import Path

import httpx
import httpx_sse
import ld_eventsource
import ld_eventsource.config
import pytest
import requests
import requests_sse
import sseclient

from waiting import DEADLINE, wait_until

#: Seconds without a byte after which a client gives up: a test that waits in vain ends.
PATIENCE = 3 * DEADLINE


class Listener:
    """One client that listens until it is closed, and remembers everything that it takes for an event."""

    #: Whether the client connects again by itself when its stream ends.
    reconnects = False

    def __init__(self, url, last_event_id=None, types=()):
        self.url = url
        self.types = types
        self.failure = None
        #: ``(id, type, data, time.monotonic() of its coming)``
        self._heard = []
        self._lock = threading.Lock()
        self._is_closed = False
        self._thread = threading.Thread(target=self._run, args=(last_event_id,), daemon=True)
        self._thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._is_closed = True
        self.close()

    @property
    def is_over(self):
        """Whether the client has come to the end of its stream, and does not connect again."""
        return not self._thread.is_alive()

    @property
    def heard(self):
        with self._lock:
            return list(self._heard)

    def wait_for(self, count):
        """Waits until at least so many events have come, and returns all."""
        def came():
            assert self.failure is None, f"{self.failure!r} after {len(self.heard)} events"
            return self.heard if len(self.heard) >= count else None

        return wait_until(came, PATIENCE, f"event {count}")

    def _hear(self, id, type, data):
        with self._lock:
            self._heard.append((id, type, data, time.monotonic()))

    def _run(self, last_event_id):
        try:
            self.listen(last_event_id)
        except Exception as failure:
            # The end that a test makes is one too.
            if not self._is_closed:
                self.failure = failure


def _headers(last_event_id):
    return {"Last-Event-ID": last_event_id} if last_event_id else {}


class SSEClientPy(Listener):
    def listen(self, last_event_id):
        headers = {"Accept": "text/event-stream", **_headers(last_event_id)}
        with requests.get(self.url, headers=headers, stream=True, timeout=PATIENCE) as self.response:
            assert self.response.status_code == 200, self.response.text
            for event in sseclient.SSEClient(self.response).events():
                self._hear(event.id, event.event, event.data)

    def close(self):
        self.response.close()


class RequestsSSE(Listener):
    reconnects = True

    def listen(self, last_event_id):
        with requests_sse.EventSource(self.url, latest_event_id=last_event_id, timeout=PATIENCE) as self.source:
            for event in self.source:
                self._hear(event.last_event_id, event.type, event.data)

    def close(self):
        self.source.close()


class HTTPXSSE(Listener):
    def listen(self, last_event_id):
        with httpx.Client(timeout=PATIENCE, trust_env=False) as self.client:
            with httpx_sse.connect_sse(self.client, "GET", self.url, headers=_headers(last_event_id)) as source:
                for event in source.iter_sse():
                    self._hear(event.id, event.event, event.data)

    def close(self):
        self.client.close()


class LaunchDarkly(Listener):
    reconnects = True

    def listen(self, last_event_id):
        self.client = ld_eventsource.SSEClient(
            self.url, last_event_id=last_event_id, error_strategy=ld_eventsource.config.ErrorStrategy.always_continue())
        for event in self.client.events:
            self._hear(event.id, event.event, event.data)

    def close(self):
        self.client.close()


class NodeEventSource(Listener):
    """The `EventSource` of Node, which keeps to WHATWG HTML."""

    reconnects = True

    def listen(self, last_event_id):
        node = node_with_event_source()
        if node is None:
            pytest.skip("needs a Node with --experimental-eventsource, 20.18 or later")
        separator = "&" if "?" in self.url else "?"
        url = self.url + (f"{separator}last-event-id={last_event_id}" if last_event_id else "")
        script = Path(__file__).with_name("event_source.mjs")
        self.process = subprocess.Popen(
            [node, "--no-warnings", "--experimental-eventsource", str(script), url, *self.types], stdout=subprocess.PIPE,
            text=True)
        for line in self.process.stdout:
            event = json.loads(line)
            if "id" in event:
                self._hear(event["id"], event["type"], event["data"])

    def close(self):
        self.process.kill()
        self.process.wait()


@functools.cache
def node_with_event_source():
    """The path of a Node that has an `EventSource`; None if there is none."""
    node = shutil.which("node")
    known = node and subprocess.run([node, "--experimental-eventsource", "-e", ""], capture_output=True).returncode == 0
    return node if known else None


CLIENTS = {
    "sseclient-py": SSEClientPy,
    "requests-sse": RequestsSSE,
    "httpx-sse": HTTPXSSE,
    "launchdarkly-eventsource": LaunchDarkly,
    "node": NodeEventSource,
}
