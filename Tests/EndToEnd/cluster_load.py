"""Load for a cluster, and what its nodes made of it: posts, streams that follow from node to node, webhooks' endpoints.

Each part is a process of its own, so that none waits for another's turn of the interpreter, and hands over at its end what it saw."""

import asyncio
import multiprocessing
import random
import time
from array import array
from collections import Counter

#: After so many seconds a client gives an answer up.
PATIENCE = 5
#: The longest silence of a stream, which is sent a comment every 15 s.
SILENCE = 40


def position_of(id):
    """The place in the log that an id tells, as text or bytes: for these tests alone, ids are opaque."""
    return int(id[id.rindex(b"-" if isinstance(id, bytes) else "-") + 1:])


class Part:
    """A process that works until it is told to end, and then hands over what it saw."""

    def __init__(self, work, *arguments):
        context = multiprocessing.get_context("spawn")
        self._here, there = context.Pipe()
        self._process = context.Process(target=_serve, args=(there, work, arguments), daemon=True)
        self._process.start()
        there.close()
        #: What it has to say of its beginning.
        self.beginning = self._here.recv()

    def tell(self, word):
        self._here.send(word)

    def end(self):
        self._here.send("end")
        assert self._here.poll(60), "a part of the load does not end"
        seen = self._here.recv()
        self._process.join(10)
        return seen

    def kill(self):
        self._process.kill()


def _serve(pipe, work, arguments):
    asyncio.run(work(pipe, *arguments))


async def _words(pipe):
    """What the process is told, as it comes."""
    loop = asyncio.get_running_loop()
    queue = asyncio.Queue()
    loop.add_reader(pipe.fileno(), lambda: queue.put_nowait(pipe.recv()))
    while (word := await queue.get()) != "end":
        yield word
    loop.remove_reader(pipe.fileno())


# Posts

async def post(pipe, nodes, topics, rate, connections):
    """Posts so many events a second to topics in turn, by connections to all nodes in turn."""
    acknowledged, refused, times = [], Counter(), array("d")
    is_done = asyncio.Event()

    async def publish(number):
        # Every other one repeats a post under its key until a node has taken it; the rest never ask again.
        turn, node, line = 0, number, None
        is_repeating = number % 2 == 0
        due = time.monotonic() + random.random() * connections / rate
        while not is_done.is_set():
            text = f"{number}/{turn}"
            topic = topics[(number * 7 + turn) % len(topics)]
            turn += 1
            due = max(due + connections / rate, time.monotonic() - 1)
            await asyncio.sleep(max(due - time.monotonic(), 0))
            while not is_done.is_set():
                host, port = nodes[node % len(nodes)]
                key = f"Idempotency-Key: {text}\r\n" if is_repeating else ""
                began = time.monotonic()
                try:
                    async with asyncio.timeout(PATIENCE):
                        line = line or await asyncio.open_connection(host, port)
                        line[1].write((
                            f"POST /topics/{topic}/events HTTP/1.1\r\nHost: {host}\r\nContent-Type: text/plain\r\n{key}"
                            f"Content-Length: {len(text)}\r\n\r\n{text}").encode())
                        status, body = await _answer(line[0])
                except (OSError, asyncio.IncompleteReadError, TimeoutError) as error:
                    status, body = type(error).__name__, b""
                    if line:
                        line[1].transport.abort()
                    line = None
                if status in (200, 201):
                    now = time.monotonic()
                    times.extend((now, now - began))
                    acknowledged.append((position_of(body[7:body.index(b'"', 7)]), text))
                    break
                refused[status] += 1
                if status == 503 and time.monotonic() - began > 2:
                    refused["503 after more than 2 s"] += 1
                node += 1
                if line:
                    line[1].transport.abort()
                line = None
                await asyncio.sleep(0.02 + random.random() * 0.03)
                if not is_repeating:
                    break
        if line:
            line[1].transport.abort()

    tasks = [asyncio.create_task(publish(number)) for number in range(connections)]
    pipe.send(None)
    async for _ in _words(pipe):
        pass
    is_done.set()
    await asyncio.gather(*tasks)
    pipe.send({"acknowledged": acknowledged, "refused": refused, "times": times})


async def _answer(reader):
    head = await reader.readuntil(b"\r\n\r\n")
    at = head.index(b"Content-Length: ") + 16
    return int(head[9:12]), await reader.readexactly(int(head[at:head.index(b"\r", at)]))


# Streams

class _Stream(asyncio.Protocol):
    """One connection of a reader."""

    def __init__(self, reader, host):
        self.reader = reader
        self.host = host
        self.rest = b""
        self.is_open = False
        self.is_over = asyncio.Event()
        self.heard = time.monotonic()

    def connection_made(self, transport):
        self.transport = transport
        after = f"Last-Event-ID: {self.reader.last}\r\n" if self.reader.last else ""
        # Of HTTP/1.0, so that the body comes as it is.
        transport.write(
            f"GET /topics/{self.reader.topic}/events?since=earliest HTTP/1.0\r\nHost: {self.host}\r\n"
            f"Accept: text/event-stream\r\n{after}\r\n".encode())

    def data_received(self, data):
        self.heard = time.monotonic()
        blocks = (self.rest + data).replace(b"\r\n", b"\n").split(b"\n\n")
        self.rest = blocks.pop()
        for block in blocks:
            if not self.is_open:
                if not block.startswith(b"HTTP/1.1 200 "):
                    self.reader.refused[block[9:12].decode()] += 1
                    return self.transport.abort()
                self.is_open = True
                continue
            if b"event: gap" in block:
                self.reader.odd.append(block.decode())
            at = block.find(b"id: ")
            if at < 0:
                continue
            id = block[at + 4:block.index(b"\n", at)]
            self.reader.last = id.decode()
            self.reader.positions.append(position_of(id))

    def connection_lost(self, _):
        self.is_over.set()


class _Reader:
    """A stream with what its client remembers from one connection to the next."""

    def __init__(self, number, topic):
        self.number = number
        self.topic = topic
        self.last = None
        self.positions = array("q")
        self.odd = []
        self.refused = Counter()
        self.connections = 0

    async def follow(self, nodes, is_done):
        node = self.number
        while not is_done.is_set():
            host, port = nodes[node % len(nodes)]
            node += 1
            try:
                async with asyncio.timeout(PATIENCE):
                    transport, stream = await asyncio.get_running_loop().create_connection(
                        lambda: _Stream(self, host), host, port)
            except (OSError, TimeoutError):
                await asyncio.sleep(0.05)
                continue
            self.connections += 1
            # One in ten goes to another node every few seconds, for no reason.
            leave = time.monotonic() + (random.uniform(2, 8) if self.number % 10 == 0 else 1e9)
            while not stream.is_over.is_set() and not is_done.is_set():
                if time.monotonic() > min(leave, stream.heard + SILENCE):
                    transport.abort()
                try:
                    await asyncio.wait_for(stream.is_over.wait(), 0.5)
                except TimeoutError:
                    pass
            transport.abort()
            await asyncio.sleep(0.02 + random.random() * 0.1)


async def subscribe(pipe, nodes, topics, count):
    """Follows topics with so many streams, from the earliest event on."""
    readers = [_Reader(number, topics[number % len(topics)]) for number in range(count)]
    is_done = asyncio.Event()
    tasks = [asyncio.create_task(reader.follow(nodes, is_done)) for reader in readers]
    pipe.send(None)
    async for _ in _words(pipe):
        # How far they are.
        pipe.send([reader.positions[-1] if reader.positions else 0 for reader in readers])
    is_done.set()
    await asyncio.gather(*tasks)
    pipe.send([
        {"topic": reader.topic, "positions": reader.positions, "odd": reader.odd, "connections": reader.connections,
         "refused": reader.refused} for reader in readers])


# Webhooks

class _Endpoint(asyncio.Protocol):
    """A connection on which deliveries come. The path tells of which webhook."""

    def __init__(self, attempts, behaviours):
        self.attempts = attempts
        self.behaviours = behaviours
        self.rest = b""
        self.under_way = None

    def connection_made(self, transport):
        self.transport = transport
        self.node = transport.get_extra_info("peername")[0]

    def data_received(self, data):
        self.rest += data
        end = self.rest.find(b"\r\n\r\n")
        if end < 0:
            return
        head = self.rest[:end].decode("latin-1")
        fields = {name.lower(): value for name, value in (line.split(": ", 1) for line in head.split("\r\n")[1:])}
        size = end + 4 + int(fields["content-length"])
        if len(self.rest) < size:
            return
        self.rest = self.rest[size:]
        hook = int(head.split(" ", 2)[1][1:])
        delay, failing = self.behaviours[hook]
        status = 500 if random.random() < failing else 204
        #: Hook, node, beginning, end, position, status.
        self.under_way = [hook, self.node, time.monotonic(), None, position_of(fields["webhook-id"]), status]
        self.attempts.append(self.under_way)
        asyncio.get_running_loop().call_later(delay * random.random(), self.answer, status)

    def answer(self, status):
        if self.under_way[3] is None:
            self.under_way[3] = time.monotonic()
        length = "" if status == 204 else "Content-Length: 0\r\n"
        self.transport.write(f"HTTP/1.1 {status} x\r\n{length}\r\n".encode())

    def connection_lost(self, _):
        if self.under_way and self.under_way[3] is None:
            self.under_way[3] = time.monotonic()
            # Nobody heard the answer.
            self.under_way[5] = 0


async def receive(pipe, host, behaviours):
    """Answers deliveries: of each webhook after at most so many seconds, and so often with 500."""
    attempts = []
    server = await asyncio.get_running_loop().create_server(lambda: _Endpoint(attempts, behaviours), host, 0)
    pipe.send(server.sockets[0].getsockname()[1])
    async for _ in _words(pipe):
        # Who made the last one.
        pipe.send(attempts[-1][1] if attempts else None)
    server.close()
    pipe.send(attempts)
