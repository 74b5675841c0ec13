"""nginx, Caddy and HAProxy, configured as docs/behind-a-proxy.md shows."""

import os
import re
import shutil
import socket
import ssl
import subprocess

import pytest

from hub_process import REPOSITORY
from waiting import DEADLINE, wait_until

NAMES = ["nginx", "caddy", "haproxy"]
PAGE = REPOSITORY / "docs/behind-a-proxy.md"

#: What the document leaves to a machine's own files, and what keeps several of them apart on one machine.
AROUND = {
    "nginx": """
{user}
daemon off;
worker_processes 1;
pid {folder}/pid;
error_log {folder}/log warn;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
{documented}
}}
""",
    "caddy": """
{{
    admin off
    auto_https disable_redirects
}}
{documented}
""",
    "haproxy": "{documented}\n",
}


def documented(name):
    """The blocks of the document that are of one proxy."""
    language = "caddyfile" if name == "caddy" else name
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(), re.DOTALL)


def put_into(site, block, before):
    """A block put before the last line that begins so."""
    place = site.rindex(before)
    return site[:place] + block + site[place:]


def configuration(name):
    """The document's site, with a second hub under a path. The second hub listens at the port 8081."""
    site, *under_a_path = documented(name)
    below = [block.replace("8080", "8081") for block in under_a_path]
    if name == "nginx":
        upstream = re.search(r"upstream clarion \{.*?\n\}\n", site, re.DOTALL)[0].replace("8080", "8081")
        second = "clarion-under-a-path"
        uris, location = below
        location = location.replace("http://clarion$", f"http://{second}$")
        return upstream.replace("upstream clarion", f"upstream {second}") + uris + put_into(site, location, "}")
    if name == "caddy":
        return put_into(site, below[0], "}")
    frontend, backend = below
    return put_into(site, frontend, "    default_backend") + backend


class DocumentedProxy:
    """One proxy before two hubs, at an `https` port of its own; the second hub is under `/clarion/`."""

    def __init__(self, name, authority, folder, port, hub_port, second_port):
        executable = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin")
        if executable is None:
            pytest.skip(f"needs the package {name}")
        folder.mkdir()
        self.name = name
        self.port = port
        self.authority = authority
        self.url = f"https://localhost:{port}"
        (folder / "both.pem").write_bytes(authority.certificate.read_bytes() + authority.key.read_bytes())
        text = configuration(name)
        for shown, used in {
            "/etc/ssl/certs/hub.example.pem": str(authority.certificate),
            "/etc/ssl/private/hub.example.key": str(authority.key),
            "/etc/ssl/private/hub.example.pem": str(folder / "both.pem"),
            "hub.example {": f"localhost:{port} {{", "server_name hub.example;": "server_name localhost;",
            "listen 443": f"listen {port}", "bind :443": f"bind :{port}",
            "127.0.0.1:8080": f"127.0.0.1:{hub_port}", "127.0.0.1:8081": f"127.0.0.1:{second_port}",
        }.items():
            text = text.replace(shown, used)
        # A hub's own port may begin so.
        assert "hub.example" not in text and not re.search(r":443\b", text), text
        file = folder / "configuration"
        # Otherwise the worker of a master that runs as root cannot enter the folder.
        user = "user root;" if os.geteuid() == 0 else ""
        file.write_text(AROUND[name].format(folder=folder, documented=text, user=user))
        arguments = {
            "nginx": ["-p", str(folder), "-e", str(folder / "log"), "-c", str(file)],
            "caddy": ["run", "--config", str(file), "--adapter", "caddyfile"],
            "haproxy": ["-db", "-f", str(file)],
        }[name]
        self._output = folder / "output"
        with open(self._output, "wb") as output:
            self._process = subprocess.Popen(
                [executable, *arguments], stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                env={**os.environ, "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)})
        wait_until(self._answers, what=name)

    def _answers(self):
        assert self._process.poll() is None, self._output.read_text()
        context = ssl.create_default_context(cafile=self.authority.file)
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as line:
                context.wrap_socket(line, server_hostname="localhost").close()
            return True
        except OSError:
            return False

    def stop(self):
        self._process.terminate()
        self._process.wait(DEADLINE)
