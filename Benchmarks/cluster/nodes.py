"""Servers of NATS JetStream, and hubs that share a log on them."""

import contextlib
import shutil

from servers import Clarion, Server, Unavailable, free_port

PROGRAM = shutil.which("nats-server", path="/usr/sbin:/usr/bin:/usr/local/bin")


class NATSServer(Server):
    """One of a few that are one cluster. `port` is where it tells how it is; `clients` and `routes` are its other ports."""

    name = "nats-server"
    ready_path = "/healthz"

    def __init__(self, place, clients, routes):
        super().__init__()
        self.place, self.clients, self.routes = place, clients, routes

    def command(self):
        others = ", ".join(f'"nats://127.0.0.1:{port}"' for port in self.routes)
        together = f'cluster {{ name: bench, listen: "127.0.0.1:{self.routes[self.place]}", routes: [{others}] }}'
        path = self.folder / "nats.conf"
        path.write_text(f"""
            server_name: n{self.place}
            listen: "127.0.0.1:{self.clients[self.place]}"
            http: "127.0.0.1:{self.port}"
            max_payload: 8MB
            jetstream {{ store_dir: "{self.folder}/store" }}
            {together if len(self.routes) > 1 else ""}
        """)
        return [PROGRAM, "-c", path]

    def wait_until_ready(self):
        if len(self.routes) == 1:
            super().wait_until_ready()


class Node(Clarion):
    """A hub whose log is the servers'."""

    def __init__(self, log):
        super().__init__()
        self.log = log

    def command(self):
        return [
            self.executable, "serve", "--port", str(self.port), "--log", self.log, "--data", self.folder / "data",
            "--max-streams-per-client", "1000000", *self.options,
        ]  # fmt: skip


@contextlib.contextmanager
def cluster(servers, nodes):
    """So many servers, which keep the log on each of them, and so many hubs."""
    if PROGRAM is None:
        raise Unavailable("there is no nats-server: apt-get install nats-server")
    with contextlib.ExitStack() as stack:
        clients, routes = ([free_port() for _ in range(servers)] for _ in range(2))
        started = [stack.enter_context(NATSServer(place, clients, routes)) for place in range(servers)]
        for server in started:
            # Each is ready only when it has found the others.
            Server.wait_until_ready(server)
        addresses = ",".join(f"nats://127.0.0.1:{port}" for port in clients)
        log = f"{addresses}?name=bench&replicas={servers}"
        yield [stack.enter_context(Node(log)) for _ in range(nodes)]
