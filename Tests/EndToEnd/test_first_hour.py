"""docs/first-hour.md, followed to the letter: at home, and on a server behind Caddy."""

import os
import re
import shlex
import shutil
import socket
import ssl
import subprocess

import pytest
import requests

from documented_commands import Bash, code_blocks
from hub_process import REPOSITORY
from ports import free_port
from waiting import DEADLINE, wait_until

GUIDE = (REPOSITORY / "docs/first-hour.md").read_text()

pytestmark = pytest.mark.skipif(
    not all(shutil.which(program) for program in ("node", "caddy", "openssl")),
    reason="this machine has no Node, Caddy or openssl: run `make test-dependencies`")


def part(number):
    """The commands of a numbered section."""
    return code_blocks(re.search(rf"^## {number}\. .*?(?=^## |\Z)", GUIDE, re.M | re.S)[0], "sh")


def listens(port, context=None):
    """Whether somebody does, and speaks TLS if there is a context."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1) as line:
            if context is not None:
                context.wrap_socket(line, server_hostname="localhost").close()
        return True
    except OSError:
        return False


def test_at_home(start_hub, tmp_path):
    [run] = part(1)
    hub = start_hub(*shlex.split(re.fullmatch(r"make run ARGS='(.*)'\n", run)[1]))
    port = free_port()
    bash = Bash(tmp_path, {"localhost:8080": f"127.0.0.1:{hub.port}", ":9000": f":{port}"}, PORT=str(port))
    bash.hub = hub
    try:
        for block in part(2) + part(3):
            bash.follow(block)
            if "node" in block:
                # Whoever reads the page is slower than the receiver is.
                wait_until(lambda: listens(port), what="the receiver")
            if "PUT" in block:
                bash.wait_for_text('orders.eu created {"total": 30}')
                wait_until(lambda: hub.observer("mailer")["stats"]["delivered"] == 1, what="the receiver's answer")
            if "kill" in block:
                waiting = wait_until(
                    lambda: [one for one in hub.get("/observers/mailer/deliveries?state=pending").json()["deliveries"]
                             if one["failure"] == "connection-refused"], what="a refused attempt")
                assert len(waiting) == 1
        bash.wait_for_text('orders.eu created {"total": 31}')
        hub.stop()
        # Who came late has missed nothing.
        assert [stream.communicate(timeout=DEADLINE)[0].count("event: created") for stream in bash.streams] == [3, 3]
    finally:
        bash.stop()


class Server:
    """The machine of the second half: its folders, names and services."""

    def __init__(self, start_hub, executable, folder):
        self._start_hub = start_hub
        self._folder = folder
        self._caddy = self.hub = None
        self.ports = {name: free_port() for name in ("hub.example.com", "app.example.com", "hub", "receiver")}
        for path in ("etc/caddy", "etc/clarion", "var/lib/clarion"):
            (folder / path).mkdir(parents=True)
        #: What Caddy makes its certificates with where no public name leads to it.
        self.authority = folder / "caddy/pki/authorities/local/root.crt"
        self.bash = Bash(folder, {
            "sudo ": "", "clarion token": f"{executable} token",
            "node receiver.mjs": f"node {REPOSITORY}/Examples/Receivers/receiver.mjs",
            "/etc/": f"{folder}/etc/", "/var/lib/": f"{folder}/var/lib/",
            "hub.example.com": f"localhost:{self.ports['hub.example.com']}",
            "app.example.com": f"localhost:{self.ports['app.example.com']}",
            "127.0.0.1:8080": f"127.0.0.1:{self.ports['hub']}", '"port": 8080': f'"port": {self.ports["hub"]}',
            "127.0.0.1:9000": f"127.0.0.1:{self.ports['receiver']}",
        }, PORT=str(self.ports["receiver"]), CURL_CA_BUNDLE=str(self.authority))

    def follow(self, block):
        for command in re.split(r"^(sudo systemctl restart \w+|sudo apt .*|make deb|scp .*)\n", block, flags=re.M):
            if command.startswith("sudo systemctl restart "):
                {"caddy": self._run_caddy, "clarion": self._run_hub}[command.split()[-1]]()
            elif command.strip() and command.split()[0] not in ("make", "scp") and not command.startswith("sudo apt"):
                self.bash.run(self.bash.replaced(command))

    def _run_caddy(self):
        file = self._folder / "etc/caddy/Caddyfile"
        # What keeps it apart from others on this machine, and its authority out of the machine's.
        file.write_text("{\n admin off\n auto_https disable_redirects\n skip_install_trust\n}\n" + file.read_text())
        with open(self._folder / "caddy.log", "wb") as log:
            self._caddy = subprocess.Popen(
                ["caddy", "run", "--config", file, "--adapter", "caddyfile"], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env={**os.environ, "XDG_DATA_HOME": str(self._folder), "XDG_CONFIG_HOME": str(self._folder)})
        wait_until(self.authority.exists, what="Caddy's authority")
        context = ssl.create_default_context(cafile=self.authority)
        for name in ("hub.example.com", "app.example.com"):
            wait_until(lambda: listens(self.ports[name], context), what=name)

    def _run_hub(self):
        """As the unit does; and the names lead to this machine, and Caddy's authority is its own."""
        unit = (REPOSITORY / "deploy/debian/clarion.service").read_text()
        options = shlex.split(self.bash.replaced(re.search(r"^ExecStart=\S+ serve (.*)$", unit, re.M)[1]))
        self.hub = self._start_hub(
            *options, "--allow-egress", "127.0.0.0/8", "--webhooks-ca-file", str(self.authority),
            environment={"CLARION_PORT": str(self.ports["hub"]), "CLARION_DATA": str(self._folder / "var/lib/clarion")})

    def stop(self):
        self.bash.stop()
        if self._caddy is not None:
            self._caddy.terminate()
            self._caddy.wait(DEADLINE)


@pytest.fixture
def server(start_hub, executable, tmp_path):
    server = Server(start_hub, executable, tmp_path)
    yield server
    server.stop()


def test_on_a_server(server):
    for block in part(4) + part(5):
        server.follow(block)
        if "node receiver" in block:
            wait_until(lambda: listens(server.ports["receiver"]), what="the receiver")
    # Verified, or it would not have been printed; and of the event that the shop has posted.
    server.bash.wait_for_text('orders.eu created {"total": 44}')
    server.bash.wait_for_text("clarion.test")
    assert '"status":204' in server.bash.said
    assert server.hub.get("/topics").status_code == 401
    # The shop may post on its topics, and nothing else.
    server.bash.run('printf "shop=%s=\\n" "$SHOP"')
    [key] = re.findall("shop=(.*)=", server.bash.said)
    shop = {"Authorization": f"Bearer {key}"}
    assert server.hub.get("/topics/orders.eu/events", headers=shop).status_code == 403
    url = f"https://localhost:{server.ports['hub.example.com']}"
    with requests.Session() as session:
        session.trust_env = False
        answer = session.post(f"{url}/topics/orders.eu/events", data=b"x", headers=shop, verify=str(server.authority))
    assert answer.status_code == 201 and answer.headers["Location"].startswith(f"{url}/topics/orders.eu/")
