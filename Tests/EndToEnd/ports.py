"""Ports for what must know its own before it listens."""

import random
import socket

#: Those that were given out, which nobody may listen on yet.
_given = set()


def free_port():
    """A port that the system gives to nobody by itself until somebody listens on it: those of clients begin at 32,768."""
    while True:
        port = random.randrange(20_000, 32_000)
        if port in _given:
            continue
        try:
            socket.create_server(("", port)).close()
        except OSError:
            continue
        _given.add(port)
        return port
