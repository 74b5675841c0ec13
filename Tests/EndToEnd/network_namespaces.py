"""Machines of a small network, each a network namespace: one may be cut off from others. For root, on Linux."""

import os
import shutil
import subprocess

#: Whether they can be made here.
AVAILABLE = os.geteuid() == 0 and shutil.which("ip") is not None and shutil.which("iptables") is not None


def _run(*words):
    subprocess.run(words, check=True, capture_output=True, text=True, timeout=30)


class Machine:
    """A namespace with an address of its own."""

    def __init__(self, name, address):
        self.name = name
        self.address = address
        #: What stands before a command that is to run there.
        self.prefix = ("ip", "netns", "exec", name)

    def cut_off_from(self, *others):
        """Nothing goes to those or comes from them any more, and nobody is told so: packets are lost."""
        for other in others:
            _run(*self.prefix, "iptables", "-A", "INPUT", "-s", other, "-j", "DROP")
            _run(*self.prefix, "iptables", "-A", "OUTPUT", "-d", other, "-j", "DROP")

    def heal(self):
        _run(*self.prefix, "iptables", "-F")


class Network:
    """Machines on one bridge, which the tests' own process reaches too, at ``host``."""

    def __init__(self, names):
        # Interfaces have short names, and other tests may have networks as well.
        self._tag = f"c{os.getpid() % 100_000}"
        self._subnet = f"10.{200 + os.getpid() % 50}.{os.getpid() % 250}"
        self.host = f"{self._subnet}.254"
        self.machines = [
            Machine(f"{self._tag}-{name}", f"{self._subnet}.{number}") for number, name in enumerate(names, 1)]

    def __enter__(self):
        try:
            _run("ip", "link", "add", self._tag, "type", "bridge")
            _run("ip", "addr", "add", f"{self.host}/24", "dev", self._tag)
            _run("ip", "link", "set", self._tag, "up")
            for number, machine in enumerate(self.machines):
                line = f"{self._tag}v{number}"
                _run("ip", "netns", "add", machine.name)
                _run("ip", "link", "add", line, "type", "veth", "peer", "name", "eth0", "netns", machine.name)
                _run("ip", "link", "set", line, "master", self._tag, "up")
                _run("ip", "-n", machine.name, "addr", "add", f"{machine.address}/24", "dev", "eth0")
                _run("ip", "-n", machine.name, "link", "set", "eth0", "up")
                _run("ip", "-n", machine.name, "link", "set", "lo", "up")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for machine in self.machines:
            subprocess.run(["ip", "netns", "del", machine.name], capture_output=True, timeout=30)
        subprocess.run(["ip", "link", "del", self._tag], capture_output=True, timeout=30)
