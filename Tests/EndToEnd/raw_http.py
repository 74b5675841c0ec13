"""HTTP byte by byte, for what well-behaved clients do not send."""

import json
import socket
from dataclasses import dataclass

from waiting import DEADLINE


@dataclass
class RawResponse:
    status: int
    #: By lower-case name; of a name that comes more than once, the last.
    headers: dict
    body: bytes

    def json(self):
        return json.loads(self.body)


class RawConnection:
    """One connection to the hub."""

    def __init__(self, port, timeout=DEADLINE, host="127.0.0.1", secure=None, gathers=False, source=""):
        self.socket = socket.create_connection((host, port), timeout=timeout, source_address=(source, 0))
        if not gathers:
            # Otherwise small pieces wait for the acknowledgement of what was sent before (Nagle's algorithm).
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if secure is not None:
            # A context of TLS, without which it is plain HTTP.
            self.socket = secure.wrap_socket(self.socket, server_hostname=host)
        self._received = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def send(self, data):
        """Sends what the server still takes: one that has answered an oversized request may have closed already."""
        try:
            self.socket.sendall(data)
            return True
        except (BrokenPipeError, ConnectionResetError):
            return False

    def receive(self, body_follows=True):
        """The next response, also a 100; None if the server closed instead."""
        while b"\r\n\r\n" not in self._received:
            if not self._more():
                return None
        head, _, self._received = self._received.partition(b"\r\n\r\n")
        status_line, *lines = head.decode("latin-1").split("\r\n")
        headers = {}
        for line in lines:
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        status = int(status_line.split(" ")[1])
        body = b""
        if body_follows and status >= 200 and status not in (204, 304):
            if "content-length" in headers:
                length = int(headers["content-length"])
                while len(self._received) < length and self._more():
                    pass
                body, self._received = self._received[:length], self._received[length:]
            elif headers.get("transfer-encoding") == "chunked":
                body = self._chunks()
            else:
                while self._more():
                    pass
                body, self._received = self._received, b""
        return RawResponse(status, headers, body)

    def _chunks(self):
        """A chunked body (RFC 9112 section 7.1); fails if it ends without its last chunk."""
        body = bytearray()
        while True:
            while b"\r\n" not in self._received:
                assert self._more(), "the body ended in the middle"
            line, _, self._received = self._received.partition(b"\r\n")
            size = int(line, 16)
            pieces = [self._received]
            left = size + 2 - len(self._received)
            while left > 0:
                self._received = b""
                assert self._more(), "the body ended in the middle"
                pieces.append(self._received)
                left -= len(self._received)
            received = b"".join(pieces)
            assert received[size:size + 2] == b"\r\n"
            body += received[:size]
            self._received = received[size + 2:]
            if size == 0:
                return bytes(body)

    def is_closed(self):
        """Waits for the server to close, and tells whether it did without sending anything more."""
        return not self._received and not self._more()

    def finish_sending(self):
        self.socket.shutdown(socket.SHUT_WR)

    def close(self):
        self.socket.close()

    def _more(self):
        try:
            piece = self.socket.recv(65536)
        except ConnectionResetError:
            return False
        self._received += piece
        return bool(piece)


def exchange(port, data, timeout=DEADLINE):
    """Sends bytes on a connection of their own and returns the first response that is not a 100, or None."""
    with RawConnection(port, timeout) as connection:
        connection.send(data)
        response = connection.receive()
        while response is not None and response.status == 100:
            response = connection.receive()
        return response


def request(method, target, headers=None, body=b"", version="HTTP/1.1"):
    """The bytes of a request; its length is added unless the headers tell it."""
    fields = {"Host": "localhost", **(headers or {})}
    names = {name.lower() for name in fields}
    if body and not names & {"content-length", "transfer-encoding"}:
        fields["Content-Length"] = str(len(body))
    head = f"{method} {target} {version}\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return head.encode("latin-1") + b"\r\n" + body
