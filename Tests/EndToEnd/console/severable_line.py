"""A TCP line to the hub that a test can cut, as a failing network would."""

from __future__ import annotations

import socket
import threading
from urllib.parse import urlsplit

from listener import Listener


class SeverableLine(Listener):
    """Passes bytes between its own port and the hub's until it is cut, and again once it is mended."""

    def __init__(self, target: str) -> None:
        super().__init__()
        parts = urlsplit(target)
        self._target = (parts.hostname, parts.port)
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._is_cut = False
        self.url = f"http://127.0.0.1:{self.port}"

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        self.cut()

    def cut(self) -> None:
        """Ends every connection, and every new one at once."""
        with self._lock:
            self._is_cut = True
            for end in self._open:
                hang_up(end)

    def mend(self) -> None:
        with self._lock:
            self._is_cut = False

    def _serve(self, near: socket.socket) -> None:
        with self._lock:
            if self._is_cut:
                near.close()
                return
            far = socket.create_connection(self._target)
            self._open |= {near, far}
        threading.Thread(target=self._pass, args=(far, near), daemon=True).start()
        self._pass(near, far)

    def _pass(self, source: socket.socket, sink: socket.socket) -> None:
        try:
            while data := source.recv(65_536):
                sink.sendall(data)
        except OSError:
            pass
        with self._lock:
            for end in (source, sink):
                hang_up(end)
            # Both directions of a pair end here, one after the other; the second closes.
            if source in self._open and sink in self._open:
                self._open -= {source, sink}
            else:
                source.close()
                sink.close()


def hang_up(end: socket.socket) -> None:
    try:
        end.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # The other side was quicker.
