"""A proxy as clients of HTTP use one."""

import re
import select
import socket
import ssl
import time

from listener import Listener


class Proxy(Listener):
    """Tunnels for https, passes http on; remembers what it was asked for.

    :param authority: whose certificate it shows, if it is asked over TLS; then it also gathers what endpoints send, for 50 ms.
    """

    def __init__(self, allows=lambda target: True, refusal="403 Forbidden", authority=None):
        super().__init__()
        self._tls = None
        if authority is not None:
            self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._tls.load_cert_chain(authority.certificate, authority.key)
        self.asked = []
        self.allows = allows
        self.refusal = refusal

    def _serve(self, client):
        with self._tls.wrap_socket(client, server_side=True) if self._tls else client as client:
            head = b""
            while b"\r\n\r\n" not in head:
                received = client.recv(65536)
                if not received:
                    return
                head += received
            method, target = head.split(b" ")[:2]
            target = target.decode()
            self.asked.append((method.decode(), target, head.decode("latin-1")))
            if not self.allows(target):
                client.sendall(f"HTTP/1.1 {self.refusal}\r\nContent-Length: 0\r\n\r\n".encode())
                return
            host, port = re.search(r"([^/:]+):(\d+)", target.removeprefix("http://")).groups()
            # Names of the tests all lead to this machine.
            with socket.create_connection(("127.0.0.1", int(port))) as server:
                if method == b"CONNECT":
                    client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
                else:
                    server.sendall(head.replace(f"http://{host}:{port}".encode(), b"", 1))
                heard = None
                while True:
                    # What the endpoint has sent waits, and what is sent to it does not.
                    left = None if heard is None else max(heard + 0.05 - time.monotonic(), 0)
                    ready = select.select([client] if left else [client, server], [], [], left)[0]
                    if self._tls and server in ready and heard is None:
                        heard = time.monotonic()
                        continue
                    heard = None if server in ready else heard
                    for source in ready:
                        data = source.recv(65536)
                        if not data:
                            return
                        (server if source is client else client).sendall(data)
