"""A webhook's endpoint over TLS, served by Hypercorn, which offers HTTP/2, too."""

import asyncio
import socket
import threading

from hypercorn.asyncio import serve
from hypercorn.config import Config

from waiting import wait_until
from webhook_receiver import Delivery

#: What was stopped in the middle, kept from complaining about that.
_abandoned = []


class SecureReceiver:
    """Answers 204 to everything, unless ``answer`` says otherwise: an async function of a delivery that returns a status,
    or a status and a body.

    :param keeps: for how many seconds it keeps a connection over which nothing comes.
    """

    def __init__(self, authority, answer=None, protocols=("h2", "http/1.1"), host="127.0.0.1", keeps=5):
        self.answer = answer
        self.deliveries = []
        #: The version of HTTP of each delivery, and the client's port, which tells connections apart.
        self.versions = []
        self.ports = []
        self.concurrent = 0
        self.most_concurrent = 0
        self._socket = socket.create_server((host, 0), backlog=128)
        self.host = host
        self.port = self._socket.getsockname()[1]
        self._config = Config()
        self._config.bind = [f"fd://{self._socket.fileno()}"]
        self._config.certfile = str(authority.certificate)
        self._config.keyfile = str(authority.key)
        self._config.alpn_protocols = list(protocols)
        self._config.keep_alive_timeout = keeps
        self._config.errorlog = None

    def __enter__(self):
        self._loop = asyncio.new_event_loop()
        self._task = self._loop.create_task(serve(self._app, self._config, shutdown_trigger=self._loop.create_future))
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        # Not in order: Hypercorn waits for clients that keep their connections.
        self._loop.call_soon_threadsafe(self._loop.stop)
        _abandoned.append(self._task)
        try:
            self._socket.close()
        except OSError:
            # Hypercorn took the descriptor over and has closed it.
            pass

    def url(self, path="/", host=None):
        return f"https://{host or self.host}:{self.port}{path}"

    def wait_for(self, count):
        return wait_until(lambda: self.deliveries if len(self.deliveries) >= count else None, what=f"delivery {count}")

    async def _app(self, scope, receive, send):
        if scope["type"] == "lifespan":
            while True:
                message = await receive()
                await send({"type": message["type"] + ".complete"})
                if message["type"] == "lifespan.shutdown":
                    return
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        headers = {name.decode().lower(): value.decode("latin-1") for name, value in scope["headers"]}
        delivery = Delivery(scope["method"], scope["path"], headers, body, self._loop.time())
        self.versions.append(scope["http_version"])
        self.ports.append(scope["client"][1])
        self.deliveries.append(delivery)
        self.concurrent += 1
        self.most_concurrent = max(self.most_concurrent, self.concurrent)
        try:
            answer = await self.answer(delivery) if self.answer else 204
        finally:
            self.concurrent -= 1
        status, content = (answer, b"") if isinstance(answer, int) else answer
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": content})
