"""A hub in memory on Starlette and sse-starlette, with the routes that the load generator uses. One process: it shares nothing."""

import asyncio
import collections

from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route


class Outbox:
    """What waits for one stream. Frames that come while it is busy are gathered into one piece."""

    def __init__(self):
        self.frames = []
        self.arrival = asyncio.Event()

    def append(self, frame):
        self.frames.append(frame)
        self.arrival.set()

    async def gathered(self):
        await self.arrival.wait()
        self.arrival.clear()
        frames, self.frames = self.frames, []
        return b"".join(frames)


listeners = collections.defaultdict(set)
counts = {"events": 0, "streams": 0}


async def post(request):
    data = (await request.body()).decode()
    counts["events"] += 1
    frame = ServerSentEvent(data, id=str(counts["events"]), sep="\n").encode()  # once for all streams
    for outbox in listeners[request.path_params["topic"]]:
        outbox.append(frame)
    return Response(f'{{"id":"{counts["events"]}"}}', 201, media_type="application/json")


async def stream(outbox, topic):
    listeners[topic].add(outbox)
    counts["streams"] += 1
    try:
        yield b":\n\n"
        while True:
            yield await outbox.gathered()
    finally:
        listeners[topic].discard(outbox)
        counts["streams"] -= 1


async def listen(request):
    return EventSourceResponse(stream(Outbox(), request.path_params["topic"]))


async def streams(_):
    return PlainTextResponse(f"\nstreams {counts['streams']}\n")


app = Starlette(
    routes=[
        Route("/topics/{topic}/events", post, methods=["POST"]),
        Route("/topics/{topic}/events", listen, methods=["GET"]),
        Route("/streams", streams),
    ]
)
