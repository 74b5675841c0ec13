"""A private nginx before a hub, configured as its documentation shows a proxy: buffering is left on."""

import os
import shutil
import socket
import subprocess

import pytest

from ports import free_port
from waiting import DEADLINE, wait_until

CONFIGURATION = """
{user}
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log warn;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://127.0.0.1:{hub};
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_set_header Host $http_host;
        }}
    }}
}}
"""


class NginxProxy:
    """One nginx, with a folder of its own, on a port of its own."""

    def __init__(self, hub_port, folder):
        executable = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
        if executable is None:
            pytest.skip("needs the package nginx")
        folder.mkdir()
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        # Otherwise the worker of a master that runs as root cannot enter the folder.
        user = "user root;" if os.geteuid() == 0 else ""
        configuration = folder / "nginx.conf"
        configuration.write_text(CONFIGURATION.format(user=user, folder=folder, port=self.port, hub=hub_port))
        self._log = folder / "error.log"
        self._process = subprocess.Popen(
            [executable, "-p", str(folder), "-e", str(self._log), "-c", str(configuration)], stdin=subprocess.DEVNULL)
        wait_until(self._answers, what="nginx")

    def _answers(self):
        assert self._process.poll() is None, self._log.read_text()
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            return True
        except OSError:
            return False

    def stop(self):
        self._process.terminate()
        self._process.wait(DEADLINE)
