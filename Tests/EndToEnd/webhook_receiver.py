"""The other end of a webhook: a small HTTP server that remembers what it was sent."""

import socket
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from waiting import DEADLINE, wait_until


@dataclass
class Delivery:
    """One request that arrived."""

    method: str
    path: str
    #: By lower-case name.
    headers: dict
    body: bytes
    #: ``time.monotonic()`` of its arrival.
    time: float

    @property
    def id(self):
        return self.headers["webhook-id"]

    @property
    def attempt(self):
        return int(self.headers["clarion-attempt"])


class WebhookReceiver:
    """Answers 204 to everything, unless ``answer`` says otherwise.

    ``answer(delivery)`` returns a status, or ``(status, headers)``, or ``(status, headers, body)``. It runs on the
    connection's own thread and may block: an endpoint that hangs.
    """

    def __init__(self, answer=None, host="127.0.0.1"):
        self.answer = answer or (lambda delivery: 204)
        self.host = host
        self.port = 0
        self._lock = threading.Lock()
        self._deliveries = []
        self._connections = set()
        self._accepted = 0
        self._server = None
        self._kept = None

    def __enter__(self):
        return self if self._server else self.start()

    def __exit__(self, *_):
        self.stop()

    def start(self):
        """Listens, the second time at the same port as the first."""
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Without, each answer waits for the peer's delayed acknowledgement of the head.
            disable_nagle_algorithm = True

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                delivery = Delivery(
                    self.command, self.path, {name.lower(): value for name, value in self.headers.items()}, body,
                    time.monotonic())
                with receiver._lock:
                    receiver._deliveries.append(delivery)
                answer = receiver.answer(delivery)
                status, headers, content = (answer, {}, b"") if isinstance(answer, int) else (*answer, b"")[:3]
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                if status != 204:
                    self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_PUT = do_DELETE = do_OPTIONS = do_POST

            def log_message(self, *_):
                pass

        class Server(ThreadingHTTPServer):
            address_family = socket.AF_INET6 if ":" in receiver.host else socket.AF_INET
            request_queue_size = 128

            def get_request(self):
                connection, address = super().get_request()
                with receiver._lock:
                    receiver._connections.add(connection)
                    receiver._accepted += 1
                return connection, address

            def shutdown_request(self, connection):
                with receiver._lock:
                    receiver._connections.discard(connection)
                super().shutdown_request(connection)

            def handle_error(self, *_):
                # The hub was killed or the receiver stopped in the middle of an exchange.
                pass

        self._server = Server((self.host, self.port), Handler)
        if self._kept:
            self._kept.close()
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def stop(self):
        """Stops listening and cuts the connections that clients keep."""
        server, self._server = self._server, None
        if server is None:
            return
        server.shutdown()
        server.socket.close()
        # The port stays this one's, and whoever dials it is refused.
        self._kept = socket.socket(server.address_family)
        self._kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._kept.bind((self.host, self.port))
        except OSError:
            pass
        with self._lock:
            for connection in self._connections:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
            self._connections.clear()

    def url(self, path="/", host=None):
        host = host or (f"[{self.host}]" if ":" in self.host else self.host)
        return f"http://{host}:{self.port}{path}"

    @property
    def accepted(self):
        """How many connections were ever made."""
        with self._lock:
            return self._accepted

    @property
    def deliveries(self):
        with self._lock:
            return list(self._deliveries)

    def to(self, path):
        """What arrived at one path."""
        return [delivery for delivery in self.deliveries if delivery.path == path]

    def wait_for(self, count, path=None, deadline=DEADLINE):
        """Waits until at least so many requests have arrived, and returns them."""
        def arrived():
            deliveries = self.deliveries if path is None else self.to(path)
            return deliveries if len(deliveries) >= count else None

        return wait_until(arrived, deadline, f"delivery {count} to {path or 'the receiver'}")
