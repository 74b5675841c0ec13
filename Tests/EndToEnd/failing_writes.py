"""A disk that fails at the n-th write or read, and a process that is killed there (failing_writes.c)."""

import mmap
import shutil
import struct
import subprocess
from pathlib import Path

#: fail_at, error, lasting, calls, failures, reads: six C ints.
_ORDERS = struct.Struct("6i")


def compile_library(folder):
    """Compiles the library that is loaded into a hub; None if there is no compiler."""
    compiler = shutil.which("cc") or shutil.which("clang")
    if not compiler:
        return None
    path = Path(folder) / "failing_writes.so"
    source = Path(__file__).with_suffix(".c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", path, source, "-ldl"], check=True)
    return path


class FailingWrites:
    """What hubs started with ``environment`` are to do with what they write to a folder."""

    def __init__(self, library, orders, folder):
        orders.write_bytes(bytes(_ORDERS.size))
        self._file = open(orders, "r+b")
        self._map = mmap.mmap(self._file.fileno(), _ORDERS.size)
        self.environment = {
            "LD_PRELOAD": str(library), "FAILING_WRITES_ORDERS": str(orders), "FAILING_WRITES_FOLDER": str(folder)}

    def close(self):
        self._map.close()
        self._file.close()

    def arm(self, call, error, *, lasting=False, reads=False):
        """Has a call from now fail, from 1, and all later ones if it is to last; ``error`` 0 kills the process instead."""
        self._map[:_ORDERS.size] = _ORDERS.pack(call, error, lasting, 0, 0, reads)

    @property
    def calls(self):
        """How many calls there were since."""
        return _ORDERS.unpack(self._map[:_ORDERS.size])[3]

    @property
    def failures(self):
        """How many calls have failed."""
        return _ORDERS.unpack(self._map[:_ORDERS.size])[4]

    def disarm(self):
        """All is well again. Returns how many calls failed."""
        failures = self.failures
        self._map[:_ORDERS.size] = bytes(_ORDERS.size)
        return failures
