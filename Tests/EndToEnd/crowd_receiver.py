"""A crowd of endpoints behind one port, in a process of its own, so that it takes nothing from who measures.

    python crowd_receiver.py

prints its port. Each line of its standard input names what it does from then on: `answer` at once, `hang`, answer
`late` (after 14.9 s), `fail` at once, `alternate` between the first two for each endpoint; `silent` does not even finish
what TLS begins with. It serves until its standard input ends, and then prints how many requests came.
"""

import asyncio
import collections
import sys

ANSWER = b"HTTP/1.1 204 No Content\r\n\r\n"
FAILURE = b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n"

manner = "answer"
requests = 0
turns = collections.Counter()


async def serve(reader, writer):
    global requests
    try:
        if manner == "silent":
            await reader.read()
            return
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(int(line.split(b":")[1]) for line in head.lower().split(b"\r\n")
                          if line.startswith(b"content-length:"))
            await reader.readexactly(length)
            requests += 1
            path = head.split(b" ", 2)[1]
            turns[path] += 1
            if manner == "hang" or (manner == "alternate" and turns[path] % 2):
                await reader.read()
                return
            if manner == "late":
                # Just before the hub gives it up: that is how these endpoints are.
                await asyncio.sleep(14.9)
            writer.write(FAILURE if manner == "fail" else ANSWER)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


def listen(loop):
    global manner
    for line in sys.stdin:
        manner = line.strip()
        print(manner, flush=True)
    loop.call_soon_threadsafe(lambda: done.set())


async def main():
    global done
    done = asyncio.Event()
    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    loop = asyncio.get_running_loop()
    loop.run_in_executor(None, listen, loop)
    await done.wait()
    print(requests, flush=True)


if __name__ == "__main__":
    asyncio.run(main())
    # Not waiting for those that hang.
    sys.exit()
