"""A raw-socket fuzzer of HTTP/1.1: seeded, so that what it finds can be found again.

    python Tests/EndToEnd/http_fuzzer.py PORT [REQUESTS] [SEED]

sends that many requests to 127.0.0.1:PORT, most of them wrong in some way: in their syntax, framing, or size, in pieces,
pipelined, cut off, reset, or left unread. It counts the answers by status and tells of each that is the server's fault.
"""

import random
import re
import selectors
import socket
import struct
import sys
import time
from collections import Counter

TOPICS = [b"a", b"orders.created", b"orders.paid", b"x%2Fy", b"%C3%A9", b"a.b.c.d", b"clarion.observers", b"z" * 200]
PATHS = [b"/topics/%s/events", b"/topics/%s/events", b"/topics/%s/events", b"/topics/%s/events/abc-1", b"/topics/%s/value", b"/topics/%s", b"/topics/%s/observers", b"/topics",
         b"/events?topic=%s", b"/observers", b"/observers/nobody", b"/observers/nobody/deliveries", b"/observers/nobody/recover",
         b"/healthz", b"/readyz", b"/", b"/index.html", b"/../etc/passwd", b"/scripts/%s", b"/nothing/%s", b"*", b"http://a/topics/%s/events"]
QUERIES = [b"", b"", b"", b"?since=earliest", b"?since=10m", b"?since=99999999999d", b"?limit=1", b"?limit=-1", b"?limit=99999999999999999999",
           b"?type=a,b", b"?cursor=AAAA", b"?after=x-1", b"?key=k", b"?%", b"?a=%FF", b"?observer=me", b"?envelope=json",
           b"?envelope=cloudevents", b"?last=3", b"?last=0", b"?_=1", b"?topic=a&topic=b.**", b"?unknown=1"]
METHODS = [b"GET", b"GET", b"GET", b"POST", b"POST", b"POST", b"PUT", b"PATCH", b"DELETE", b"HEAD", b"OPTIONS", b"get", b"TRACE", b"CONNECT", b"X" * 40]
FIELDS = [b"Accept: text/event-stream", b"Accept: application/x-ndjson", b"Accept: */*;q=0.1, text/html;q=nan", b"Accept: " + b"a/b," * 50,
          b"Content-Type: application/json", b"Content-Type: application/cloudevents+json", b"Content-Type: application/cloudevents-batch+json",
          b"Content-Type: application/x-ndjson", b"Content-Type: text/plain; charset=\xff", b"ce-specversion: 1.0", b"ce-id: 1", b"ce-source: /a",
          b"ce-type: t", b"ce-%zz: %zz", b"Event-Type: created", b"Event-Type: " + b"t" * 200, b"Idempotency-Key: k", b"Idempotency-Key: \x80",
          b"If-Match: \"a,*,b\"", b"If-Match: *", b"If-None-Match: *", b"If-None-Match: \"x", b"Last-Event-ID: abc-1", b"Last-Event-ID: " + b"9" * 70,
          b"Origin: http://evil.example", b"Expect: 100-continue", b"Expect: a miracle", b"Cookie: a=b", b"Cookie: " + b";" * 500, b"Connection: close",
          b"Connection: Upgrade", b"Upgrade: h2c", b"Range: bytes=0-1", b"traceparent: 00-" + b"a" * 52, b"Request-Id: me", b"X: " + b"v" * 300,
          b"Transfer-Encoding: identity", b"Content-Length: 3", b"Host: b", b"Accept-Encoding: gzip", b"Content-Encoding: gzip"]
BODIES = [b"", b"hello", b"{}", b"[]", b"{\"topics\": [\"a\"]}", b"{\"topics\": 1, \"url\": \"http://127.0.0.1:1/\"}", b"{\"a\":" * 40 + b"1" + b"}" * 40,
          b"[{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"/a\",\"type\":\"t\",\"data\":1}]", b"1\n2\n{", b"\xff\xfe\x00", b"\r\n" * 20,
          b"{\"retention\": {\"events\": 1}}", b"{\"retention\": {\"age\": \"99999999999d\"}}", b"{\"since\": \"earliest\"}", b"1e400", b"\"\\ud800\"",
          b"x" * 3000]
#: After these the hub closes the connection, and what is pipelined behind them is not looked at.
LAST = (b"Transfer-Encoding", b"Content-Length", b"Host", b"Connection", b"Expect")
JUNK = [b"\0", b"\r", b"\n", b"\r\n", b" ", b"\t", b":", b"%", b"\x7f", b"\xff", b"?", b"#", b"/", b"\r\n ", b"\r\n\r\n", b"HTTP/1.1", b"0", b"a" * 5000]


class Generator:
    """Makes what one connection sends."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def request(self, is_whole):
        """One request; if it is to be whole, its head can be read, whatever it asks for."""
        rng = self.random
        path = rng.choice(PATHS)
        target = (path % rng.choice(TOPICS) if b"%s" in path else path) + (rng.choice(QUERIES) if rng.random() < 0.4 else b"")
        body = rng.choice(BODIES) if rng.random() < 0.6 else b""
        fields = [rng.choice(FIELDS) for _ in range(rng.choice((0, 1, 1, 2, 3, 8)))]
        if is_whole:
            fields = [field for field in fields if not field.startswith(LAST)]
        if rng.random() < 0.02:
            # At and around what fits the connection's memory.
            fields.append(b"X-Fill: " + b"f" * rng.randrange(5500, 8300))
        if rng.random() < 0.01:
            fields += [b"f:"] * rng.randrange(60, 120)
        host = b"Host: localhost" if is_whole else rng.choice((b"Host: localhost",) * 20 + (b"Host: 127.0.0.1:8080", b"Host:", b"Host: a b", b"host:localhost", b""))
        framing = rng.random()
        if framing < 0.12 and not is_whole:
            fields.append(b"Transfer-Encoding: chunked")
            body = self.chunks(body)
        elif body or rng.random() < 0.3:
            fields.append(b"Content-Length: %d" % (len(body) if framing < 0.95 or is_whole else rng.randrange(0, 5000)))
        rng.shuffle(fields)
        version = b"HTTP/1.1" if is_whole or rng.random() < 0.95 else rng.choice((b"HTTP/1.0", b"HTTP/2.0", b"HTTP/1.2", b"http/1.1", b""))
        lines = [rng.choice(METHODS) + b" " + target + b" " + version, *([host] if host else []), *fields]
        return b"\r\n".join(lines) + b"\r\n\r\n" + body

    def chunks(self, body):
        rng = self.random
        data = b""
        while body:
            size = rng.randrange(1, len(body) + 1)
            extension = rng.choice((b"",) * 8 + (b";a=b", b";" + b"e" * 300, b" ;x", b";\"a\\\""))
            data += b"%x%s\r\n" % (size, extension) + body[:size] + b"\r\n"
            body = body[size:]
        return data + b"0\r\n" + rng.choice((b"",) * 6 + (b"X: y\r\n", b"Content-Length: 5\r\n")) + b"\r\n"

    def connection(self):
        """What to send, how many requests that is, where to cut it into pieces, and how to part."""
        rng = self.random
        is_whole = rng.random() < 0.6
        # Behind one that is not whole nothing more is looked at.
        count = rng.choice((1, 2, 4, 8, 16, 32) if is_whole else (1, 1, 1, 2, 4))
        requests = [self.request(is_whole) for _ in range(count)]
        data = bytearray(b"".join(requests))
        if not is_whole and rng.random() < 0.7:
            for _ in range(rng.choice((1, 1, 1, 2, 5))):
                place = rng.randrange(len(data) + 1)
                change = rng.random()
                if change < 0.5:
                    data[place:place] = rng.choice(JUNK)
                elif change < 0.75:
                    del data[place:place + rng.choice((1, 1, 2, 10, 100))]
                elif place < len(data):
                    data[place] = rng.randrange(256)
        if rng.random() < 0.05:
            del data[rng.randrange(len(data) + 1):]
        cuts = sorted(rng.randrange(len(data) + 1) for _ in range(rng.choice((0, 0, 0, 1, 3))))
        pieces = [bytes(data[a:b]) for a, b in zip([0, *cuts], [*cuts, len(data)]) if a < b]
        return pieces, count, rng.choice(("read", "read", "read", "half-close", "close", "reset", "unread"))


class Fuzzer:
    """Sends what a generator makes over several connections at once."""

    #: How long a connection is listened to without anything coming, in seconds.
    PATIENCE = 0.02
    WIDTH = 48
    #: The head of an answer, not what was posted and is given back.
    ANSWER = re.compile(rb"HTTP/1\.1 ([0-9]{3}) [A-Za-z ]*\r\n(?:Date|Server|Connection)")

    def __init__(self, port, seed=1):
        self.port = port
        self.generator = Generator(seed)
        self.statuses = Counter()
        #: Pieces of what was sent before each answer that should not have been.
        self.faults = []
        self.sent = 0

    def run(self, requests):
        """Sends at least that many requests."""
        selector = selectors.DefaultSelector()
        open_connections = set()
        while self.sent < requests or open_connections:
            while self.sent < requests and len(open_connections) < self.WIDTH:
                open_connections.add(self._open(selector))
            for key, events in selector.select(self.PATIENCE / 2):
                key.data.step(events)
            now = time.monotonic()
            for connection in [c for c in open_connections if c.is_over(now)]:
                open_connections.discard(connection)
                connection.part(selector)
                self._judge(connection)
        return self

    def _open(self, selector):
        pieces, count, parting = self.generator.connection()
        self.sent += count
        return _Connection(selector, self.port, pieces, parting, self.PATIENCE)

    def _judge(self, connection):
        for status in self.ANSWER.findall(bytes(connection.received)):
            self.statuses[int(status)] += 1
            # 503 and 507 are a matter of load and room, 505 is what the version deserves.
            if status[:1] == b"5" and status not in (b"503", b"505", b"507"):
                self.faults.append((int(status), b"".join(connection.all_pieces)[:2000], bytes(connection.received)[:2000]))


class _Connection:
    def __init__(self, selector, port, pieces, parting, patience):
        self.all_pieces = pieces
        self.pieces = list(pieces)
        self.parting = parting
        self.received = bytearray()
        self.patience = patience
        self.moved = time.monotonic()
        self.ended = False
        self.socket = socket.socket()
        self.socket.setblocking(False)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.connect_ex(("127.0.0.1", port))
        self.selector = selector
        selector.register(self.socket, selectors.EVENT_READ | selectors.EVENT_WRITE, self)

    def step(self, events):
        self.moved = time.monotonic()
        try:
            if events & selectors.EVENT_WRITE:
                if self.pieces:
                    sent = self.socket.send(self.pieces[0])
                    self.pieces[0] = self.pieces[0][sent:]
                    if not self.pieces[0]:
                        self.pieces.pop(0)
                if not self.pieces:
                    self.selector.modify(self.socket, selectors.EVENT_READ, self)
                    if self.parting == "half-close":
                        self.socket.shutdown(socket.SHUT_WR)
                    if self.parting in ("close", "reset"):
                        self.ended = True
            if events & selectors.EVENT_READ and self.parting != "unread":
                piece = self.socket.recv(65_536)
                self.received += piece
                self.ended = self.ended or not piece
            elif events & selectors.EVENT_READ and not events & selectors.EVENT_WRITE:
                # Left unread: looked at no more, until it has had its time.
                self.selector.modify(self.socket, selectors.EVENT_WRITE, self)
                self.moved = 0 if not self.pieces else self.moved
        except BlockingIOError:
            pass
        except OSError:
            self.ended = True

    def is_over(self, now):
        return self.ended or now - self.moved > self.patience

    def part(self, selector):
        selector.unregister(self.socket)
        if self.parting == "reset":
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


if __name__ == "__main__":
    port, requests, seed = (int(argument) for argument in (sys.argv[1:] + ["100000", "1"][len(sys.argv) - 2:]))
    fuzzer = Fuzzer(port, seed).run(requests)
    print(f"{fuzzer.sent} requests:", dict(sorted(fuzzer.statuses.items())))
    for status, sent, received in fuzzer.faults[:20]:
        print(status, sent, "->", received)
    sys.exit(bool(fuzzer.faults))
