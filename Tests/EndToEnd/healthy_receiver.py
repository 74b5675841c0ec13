"""An endpoint that answers at once, in a process of its own, and notes how long each event was on its way.

    python healthy_receiver.py

prints its port, and at the end of its standard input one line of JSON: the milliseconds from `time.monotonic()` in each
body to its arrival, by arrival. The clock is the same in all processes of a machine.
"""

import asyncio
import json
import sys
import time

latencies = []


class Endpoint(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport = transport
        self.buffer = b""

    def data_received(self, data):
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            head = self.buffer[:end].lower()
            at = head.index(b"content-length:") + 15
            length = int(head[at:].split(b"\r\n", 1)[0])
            if len(self.buffer) < end + 4 + length:
                return
            body = self.buffer[end + 4:end + 4 + length]
            self.buffer = self.buffer[end + 4 + length:]
            latencies.append((time.monotonic() - float(body)) * 1000)
            self.transport.write(b"HTTP/1.1 204 No Content\r\n\r\n")


async def main():
    server = await asyncio.get_running_loop().create_server(Endpoint, "127.0.0.1", 0, backlog=128)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    print(json.dumps(latencies))


if __name__ == "__main__":
    asyncio.run(main())
