"""A clock of the day that steps both ways, for one process under test; its monotonic clocks go on as they do."""

import mmap
import struct
import subprocess
import time
from pathlib import Path

SOURCE = Path(__file__).with_suffix(".c")

HOUR = 3600
DAY = 24 * HOUR


class SteppedClock:
    """How far the clock of the processes that are started with ``environment`` is ahead of the system's."""

    def __init__(self, folder):
        library, offset = folder / "stepped_clock.so", folder / "step"
        subprocess.run(["cc", "-O1", "-Wall", "-shared", "-fPIC", "-o", library, SOURCE, "-ldl", "-lpthread"], check=True)
        offset.write_bytes(bytes(8))
        with open(offset, "r+b") as file:
            self._page = mmap.mmap(file.fileno(), 8)
        self.environment = {"LD_PRELOAD": str(library), "CLOCK_STEP_FILE": str(offset)}

    def step(self, seconds):
        """Sets the clock: forward, or back if negative."""
        ahead, = struct.unpack("=q", self._page[:])
        # One store, as the kernel's is.
        self._page[:] = struct.pack("=q", ahead + int(seconds * 1e9))

    def now(self):
        """The time of day by it, in seconds since 1970."""
        return time.time() + struct.unpack("=q", self._page[:])[0] / 1e9
