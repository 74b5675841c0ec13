"""Fixed works. Each ends when all of it has arrived, so that how much there is of it does not hang on who was faster."""

import contextlib
import json
import time

from wire import Wire

DATA = b"0123456789" * 10


class Work:
    """A context manager that prepares the work at a hub; `perform` does one round of it."""

    name = ""
    title = ""
    units = 0  # of one round

    def __init__(self, hub, receiver):
        self.wire = Wire(hub.port)
        self.hub = hub
        self.receiver = receiver
        self.stack = contextlib.ExitStack()

    def __enter__(self):
        self.stack.enter_context(self.wire)
        self.prepare()
        return self

    def __exit__(self, *_):
        self.stack.close()

    def prepare(self):
        pass

    def perform(self):
        raise NotImplementedError

    def after(self):
        """What a next round needs, and is not counted."""

    def listeners(self, count, topic):
        wires = []
        for _ in range(count):
            wires.append(self.stack.enter_context(Wire(self.hub.port)))
            wires[-1].listen(topic)
        return wires


class Post(Work):
    name = "post"
    title = "a post, one at a time, nobody listens"
    units = 50

    def perform(self):
        for _ in range(self.units):
            self.wire.request("POST", "/topics/post/events", DATA)


class PostsAtOnce(Work):
    name = "posts-at-once"
    title = "a post, 16 connections at once, nobody listens"
    rounds, connections = 10, 16
    units = rounds * connections

    def prepare(self):
        self.wires = [self.stack.enter_context(Wire(self.hub.port)) for _ in range(self.connections)]

    def perform(self):
        for _ in range(self.rounds):
            for wire in self.wires:
                wire.send("POST", "/topics/post/events", DATA)
            for wire in self.wires:
                wire.answer()


class Delivery(Work):
    name = "delivery"
    title = "a delivery to a stream: one post at a time to 50"
    posts, streams = 10, 50
    units = posts * streams

    def prepare(self):
        self.streams_open = self.listeners(self.streams, "delivery")

    def perform(self):
        for _ in range(self.posts):
            self.wire.request("POST", "/topics/delivery/events", DATA)
            for stream in self.streams_open:
                stream.wait_for(DATA)


class GatheredDelivery(Work):
    name = "gathered-delivery"
    title = "a delivery to a stream: 200 events in one post to 50"
    posts, streams = 200, 50
    units = posts * streams

    def prepare(self):
        self.streams_open = self.listeners(self.streams, "gathered")
        self.body = (json.dumps(DATA.decode()) + "\n").encode() * self.posts

    def perform(self):
        self.wire.request("POST", "/topics/gathered/events", self.body, "application/x-ndjson")
        for stream in self.streams_open:
            stream.wait_for(DATA, self.posts)


class WebhookDelivery(Work):
    """The events wait while the webhook is paused; they are posted outside what is counted."""

    name = "webhook-delivery"
    title = "a delivery to a webhook: 100 of 1 KB that wait"
    units = 100

    def prepare(self):
        settings = {"topics": ["webhook"], "url": self.receiver.url, "maxInFlight": 64, "enabled": False}
        self.path = "/observers/" + self.wire.change("POST", "/observers", settings)["id"]
        self.body = (json.dumps("x" * 1022) + "\n").encode() * self.units
        self.expected = 0
        self.gather()

    def gather(self):
        self.wire.request("POST", "/topics/webhook/events", self.body, "application/x-ndjson")
        self.expected += self.units

    def perform(self):
        self.wire.change("PATCH", self.path, {"enabled": True})
        deadline = time.monotonic() + 60
        while next(iter(self.receiver.counts())) < self.expected:
            if time.monotonic() > deadline:
                raise SystemExit(f"a webhook was not delivered\n{self.hub.output()}")
            time.sleep(0.005)

    def after(self):
        self.wire.change("PATCH", self.path, {"enabled": False})
        self.gather()


WORKS = [Post, PostsAtOnce, Delivery, GatheredDelivery, WebhookDelivery]
