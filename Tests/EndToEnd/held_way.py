"""A way to a server on which what comes from there can be held back."""

import socket
import threading

from listener import Listener


class HeldWay(Listener):
    """Passes connections on to a port. What comes back is held from the bytes ``mark`` on, on the connection they come by, until
    ``let_go()``; ``is_asked`` is set when something with the bytes ``question`` has gone there."""

    def __init__(self, port, mark, question):
        super().__init__()
        self._target = ("127.0.0.1", port)
        self._mark = mark
        self._question = question
        self._gone_on = threading.Event()
        self.is_held = threading.Event()
        self.is_asked = threading.Event()
        self._ends = []

    def __exit__(self, *_):
        super().__exit__()
        self.let_go()
        for end in self._ends:
            end.close()

    def let_go(self):
        self._gone_on.set()

    def _serve(self, here):
        there = socket.create_connection(self._target)
        self._ends += [here, there]
        threading.Thread(target=self._pass, args=(here, there), kwargs={"after": self._ask}, daemon=True).start()
        self._pass(there, here, before=self._hold)

    def _ask(self, data):
        if self._question in data:
            self.is_asked.set()

    def _hold(self, data):
        if self._mark in data:
            self.is_held.set()
            self._gone_on.wait()

    @staticmethod
    def _pass(source, destination, before=lambda data: None, after=lambda data: None):
        try:
            while data := source.recv(65_536):
                before(data)
                destination.sendall(data)
                after(data)
            destination.shutdown(socket.SHUT_WR)
        except OSError:
            pass
