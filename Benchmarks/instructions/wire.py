"""A blocking connection to the hub that reads until what it waits for has come."""

import json
import socket


class Wire:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.bytes = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def more(self):
        received = self.socket.recv(65536)
        if not received:
            raise SystemExit(f"the hub ended a connection after {self.bytes[-300:]}")
        self.bytes += received

    def wait_for(self, text, times=1):
        """Reads until `text` has come so many times; takes everything up to its last end, and returns it."""
        while self.bytes.count(text) < times:
            self.more()
        pieces = self.bytes.split(text, times)
        self.bytes = pieces.pop()
        return text.join(pieces) + text

    def send(self, method, path, body=b"", kind="text/plain"):
        fields = f"Host: localhost\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
        self.socket.sendall(f"{method} {path} HTTP/1.1\r\n{fields}\r\n".encode() + body)

    def answer(self):
        head = self.wait_for(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length:")[1].split()[0])
        while len(self.bytes) < length:
            self.more()
        body, self.bytes = self.bytes[:length], self.bytes[length:]
        if not head.startswith(b"HTTP/1.1 20"):
            raise SystemExit(f"the hub answered {head + body}")
        return body

    def request(self, method, path, body=b"", kind="text/plain"):
        self.send(method, path, body, kind)
        return self.answer()

    def change(self, method, path, value):
        return json.loads(self.request(method, path, json.dumps(value).encode(), "application/json"))

    def listen(self, topic):
        """Becomes a stream; the hub has it when this returns."""
        self.socket.sendall(f"GET /topics/{topic}/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n".encode())
        self.wait_for(b"\r\n\r\n")
        while not self.bytes:
            self.more()
        self.bytes = b""
