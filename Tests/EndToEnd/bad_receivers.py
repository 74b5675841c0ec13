"""Endpoints that fail in eight ways, in a process of their own, so that they take nothing from who measures.

    python bad_receivers.py

prints the port of each as JSON, and serves until its standard input ends.
"""

import asyncio
import json
import sys

#: What each one does to a request, and the failure class by which its attempts are known.
KINDS = {
    "hang": "timeout", "reset": "connection-reset", "error": "status", "drip": "timeout", "gone": "status",
    "redirect": "status", "endless": "response-too-large", "tls": "tls-error"}

GIBIBYTE = 1 << 30


async def read_request(reader):
    head = await reader.readuntil(b"\r\n\r\n")
    for line in head.split(b"\r\n"):
        if line.lower().startswith(b"content-length:"):
            await reader.readexactly(int(line.split(b":")[1]))


async def misbehave(kind, reader, writer):
    if kind == "tls":
        # Not TLS at all.
        await reader.read(1)
        writer.write(b"SSH-2.0-OpenSSH_9.2\r\n")
        await writer.drain()
        return
    while True:
        await read_request(reader)
        match kind:
            case "hang":
                await reader.read()
                return
            case "reset":
                writer.transport.abort()
                return
            case "error":
                writer.write(b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 5\r\n\r\noops\n")
            case "drip":
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
                while True:
                    writer.write(b".")
                    await writer.drain()
                    await asyncio.sleep(1)
            case "gone":
                writer.write(b"HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n")
            case "redirect":
                writer.write(b"HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n")
            case "endless":
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % GIBIBYTE)
                for _ in range(GIBIBYTE // 65536):
                    writer.write(b"x" * 65536)
                    await writer.drain()
        await writer.drain()


def endpoint(kind):
    async def serve(reader, writer):
        try:
            await misbehave(kind, reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    return serve


async def main():
    servers = {kind: await asyncio.start_server(endpoint(kind), "127.0.0.1", 0, backlog=512) for kind in KINDS}
    print(json.dumps({kind: server.sockets[0].getsockname()[1] for kind, server in servers.items()}), flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
