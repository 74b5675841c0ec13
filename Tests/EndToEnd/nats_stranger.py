"""Somebody on the servers' bus who is no node: the text protocol of NATS over a plain socket."""

import json
import socket
import uuid


class NATSStranger:
    """Publishes whatever it likes, and hears what is sent to a subject."""

    def __init__(self, port):
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self._file = self._socket.makefile("rb")
        self._inbox = None
        assert self._file.readline().startswith(b"INFO")
        options = json.dumps({"verbose": False, "pedantic": False, "headers": True})
        self._socket.sendall(f"CONNECT {options}\r\n".encode())
        self.flush()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._file.close()
        self._socket.close()

    def publish(self, subject, data=b"", reply="", headers=None):
        if headers is not None:
            head = f"NATS/1.0\r\n{headers}\r\n\r\n".encode()
            self._socket.sendall(f"HPUB {subject} {reply} {len(head)} {len(head) + len(data)}\r\n".encode() + head + data + b"\r\n")
            return
        self._socket.sendall(f"PUB {subject} {reply} {len(data)}\r\n".encode() + data + b"\r\n")

    def subscribe(self, subject):
        self._socket.sendall(f"SUB {subject} 1\r\n".encode())
        self.flush()

    def ask(self, subject, document=None):
        """Asks in JSON, and returns what is answered."""
        if self._inbox is None:
            self._inbox = f"_INBOX.{uuid.uuid4().hex}"
            self.subscribe(self._inbox)
        self.publish(subject, b"" if document is None else json.dumps(document).encode(), reply=self._inbox)
        return json.loads(self.next()[2])

    def flush(self):
        """Waits until the server has everything."""
        self._socket.sendall(b"PING\r\n")
        while self._file.readline() != b"PONG\r\n":
            pass

    def next(self):
        """The next message: its subject, where to answer, its data."""
        while True:
            line = self._file.readline()
            if line == b"PING\r\n":
                self._socket.sendall(b"PONG\r\n")
            if line.startswith(b"MSG "):
                _, subject, _, *reply, size = line.decode().split()
                data = self._file.read(int(size) + 2)[:-2]
                return subject, "".join(reply), data
